import type { EventData, EventKind, StopOrder } from '../../core/events/events.js'
import { MAX_REASON_LENGTH, truncate } from '../../core/text/clean-text.js'
import { writeEvents } from '../events/event-writer.js'
import { findJson, findMeta, setMeta } from '../sql/meta.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

/** The key of `meta` that holds the order to stop closing. */
const CLOSING_STOPPED = 'closing_stopped'

/** The key of `meta` that holds when a backup was restored last. */
export const RESTORED_AT = 'restored_at'

/** The order of a person to all processes on the database to stop closing (docs/CLOSING.md, rule 10). */
export function createClosingStop(database: SqlDatabase) {
  const record = (tx: Transaction, kind: EventKind, at: Date, stop: NonNullable<EventData['stop']>) =>
    writeEvents(tx, [{ kind, at: at.toISOString(), channel: null, data: { stop } }])
  return {
    /** The order that stops all closing, or null. */
    closingStop: () => findJson<StopOrder>(database, CLOSING_STOPPED),

    /** When a backup was restored last; closes sent before are not all known. Null if none was. */
    async restoredAt(): Promise<Date | null> {
      const value = await findMeta(database, RESTORED_AT)
      return value === null ? null : new Date(value)
    },

    /**
     * Stops all closing in every process on the database, and records an event. Replaces an order in force, and names it in its reason.
     * @param order.restored a backup is being restored: `restoredAt` is this moment
     * @returns the order
     */
    stopClosing: ({ by, reason, now, restored }: { by: string; reason: string; now: Date; restored?: boolean }) =>
      database.write(async (tx) => {
        // So that `resumeClosing` at the same time ends the order that it read.
        await tx.lock('closing stop')
        const before = await findJson<StopOrder>(tx, CLOSING_STOPPED)
        const earlier = before === null ? '' : `; already stopped by ${before.by} at ${before.since}: ${before.reason}`
        const stop: StopOrder = { by, reason: truncate(reason + earlier, MAX_REASON_LENGTH), since: now.toISOString() }
        await setMeta(tx, CLOSING_STOPPED, JSON.stringify(stop))
        if (restored) await setMeta(tx, RESTORED_AT, now.toISOString())
        await record(tx, 'close.stopped', now, stop)
        return stop
      }),

    /**
     * Ends the order, and records an event.
     * @returns the order that was ended, or null
     */
    resumeClosing: ({ by, now }: { by: string; now: Date }) =>
      database.write(async (tx) => {
        await tx.lock('closing stop')
        const stop = await findJson<StopOrder>(tx, CLOSING_STOPPED)
        if (stop === null) return null
        await tx.run('delete from meta where key = @key', { key: CLOSING_STOPPED })
        await record(tx, 'close.resumed', now, { ...stop, endedBy: by })
        return stop
      }),
  }
}
