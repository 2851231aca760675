import { PRUNED_EVENTS } from '../events/event-feed.js'
import { NEWEST_SEQUENCE } from '../events/event-writer.js'
import { findNumber, setMeta } from '../sql/meta.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { pacedWrites } from './paced-writes.js'

/** Rows deleted in one transaction, so that polls do not wait long. */
const ROWS_PER_STEP = 250

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

export function createPruning(database: SqlDatabase) {
  return {
    /**
     * Deletes runs that began, and events that happened, before a moment: runs that found nothing new and to which nothing refers, and events
     * that are not still to be delivered. Versions and decisions are kept. In short transactions with pauses between them, so that other
     * processes can write.
     * @returns how many were deleted
     */
    async prune({ before, signal }: { before: Date; signal?: AbortSignal }) {
      const write = pacedWrites(database)
      const deleteRows = async (
        { table, key, condition }: { table: string; key: string; condition: string },
        deleted?: (tx: Transaction, last: number) => Promise<void>,
      ) => {
        const old = `select ${key} as key from ${table} r where ${condition} and ${key} > @after order by ${key} limit ${ROWS_PER_STEP}`
        let count = 0
        for (let after = 0; ; ) {
          signal?.throwIfAborted()
          const rows = await database.all<{ key: number }>(old, { after, before: before.toISOString() })
          const last = rows.at(-1)?.key
          if (last === undefined) return count
          const keys = rows.map((row) => row.key)
          count += await write(async (tx) => {
            await deleted?.(tx, last)
            return tx.run(`delete from ${table} where ${tx.dialect.anyOf(key, '@keys')}`, { keys })
          })
          after = last
        }
      }
      const runs = await deleteRows({ table: 'runs', key: 'id', condition: IDLE })
      const events = await deleteRows({ table: 'events', key: 'sequence', condition: DONE }, async (tx, last) => {
        await tx.lock(PRUNED_EVENTS)
        await setMeta(tx, PRUNED_EVENTS, Math.max(last, await findNumber(tx, PRUNED_EVENTS)))
      })
      return { runs, events }
    },
  }
}
