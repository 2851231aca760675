import type { EventData, EventKind } from '../../core/events/events.js'
import type { ClosingStop, Closings } from '../contract.js'
import type { EventWriter } from '../events/event-writer.js'
import { deleteMeta, findMeta, setMeta } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'

/** The key of `meta` that holds the order to stop closing. */
const CLOSING_STOPPED = 'closing_stopped'

/** The key of `meta` that holds when a backup was restored last. */
const RESTORED_AT = 'restored_at'

/** The maximum number of replaced orders kept with the one in force. Each also has an event. */
const MAX_REPLACED = 10

/** The order of a person to all processes on the database to stop closing (docs/CLOSING.md, rule 10). */
export function createClosingStop(
  database: SqlDatabase,
  events: EventWriter,
): Pick<Closings, 'closingStop' | 'stopClosing' | 'resumeClosing' | 'restoredAt'> {
  const record = (tx: Transaction, kind: EventKind, at: Date, stop: NonNullable<EventData['stop']>) =>
    events.write(tx, [{ kind, at: at.toISOString(), channel: null, data: { stop } }])
  return {
    closingStop: () => selectStop(database),
    async restoredAt() {
      const value = await findMeta(database, RESTORED_AT)
      return value === null ? null : new Date(value)
    },
    stopClosing: ({ by, reason, now, restored }) =>
      database.write(async (tx) => {
        // So that `resumeClosing` at the same time ends the order that it read.
        await tx.lock('closing stop')
        const stop: ClosingStop = { by, reason, since: now.toISOString(), ...replacing(await selectStop(tx)) }
        await setMeta(tx, CLOSING_STOPPED, JSON.stringify(stop))
        if (restored) await setMeta(tx, RESTORED_AT, now.toISOString())
        await record(tx, 'close.stopped', now, stop)
        return stop
      }),
    resumeClosing: ({ by, now }) =>
      database.write(async (tx) => {
        await tx.lock('closing stop')
        const stop = await selectStop(tx)
        if (stop === null) return null
        await deleteMeta(tx, CLOSING_STOPPED)
        await record(tx, 'close.resumed', now, { ...stop, endedBy: by })
        return stop
      }),
  }
}

/** The order in force after those that it replaced; empty without one. */
function ordersOf(stop: ClosingStop | null): ClosingStop[] {
  if (stop === null) return []
  const { replaces = [], ...newest } = stop
  return [...replaces, newest]
}

/** The replaced orders to keep with a new order. */
const replacing = (stop: ClosingStop | null): Pick<ClosingStop, 'replaces'> =>
  stop === null ? {} : { replaces: ordersOf(stop).slice(-MAX_REPLACED) }

async function selectStop(queries: Queries): Promise<ClosingStop | null> {
  const value = await findMeta(queries, CLOSING_STOPPED)
  return value === null ? null : (JSON.parse(value) as ClosingStop)
}
