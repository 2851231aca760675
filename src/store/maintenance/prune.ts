import { setTimeout as wait } from 'node:timers/promises'
import { PRUNED_EVENTS } from '../events/event-feed.js'
import { NEWEST_SEQUENCE } from '../events/event-writer.js'
import { findNumber, setMeta } from '../sql/meta.js'
import type { SqlDatabase } from '../sql/sql-database.js'

/** Rows deleted in one transaction, so that polls do not wait long. */
const ROWS_PER_STEP = 250
/** The pause after each, in milliseconds. The lock of SQLite is not fair: without it, other processes might not get it at all. */
const PAUSE_MS = 20

const isReferenced = (table: string) => `exists (select 1 from ${table} where run_id = r.id)`
const ofSameKind = 'o.channel = r.channel and o.kind = r.kind'
/**
 * A condition: the run has ended, found nothing new, and nothing refers to it. The newest hundred of each channel and kind are kept,
 * because readiness reads them, and the first with each outcome, which says since when the channel is polled.
 */
const IDLE = `r.started_at < @before and r.finished_at is not null and r.inserted = 0 and r.changed = 0 and r.missing = 0 and coalesce(r.suspicious, 0) = 0
  and not (${['versions', 'close_decisions', 'close_intents'].map(isReferenced).join(' or ')})
  and r.id < (select o.id from runs o where ${ofSameKind} order by o.id desc limit 1 offset 99)
  and exists (select 1 from runs o where ${ofSameKind} and o.outcome = r.outcome and o.id < r.id)`

/**
 * A condition: an event may be deleted. Those of documents, decisions and awards are kept, and what a target has not got, and the newest, from
 * whose number later ones are counted.
 */
const DONE = `r.at < @before and r.kind in ('report.made', 'problems.found', 'channel.behind', 'channel.key-refused')
  and r.sequence < ${NEWEST_SEQUENCE} and not exists (select 1 from delivery_targets t where t.position < r.sequence)`

export const createPruning = (database: SqlDatabase) => ({
  /**
   * Deletes runs that began, and events that happened, before a moment: runs that found nothing new and to which nothing refers, and events
   * that are not still to be delivered. Versions and decisions are kept. In short transactions with pauses between them, so that other
   * processes can write.
   * @returns how many were deleted
   */
  async prune({ before, signal }: { before: Date; signal?: AbortSignal }) {
    const deleteRows = async (table: 'runs' | 'events', key: string, condition: string) => {
      const old = `select ${key} as key from ${table} r where ${condition} and ${key} > @after order by ${key} limit ${ROWS_PER_STEP}`
      const parameters = { before: before.toISOString() }
      let count = 0
      for (let after = 0; ; await wait(PAUSE_MS)) {
        signal?.throwIfAborted()
        const keys = (await database.all<{ key: number }>(old, { ...parameters, after })).map((row) => row.key)
        const last = keys.at(-1)
        if (last === undefined) return count
        count += await database.write(async (tx) => {
          if (table === 'events') {
            await tx.lock(PRUNED_EVENTS)
            await setMeta(tx, PRUNED_EVENTS, Math.max(last, await findNumber(tx, PRUNED_EVENTS)))
          }
          // The condition again: a target may have been set back meanwhile.
          const where = `${tx.dialect.anyOf(key, '@keys')} and ${condition}`
          return tx.run(`delete from ${table} as r where ${where}`, { ...parameters, keys })
        })
        after = last
      }
    }
    return { runs: await deleteRows('runs', 'id', IDLE), events: await deleteRows('events', 'sequence', DONE) }
  },
})
