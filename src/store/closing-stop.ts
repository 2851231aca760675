import type { ClosingStop, Closings } from './contract.js'
import { deleteMeta, findMeta, setMeta } from './meta.js'
import type { Queries, SqlDatabase } from './sql-database.js'

/** The key of `meta` under which a person's order to stop closing is kept. */
export const CLOSING_STOPPED = 'closing_stopped'

/** What a person ordered for all processes on the database: to close nothing (docs/CLOSING.md, rule 10). */
export function createClosingStop(
  database: SqlDatabase,
): Pick<Closings, 'closingStop' | 'stopClosing' | 'resumeClosing'> {
  return {
    closingStop: () => selectStop(database),
    stopClosing: ({ by, reason, now }) =>
      database.write(async (tx) => {
        const stop: ClosingStop = { by, reason, since: now.toISOString() }
        await setMeta(tx, CLOSING_STOPPED, JSON.stringify(stop))
      }),
    resumeClosing: () =>
      database.write(async (tx) => {
        const stop = await selectStop(tx)
        await deleteMeta(tx, CLOSING_STOPPED)
        return stop
      }),
  }
}

async function selectStop(queries: Queries): Promise<ClosingStop | null> {
  const value = await findMeta(queries, CLOSING_STOPPED)
  return value === null ? null : (JSON.parse(value) as ClosingStop)
}
