import type { Clock } from '../../core/time/clock.js'
import type { Queries } from '../sql-database.js'

const REFRESH_MS = 60_000

/** A clock that agrees on all machines: leases are compared across them. */
export interface ServerClock {
  now: Clock
  stop(): void
}

/** Follows the clock of the server, within the time that one query takes; setting the clock of this machine changes nothing. */
export async function followServerClock(queries: Queries): Promise<ServerClock> {
  /** The time of the server when the monotonic clock of this process was zero, in milliseconds. */
  let origin = Date.now() - performance.now()
  const measure = async () => {
    const sent = performance.now()
    const row = await queries.get<{ now: number }>('select extract(epoch from clock_timestamp()) * 1000 as now')
    if (row) origin = row.now - (sent + performance.now()) / 2
  }
  await measure()
  // While the server is away, the last measurement is good enough.
  const timer = setInterval(() => void measure().catch(() => undefined), REFRESH_MS)
  timer.unref()
  return { now: () => new Date(origin + performance.now()), stop: () => clearInterval(timer) }
}
