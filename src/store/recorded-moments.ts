import type { Queries } from './sql-database.js'

/** The greatest moment before another one. */
const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString()

/**
 * Where to begin reading what was recorded after a moment, so that who saw something of that moment misses nothing. The time of a
 * recording is known before its commit: one that was committed later may have an earlier or the same time. So it is the moment
 * itself, or just before what was committed after the first recording of it.
 */
export async function beginOfUnseen(queries: Queries, after: string): Promise<string> {
  const row = await queries.get<{ at: string | null }>(
    `select min(at) as at from recorded_moments where id > (select min(id) from recorded_moments where at >= @after)`,
    { after },
  )
  const first = row?.at ?? null
  return first === null || first > after ? after : justBefore(first)
}
