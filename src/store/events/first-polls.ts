import type { EventData } from '../../core/events/events.js'
import type { LiveRun } from '../contract.js'
import type { RunRow } from '../runs/run-queries.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft } from './event-writer.js'

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

type Found = NonNullable<EventData['found']>

/** Adds what a transaction of the first poll of a channel found. The poll may be cut short and continued by later ones. */
export async function addToFirstPoll(tx: Transaction, channel: string, found: Found): Promise<void> {
  await tx.run(
    `insert into first_polls (channel, rfqs, offers, late_offers, problems)
    values (@channel, @rfqs, @offers, @lateOffers, @problems)
    on conflict (channel) do update set rfqs = first_polls.rfqs + excluded.rfqs, offers = first_polls.offers + excluded.offers,
      late_offers = first_polls.late_offers + excluded.late_offers, problems = first_polls.problems + excluded.problems`,
    { channel, ...found },
  )
}

/** The event of the first poll that a run ended, in the transaction that ends the run; none if it ended none. */
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
