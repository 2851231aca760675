import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Pruning } from '../contract.js'
import { NEWEST_SEQUENCE, PRUNED_EVENTS } from '../events/event-feed.js'
import { findNumber, setMeta } from '../sql/meta.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { pacedWrites } from './paced-writes.js'

/** Rows read before yielding to the event loop, and deleted in one transaction, so that polls do not wait long. */
const ROWS_PER_STEP = 250

const isReferenced = (table: string) => `exists (select 1 from ${table} where run_id = r.id)`
const ofSameKind = 'o.channel = r.channel and o.kind = r.kind'
/**
 * A condition: the run has ended, found nothing new, and nothing refers to it. The newest hundred of each channel and kind are kept,
 * because readiness reads them, and the first with each outcome, which says since when the channel is polled.
 */
const IDLE = `r.finished_at is not null and r.inserted = 0 and r.changed = 0 and r.missing = 0 and r.suspicious = 0
  and not (${['versions', 'absences', 'close_decisions', 'close_intents'].map(isReferenced).join(' or ')})
  and r.id < (select o.id from runs o where ${ofSameKind} order by o.id desc limit 1 offset 99)
  and exists (select 1 from runs o where ${ofSameKind} and o.outcome = r.outcome and o.id < r.id)`

/**
 * A condition: the event may be deleted. Some events are written once for an occasion, such as a due date, and would be written again if
 * they were missing. Others are the only record of who stopped or resumed closing, or are still to be delivered. The newest one has the number from which
 * later ones are counted.
 */
const DONE = `e.kind not in ('rfq.due-soon', 'rfq.overdue', 'channel.behind', 'channel.key-refused', 'close.stopped', 'close.resumed')
  and not (e.kind = 'close.blocked' and e.rfq_id is null)
  and e.sequence < ${NEWEST_SEQUENCE}
  and not exists (select 1 from deliveries d where d.event_id = e.id and d.state = 'pending')`

const OLD_RUNS = `select r.id as key, case when ${IDLE} then 1 else 0 end as removable from runs r
  where r.id > @after and r.started_at < @before order by r.id limit ${ROWS_PER_STEP}`
const OLD_EVENTS = `select e.sequence as key, case when ${DONE} then 1 else 0 end as removable from events e
  where e.sequence > @after and e.at < @before order by e.sequence limit ${ROWS_PER_STEP}`

/** Deletes old idle runs and old events, in short transactions with pauses between them, so that other processes can write. */
export function createPruning(database: SqlDatabase): Pruning {
  return {
    async prune({ before, signal }) {
      const write = pacedWrites(database)
      const deleteOld = async (select: string, remove: (tx: Transaction, keys: number[]) => Promise<number>) => {
        let removed = 0
        for (let after = 0; ; ) {
          signal?.throwIfAborted()
          const old = await database.all<{ key: number; removable: number }>(select, {
            after,
            before: before.toISOString(),
          })
          const keys = old.flatMap(({ key, removable }) => (removable === 1 ? [key] : []))
          if (keys.length > 0) removed += await write((tx) => remove(tx, keys))
          if (old.length < ROWS_PER_STEP) return removed
          after = old.at(-1)?.key ?? after
          await yieldToEventLoop()
        }
      }
      const runs = await deleteOld(OLD_RUNS, deleteRuns)
      const events = await deleteOld(OLD_EVENTS, deleteEvents)
      return { runs, events }
    },
  }
}

const deleteRuns = (tx: Transaction, keys: number[]) =>
  tx.run(`delete from runs where ${tx.dialect.anyOf('id', '@keys')}`, { keys })

/** Deletes events with their deliveries, except those that a user has asked to send again in the meantime. */
async function deleteEvents(tx: Transaction, keys: number[]): Promise<number> {
  const done = `select id from events e where ${tx.dialect.anyOf('sequence', '@keys')} and ${DONE}`
  await tx.run(`delete from deliveries where event_id in (${done})`, { keys })
  const deleted = await tx.all<{ sequence: number }>(`delete from events where id in (${done}) returning sequence`, {
    keys,
  })
  await tx.lock(PRUNED_EVENTS)
  const pruned = await findNumber(tx, PRUNED_EVENTS)
  await setMeta(tx, PRUNED_EVENTS, Math.max(pruned, ...deleted.map(({ sequence }) => sequence)))
  return deleted.length
}
