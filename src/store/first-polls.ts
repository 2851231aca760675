import type { LiveRun } from './contract.js'
import type { Transaction } from './sql-database.js'

/** Of the runs in progress, and some that ended. */
const MAX_RUNS_REMEMBERED = 100

export interface FirstPoll {
  runId: number
  startedAt: Date
}

/** The first poll that began before a run and ended well; null if there is none. For a closing round, the first poll of the RFQs. */
export type FindFirstPoll = (tx: Transaction, run: LiveRun) => Promise<FirstPoll | null>

/** Looks it up once for each run, during which it does not change; during a closing round, the first poll may end. */
export function createFirstPolls(): FindFirstPoll {
  const known = new Map<number, FirstPoll | null>()
  return async (tx, run) => {
    const found = known.get(run.id)
    if (found !== undefined) return found
    const earlier = await tx.get<{ id: number; started_at: string }>(
      `select id, started_at from runs where channel = @channel and kind = @kind and id < @id
        and outcome in ('complete', 'partial') order by id limit 1`,
      { channel: run.channel, kind: run.kind === 'close' ? 'rfqs' : run.kind, id: run.id },
    )
    const first = earlier ? { runId: earlier.id, startedAt: new Date(earlier.started_at) } : null
    if (known.size >= MAX_RUNS_REMEMBERED) known.clear()
    if (first !== null || run.kind !== 'close') known.set(run.id, first)
    return first
  }
}
