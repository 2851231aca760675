import { quoteForShell } from '../quote-for-shell.js'
import { clockProblem } from './clock-skew.js'
import { clockStopText } from './clock-stop.js'
import { evidenceOf, recordDecision, recordOutcome } from './decisions.js'
import {
  type Candidate,
  type Evaluation,
  evaluateStored,
  openIntentReason,
  type Reason,
  storedCandidate,
} from './evaluate.js'
import { type FreshRead, readBeforeClose } from './fresh-read.js'
import {
  evaluateNow,
  isInScope,
  isRetried,
  massLossReason,
  type Round,
  reasonAgainstSending,
  sending,
  withItemFailures,
} from './round-state.js'
import { closeAndVerify } from './settlement.js'

/** An approval plan is valid for this long, in milliseconds. */
const PLAN_VALID_MS = 24 * 3_600_000

interface EvaluatedCandidate {
  candidate: Candidate
  evaluation: Evaluation
}

/**
 * Closes the stored RFQs that qualify, or those of them that a person chose, unless the round is held
 * (docs/CLOSING.md, rule 5).
 */
export async function closeCandidates(round: Round): Promise<void> {
  const { chosenIds, policy } = round
  const qualified = await findQualified(round)
  const chosen = chosenIds ? qualified.filter(({ candidate }) => chosenIds.has(candidate.id)) : qualified
  if (chosenIds === null && policy.mode === 'on' && chosen.length <= policy.maxPerRun) await supersedePlans(round)
  if (chosen.length === 0) return
  const hold = await reasonToHold(round, chosen)
  if (hold === null) await recordApproval(round)
  for (const { candidate, evaluation } of chosen) {
    if (!isInScope(round, candidate.id)) continue
    if (hold !== null) {
      await recordDecision(round, candidate, evaluation, { decision: 'held', hold })
    } else if (round.stopReason === null) {
      await withItemFailures(round, candidate.id, () => closeOne(round, candidate))
    }
  }
}

/** A round that is not held because of its size makes earlier held rounds obsolete. */
async function supersedePlans({ context: { store, now }, channel }: Round): Promise<void> {
  const plans = await store.heldPlans({ channel, now: now() })
  if (plans.length > 0) await store.supersedePlans(channel, now())
}

async function recordApproval({ context: { store, now }, policy }: Round): Promise<void> {
  if (policy.approvedPlan === undefined || policy.mode !== 'on') return
  await store.approvePlan(policy.approvedPlan, { by: policy.approvedBy ?? 'unknown', now: now() })
}

/**
 * Evaluates every stored RFQ that is not closed, and returns those that qualify, earliest due date first; also those out of
 * scope, because all count for the size of the round.
 */
async function findQualified(round: Round): Promise<EvaluatedCandidate[]> {
  const { store, now } = round.context
  const { calendar, answers, sentIntents, waiting, policy } = round
  const qualified: EvaluatedCandidate[] = []
  const intents = await store.openIntents(round.channel)
  const openIntents = new Map(intents.map(({ rfqId }) => [rfqId, waiting.get(rfqId)]))
  const settled = new Set(round.decisions.filter(({ outcome }) => outcome !== null).map(({ rfqId }) => rfqId))
  for (const { rfq } of await store.rfqs({ channel: round.channel, withoutResponses: true })) {
    const candidate = storedCandidate(rfq)
    const evaluation = evaluateStored(candidate, {
      ...{ calendar, graceHours: policy.graceHours, now: now() },
      ...{ openIntents, answers, sentIntents, retried: policy.retry },
    })
    if (evaluation.state === 'closed' || settled.has(rfq.id)) continue
    const inScope = isInScope(round, rfq.id)
    if (inScope) round.evaluated.add(rfq.id)
    if (inScope && !rfq.valid) round.invalid++
    if (evaluation.against.length > 0) {
      if (inScope) await recordDecision(round, candidate, evaluation, { decision: 'keep' })
    } else qualified.push({ candidate, evaluation })
  }
  return qualified.sort(byDueDate)
}

const byDueDate = (a: EvaluatedCandidate, b: EvaluatedCandidate): number =>
  (a.evaluation.dueDate ?? '').localeCompare(b.evaluation.dueDate ?? '') || a.candidate.id.localeCompare(b.candidate.id)

/** Why none of the chosen RFQs may be closed, or null. Also sets the stop reason of the round. */
async function reasonToHold(round: Round, chosen: readonly EvaluatedCandidate[]): Promise<Reason | null> {
  const { context, policy, poll } = round
  const stopped = await context.killSwitch()
  if (stopped !== null) {
    round.stopReason = stopped
    return { code: 'kill-switch', text: stopped }
  }
  const lost = massLossReason(poll)
  if (lost !== null) {
    round.stopReason = `Closing is held because of the newest poll (run ${poll?.id}): ${poll?.error ?? ''}`
    return { code: 'mass-loss', text: `closing is held: ${lost}` }
  }
  if (round.chosenIds !== null || policy.mode !== 'on' || chosen.length <= policy.maxPerRun) return null
  return holdForApproval(round, chosen)
}

async function holdForApproval(round: Round, chosen: readonly EvaluatedCandidate[]): Promise<Reason> {
  const { context, policy, channel } = round
  const now = context.now()
  const plan = await context.store.createApprovalPlan({
    channel,
    rfqIds: chosen.map(({ candidate }) => candidate.id),
    now,
    expiresAt: new Date(now.getTime() + PLAN_VALID_MS),
  })
  round.approvalPlan = plan
  round.stopReason =
    `${chosen.length} RFQs are past due, more than maxPerRun (${policy.maxPerRun}), so none was closed. ` +
    `To close exactly these, run within 24 hours: quotekeeper close-expired --channel ${quoteForShell(channel)} --approve ${plan}`
  const text = `held for approval: ${chosen.length} RFQs are past due, more than maxPerRun (${policy.maxPerRun}); plan ${plan}`
  return { code: 'max-per-run', text }
}

async function closeOne(round: Round, candidate: Candidate): Promise<void> {
  const { context, run, policy } = round
  context.signal?.throwIfAborted()
  if (run.lost.aborted) throw run.lost.reason
  const read = await readBeforeClose(context, run, candidate, { isDryRun: policy.mode === 'dry-run' })
  if (read === null) {
    const against: Reason[] = [{ code: 'changing', text: 'it changed at every fresh read' }]
    const evaluation = { ...evaluateNow(round, candidate), against }
    await recordDecision(round, candidate, evaluation, { decision: 'keep' })
    return
  }
  const evaluation = evaluateNow(round, read)
  // Stored and fresh document may differ: what was refused is the document just read.
  const reason = reasonAgainstSending(round, read)
  if (reason !== null) evaluation.against.push(reason)
  const clock = clockProblem(read, policy.maxClockSkewSeconds)
  if (clock !== null) {
    evaluation.against.push({ code: 'clock', text: clock })
    round.stopReason = clockStopText(clock, round.counts.closed)
  }
  if (evaluation.against.length > 0) {
    const outcome = read.state === 'closed' ? ('already-closed' as const) : null
    await recordDecision(round, read, evaluation, { decision: 'keep', outcome, read })
    return
  }
  if (policy.mode === 'dry-run') {
    await recordDecision(round, read, evaluation, { decision: 'would-close', read })
    return
  }
  await sendClose(round, read, evaluation)
}

async function sendClose(round: Round, read: FreshRead, evaluation: Evaluation): Promise<void> {
  const { context, run, channel } = round
  const stopped = await context.killSwitch()
  if (stopped !== null) {
    round.stopReason = stopped
    const hold: Reason = { code: 'kill-switch', text: stopped }
    await recordDecision(round, read, evaluation, { decision: 'held', hold, read })
    return
  }
  const intent = await context.store.planClose({
    channel,
    rfqId: read.id,
    runId: run.id,
    evidence: evidenceOf(round, read, evaluation, { read }),
    requested: isRetried(round, read.id),
    now: context.now(),
  })
  const settlement = await closeAndVerify(context, run, intent, sending(round, evaluation.number))
  if ('waiting' in settlement) {
    const { waiting, after } = settlement
    evaluation.against.push(openIntentReason(waiting))
    await recordDecision(round, after, evaluation, { decision: 'keep', read: after })
  } else await recordOutcome(round, read, evaluation, settlement)
  round.unconfirmed.delete(read.id)
}
