import type { ClosingStop, Closings } from './contract.js'
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
        await tx.run(
          'insert into meta (key, value) values (@key, @value) on conflict (key) do update set value = excluded.value',
          { key: CLOSING_STOPPED, value: JSON.stringify(stop) },
        )
      }),
    resumeClosing: () =>
      database.write(async (tx) => {
        const stop = await selectStop(tx)
        await tx.run('delete from meta where key = @key', { key: CLOSING_STOPPED })
        return stop
      }),
  }
}

async function selectStop(queries: Queries): Promise<ClosingStop | null> {
  const row = await queries.get<{ value: string }>('select value from meta where key = @key', { key: CLOSING_STOPPED })
  return row ? (JSON.parse(row.value) as ClosingStop) : null
}
