import type { EventData } from '../../core/events/events.js'
import type { LiveRun } from '../contract.js'
import type { RunRow } from '../runs/run-queries.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft } from './event-writer.js'

/** The number of cached runs: those in progress, and some that have ended. */
const MAX_CACHED_RUNS = 100

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
    const earlier = await tx.get<{ id: number; started_at: string }>(
      `select id, started_at from runs where channel = @channel and kind = @kind and id < @id
        and outcome in ('complete', 'partial') order by id limit 1`,
      { channel: run.channel, kind: run.kind === 'close' ? 'rfqs' : run.kind, id: run.id },
    )
    const first = earlier ? { runId: earlier.id, startedAt: new Date(earlier.started_at) } : null
    if (known.size >= MAX_CACHED_RUNS) known.clear()
    if (first !== null || run.kind !== 'close') known.set(run.id, first)
    return first
  }
}

type Found = NonNullable<EventData['found']>

/** Adds the counts of a transaction of the first poll of a channel, which may be cut short and continued by later polls. */
export async function addToFirstPoll(tx: Transaction, channel: string, found: Found): Promise<void> {
  await tx.run(
    `insert into first_polls (channel, rfqs, offers, late_offers, problems)
    values (@channel, @rfqs, @offers, @lateOffers, @problems)
    on conflict (channel) do update set rfqs = first_polls.rfqs + excluded.rfqs, offers = first_polls.offers + excluded.offers,
      late_offers = first_polls.late_offers + excluded.late_offers, problems = first_polls.problems + excluded.problems`,
    { channel, ...found },
  )
}

/** Returns the event of a first poll, if the run that ends in this transaction completes one. */
export async function endFirstPoll(tx: Transaction, run: RunRow): Promise<EventDraft[]> {
  const { channel, kind, outcome } = run
  if (kind !== 'rfqs' || (outcome !== 'complete' && outcome !== 'partial')) return []
  const found = await tx.get<Found>(
    `delete from first_polls where channel = @channel
    returning rfqs, offers, late_offers as "lateOffers", problems`,
    { channel },
  )
  if (!found || Object.values(found).every((each) => each === 0)) return []
  const at = run.finished_at ?? run.started_at
  return [{ kind: 'channel.first-poll', at, channel, runId: run.id, describe: () => ({ found }) }]
}
