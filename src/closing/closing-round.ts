import type { UnsettledClose } from '../core/records.js'
import { createCalendar } from '../core/time/expiry.js'
import { MarketplaceError } from '../marketplace/errors.js'
import { type RunProgress, withRun } from '../store/runs/with-run.js'
import { closeCandidates } from './candidates.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { settleOpenIntents } from './open-intents.js'
import { createRound, dayBefore, loadDecisions, type Round } from './round-state.js'

/** This many RFQs of a kind are named in the error of a run. */
const MAX_NAMED = 5

const UNSETTLED_KINDS: readonly [outcome: UnsettledClose['outcome'], word: string][] = [
  ['refused', 'refused'],
  ['unknown', 'unknown'],
  ['failed', 'failed'],
  ['open', 'not settled'],
]

/**
 * Runs one closing round of one channel (docs/CLOSING.md): settles the intents that a crash left open, then closes
 * what is past due, one RFQ after another.
 * @returns the run and every decision it recorded; an error of the marketplace makes it partial and is not thrown
 * @throws RunBusyError, RunLostError, StoreError; RangeError for an invalid time zone
 */
export async function closeExpired(context: ClosingContext, policy: ClosingPolicy): Promise<ClosingResult> {
  createCalendar(policy.timeZone) // An invalid time zone is refused before a run begins.
  let round: Round | undefined
  let interruption: string | null = null
  const result = await withRun({ ...context, timeZone: policy.timeZone }, 'close', async (run, progress) => {
    round = createRound(context, policy, run, progress)
    try {
      await loadState(round)
      await settleOpenIntents(round)
      await closeCandidates(round)
      await finishRound(round)
    } catch (error) {
      interruption = (error as Error).message
      await finishRound(round).catch(() => undefined) // The database may be what failed; the first error explains more.
      nameUnconfirmed(round, error as Error)
      throw error
    } finally {
      reportProgress(round, progress)
    }
  })
  const { decisions, approvalPlan, stop, unsettled, counts } = round as Round
  return { ...result, decisions, approvalPlan, stopReason: stop?.text ?? interruption, unsettled, counts }
}

async function loadState(round: Round): Promise<void> {
  const { store } = round.context
  round.poll = await store.newestListRead(round.channel, round.context.now())
  const intents = await store.openIntents(round.channel)
  await loadDecisions(round, [...intents.map(({ rfqId }) => rfqId), ...(round.policy.retry ?? [])])
  round.restoredAt = await store.restoredAt()
  round.sentIntents = await store.sentIntents(round.channel, dayBefore(round.context.now()))
}

async function finishRound(round: Round): Promise<void> {
  const { store, now } = round.context
  const repeated = round.repeated.splice(0)
  if (repeated.length > 0) await store.recordRepeats(repeated, now())
  round.unsettled = await store.unsettledCloses({ channel: round.channel, now: now(), endingRun: round.run.id })
}

/** Names closes that were sent before an error ended the round and that are not recorded as unsettled. */
function nameUnconfirmed({ unconfirmed, unsettled, failures }: Round, error: Error): void {
  for (const [rfqId, { rfqNumber, sentAt }] of unconfirmed) {
    if (unsettled.some((each) => each.rfqId === rfqId)) continue
    const failure = {
      id: `RFQ ${rfqNumber ?? rfqId}`,
      message: `its close was sent at ${sentAt} and is not confirmed yet; the next round settles it`,
    }
    // Failures of a run that ended with an error of the marketplace are reported; of any other error, the caller sees the message only.
    if (error instanceof MarketplaceError) failures.push(failure)
    else error.message = `${error.message.replace(/\.$/, '')}. ${failure.id}: ${failure.message}.`
  }
}

function reportProgress(round: Round, progress: RunProgress): void {
  const { closed } = round.counts
  progress.counts.seen = round.evaluated.size
  progress.counts.changed = closed
  progress.counts.unchanged = round.evaluated.size - closed
  progress.counts.invalid = round.invalid
  progress.madeProgress = round.evaluated.size > 0
  progress.incomplete = round.stop?.text ?? null
  progress.needsAttention = describeUnsettled(round.unsettled)
  progress.stop = round.stop && { code: round.stop.code, clocks: round.stop.clocks ?? null }
}

/** `2 RFQs refused (1001, 1002), 1 unknown (1003).`, the same text as long as nothing changes. */
function describeUnsettled(unsettled: readonly UnsettledClose[]): string | null {
  const parts = UNSETTLED_KINDS.flatMap(([outcome, word]) => {
    const names = unsettled.filter((each) => each.outcome === outcome).map(({ rfqNumber, rfqId }) => rfqNumber ?? rfqId)
    const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names
    return names.length === 0 ? [] : [`${names.length} ${word} (${shown.join(', ')})`]
  })
  return parts.length === 0 ? null : `RFQs that need attention: ${parts.join(', ')}.`
}
