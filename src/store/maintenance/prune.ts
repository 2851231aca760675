import { PRUNED_EVENTS } from '../events/event-feed.js'
import { NEWEST_SEQUENCE } from '../events/event-writer.js'
import { findNumber, setMeta } from '../sql/meta.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { pacedWrites } from './paced-writes.js'

/** Rows checked in one transaction, so that polls do not wait long. */
const ROWS_PER_STEP = 250

const isReferenced = (table: string) => `exists (select 1 from ${table} where run_id = r.id)`
const ofSameKind = 'o.channel = r.channel and o.kind = r.kind'
/**
 * A condition: the run has ended, found nothing new, and nothing refers to it. The newest hundred of each channel and kind are kept,
 * because readiness reads them, and the first with each outcome, which says since when the channel is polled.
 */
const IDLE = `r.finished_at is not null and r.inserted = 0 and r.changed = 0 and r.missing = 0 and coalesce(r.suspicious, 0) = 0
  and not (${['versions', 'close_decisions', 'close_intents'].map(isReferenced).join(' or ')})
  and r.id < (select o.id from runs o where ${ofSameKind} order by o.id desc limit 1 offset 99)
  and exists (select 1 from runs o where ${ofSameKind} and o.outcome = r.outcome and o.id < r.id)`

/** Events of documents, decisions and awards are kept. */
const KINDS = `kind in ('report.made', 'problems.found', 'channel.behind', 'channel.key-refused')`

/**
 * A condition: an event of these kinds may be deleted, unless a target has not got it, or it is the newest, from whose number later ones are
 * counted.
 */
const DONE = `e.sequence < ${NEWEST_SEQUENCE}
  and not exists (select 1 from delivery_targets t where t.position < e.sequence)`

export function createPruning(database: SqlDatabase) {
  return {
    /**
     * Deletes runs that began, and events that happened, before a moment: runs that found nothing new and to which nothing refers, and events
     * that are not still to be delivered. Versions and decisions are kept. In short transactions with pauses between them, so that other
     * processes can write.
     * @returns how many were deleted
     */
    async prune({ before: moment, signal }: { before: Date; signal?: AbortSignal }) {
      const before = moment.toISOString()
      const write = pacedWrites(database)
      const deleteOld = async (rows: string, key: string, remove: (tx: Transaction, step: Step) => Promise<number>) => {
        const next = `select max(${key}) as "upTo" from (
          select ${key} from ${rows} < @before and ${key} > @after order by ${key} limit ${ROWS_PER_STEP}) step`
        let removed = 0
        for (let after = 0; ; ) {
          signal?.throwIfAborted()
          const { upTo } = (await database.get<{ upTo: number | null }>(next, { after, before })) ?? { upTo: null }
          if (upTo === null) return removed
          const step = { after, upTo, before }
          removed += await write((tx) => remove(tx, step))
          after = upTo
        }
      }
      const runs = await deleteOld('runs where started_at', 'id', (tx, step) => tx.run(DELETE_RUNS, step))
      return { runs, events: await deleteOld(`events where ${KINDS} and at`, 'sequence', deleteEvents) }
    },
  }
}

/** The keys of the rows to check, and the moment before which they are old. */
type Step = { after: number; upTo: number; before: string }

const DELETE_RUNS = `delete from runs as r where r.id > @after and r.id <= @upTo and r.started_at < @before and ${IDLE}`
/** Deletes events, and records up to which sequence any is missing. */
async function deleteEvents(tx: Transaction, step: Step): Promise<number> {
  const deleted = await tx.all<{ sequence: number }>(
    `delete from events as e where e.sequence > @after and e.sequence <= @upTo and e.at < @before
      and e.${KINDS} and ${DONE} returning sequence`,
    step,
  )
  await tx.lock(PRUNED_EVENTS)
  const pruned = await findNumber(tx, PRUNED_EVENTS)
  await setMeta(tx, PRUNED_EVENTS, Math.max(pruned, ...deleted.map(({ sequence }) => sequence)))
  return deleted.length
}
