import type { EventData } from '../../core/events/events.js'
import type { LiveRun } from '../contract.js'
import type { RunRow } from '../runs/run-queries.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft } from './event-writer.js'

/** The number of cached runs: those in progress, and some that have ended. */
const MAX_CACHED_RUNS = 100

type Found = NonNullable<EventData['found']>

export interface FirstPoll {
  runId: number
  startedAt: Date
}

/** Finds the first successful poll that began before a run; null if there is none. For a closing round, the first poll of the RFQs. */
export type FindFirstPoll = (tx: Transaction, run: LiveRun) => Promise<FirstPoll | null>

/** Caches the result for each run, during which it does not change; except null for closing rounds, during which the first poll may end. */
export function createFirstPolls(): FindFirstPoll {
  const known = new Map<number, FirstPoll | null>()
  return async (tx, run) => {
    const found = known.get(run.id)
    if (found !== undefined) return found
    const { id, channel, kind } = run
    const first = await findEarlier(tx, { id, channel, kind: kind === 'close' ? 'rfqs' : kind })
    if (known.size >= MAX_CACHED_RUNS) known.clear()
    if (first !== null || run.kind !== 'close') known.set(run.id, first)
    return first
  }
}

/** Returns the event of a first poll, if the run that ends in this transaction is the first that succeeds. */
export async function endFirstPoll(tx: Transaction, run: RunRow): Promise<EventDraft[]> {
  const { id, channel, kind, outcome } = run
  const isFirst = kind === 'rfqs' && (outcome === 'complete' || outcome === 'partial')
  if (!isFirst || (await findEarlier(tx, { id, channel, kind })) !== null) return []
  const found = (await tx.get<Found>(
    `select (select count(*) from documents where channel = @channel and kind = 'rfq') as rfqs,
      (select count(*) from documents where channel = @channel and kind = 'response') as offers,
      (select count(*) from problems where channel = @channel and kind in ('rfq', 'response')) as problems`,
    { channel },
  )) as Found
  if (Object.values(found).every((each) => each === 0)) return []
  const at = run.finished_at ?? run.started_at
  return [{ kind: 'channel.first-poll', at, channel, runId: id, describe: () => ({ found }) }]
}

/** The first successful run of a kind before another run. */
async function findEarlier(tx: Transaction, run: Pick<LiveRun, 'id' | 'channel' | 'kind'>): Promise<FirstPoll | null> {
  const { id, channel, kind } = run
  const earlier = await tx.get<{ id: number; started_at: string }>(
    `select id, started_at from runs where channel = @channel and kind = @kind and id < @id
      and outcome in ('complete', 'partial') order by id limit 1`,
    { id, channel, kind },
  )
  return earlier ? { runId: earlier.id, startedAt: new Date(earlier.started_at) } : null
}
