import { channelKey } from '../domain/channel.js'
import { createCalendar } from '../domain/expiry.js'
import { type RunProgress, withRun } from '../runs.js'
import { closeCandidates } from './candidates.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { PlanError } from './errors.js'
import { settleOpenIntents } from './open-intents.js'
import { createRound, type Round } from './round-state.js'

/**
 * Runs one closing round of one channel (docs/CLOSING.md): settles the intents that a crash left open, then closes
 * what is past due, one RFQ after another.
 * @returns the run and every decision it recorded; an error of the marketplace makes it partial and is not thrown
 * @throws PlanError, RunBusyError, RunLostError, StoreError; RangeError for an invalid time zone
 */
export async function closeExpired(context: ClosingContext, policy: ClosingPolicy): Promise<ClosingResult> {
  createCalendar(policy.timeZone) // An invalid time zone is refused before a run begins.
  const approvedIds = await findApprovedIds(context, policy)
  let decisions: ClosingResult['decisions'] = []
  let approvalPlan: ClosingResult['approvalPlan'] = null
  const result = await withRun(context, 'close', async (run, progress) => {
    const round = createRound(context, policy, run, progress)
    try {
      await loadState(round)
      await settleOpenIntents(round)
      await closeCandidates(round, approvedIds)
    } finally {
      reportProgress(round, progress)
      decisions = round.decisions
      approvalPlan = round.approvalPlan
    }
  })
  return { ...result, decisions, approvalPlan }
}

/** The RFQs of the approval plan, or null if the round needs none. Throws PlanError. */
async function findApprovedIds(
  { store, session, now }: ClosingContext,
  { approvedPlan }: ClosingPolicy,
): Promise<Set<string> | null> {
  if (approvedPlan === undefined) return null
  const channel = channelKey(session.channel)
  const plan = await store.findApprovalPlan(approvedPlan, now())
  if (plan?.channel === channel) return new Set(plan.rfqIds)
  throw new PlanError(
    `Approval plan ${approvedPlan} does not exist for ${channel} or has expired (after 24 hours). ` +
      'Run close-expired without --approve to get a new one.',
  )
}

async function loadState(round: Round): Promise<void> {
  const { store } = round.context
  const polls = await store.runs({ channel: round.channel, kind: 'rfqs', limit: 50 })
  round.poll = polls.find((poll) => poll.outcome === 'complete' || poll.outcome === 'partial') ?? null
  for (const decision of await store.newestDecisions(round.channel)) {
    round.newestDecisions.set(decision.rfqId, decision)
  }
}

function reportProgress(round: Round, progress: RunProgress): void {
  const closed = round.decisions.filter((decision) => decision.outcome === 'closed').length
  progress.counts.seen = round.evaluated.size
  progress.counts.changed = closed
  progress.counts.unchanged = round.evaluated.size - closed
  progress.counts.invalid = round.invalid
  progress.madeProgress = round.evaluated.size > 0
  progress.incomplete = round.stopReason
}
