import type { Clock } from '../../domain/clock.js'
import type { Queries } from '../sql-database.js'

const REFRESH_MS = 60_000

/** A clock that agrees on all machines: leases are compared across them. */
export interface ServerClock {
  now: Clock
  stop(): void
}

/** Follows the clock of the server, within the time that one query takes. */
export async function followServerClock(queries: Queries): Promise<ServerClock> {
  let aheadMs = 0
  const measure = async () => {
    const sent = Date.now()
    const row = await queries.get<{ now: number }>('select extract(epoch from clock_timestamp()) * 1000 as now')
    if (row) aheadMs = row.now - (sent + Date.now()) / 2
  }
  await measure()
  // While the server is away, the last measurement is good enough.
  const timer = setInterval(() => void measure().catch(() => undefined), REFRESH_MS)
  timer.unref()
  return { now: () => new Date(Date.now() + aheadMs), stop: () => clearInterval(timer) }
}
