import { clockProblem } from './clock-skew.js'
import { evidenceOf, recordDecision, recordOutcome } from './decisions.js'
import { type Candidate, type Evaluation, reasonAgainstRetry, storedCandidate } from './evaluate.js'
import { type FreshRead, readBeforeClose } from './fresh-read.js'
import { evaluateNow, type Round, reasonAgainstPost, withItemFailures } from './round-state.js'
import { closeAndVerify } from './settlement.js'

/** An approval plan is valid for this long, in milliseconds. */
const PLAN_VALID_MS = 24 * 3_600_000

interface EvaluatedCandidate {
  candidate: Candidate
  evaluation: Evaluation
}

/**
 * Closes the stored RFQs that qualify, unless the round is held (docs/CLOSING.md, rule 5).
 * @param approvedIds the RFQs a person approved; null to close all that qualify
 */
export async function closeCandidates(round: Round, approvedIds: ReadonlySet<string> | null): Promise<void> {
  const qualified = await findQualified(round)
  const chosen = approvedIds ? qualified.filter(({ candidate }) => approvedIds.has(candidate.id)) : qualified
  if (chosen.length === 0) return
  const holdReason = await reasonToHold(round, chosen, approvedIds !== null)
  for (const { candidate, evaluation } of chosen) {
    if (holdReason !== null) {
      await recordDecision(round, candidate, evaluation, { decision: 'held', reason: holdReason })
    } else if (round.stopReason === null) {
      await withItemFailures(round, candidate.id, () => closeOne(round, candidate))
    }
  }
}

/** Evaluates every stored RFQ that is not closed, and returns those that qualify, earliest due date first. */
async function findQualified(round: Round): Promise<EvaluatedCandidate[]> {
  const { store, now } = round.context
  const qualified: EvaluatedCandidate[] = []
  const open = new Set((await store.openIntents(round.channel)).map((intent) => intent.rfqId))
  const settled = new Set(round.decisions.filter(({ outcome }) => outcome !== null).map(({ rfqId }) => rfqId))
  for (const { rfq } of await store.rfqs({ channel: round.channel, withoutResponses: true })) {
    const candidate = storedCandidate(rfq)
    const evaluation = evaluateNow(round, candidate)
    if (evaluation.state === 'closed' || settled.has(rfq.id)) continue
    round.evaluated.add(rfq.id)
    if (!rfq.valid) round.invalid++
    if (open.has(rfq.id)) evaluation.against.push('an earlier close of it is not settled yet')
    const retryReason = round.policy.byHand
      ? null
      : reasonAgainstRetry(round.newestDecisions.get(rfq.id), candidate.version, now())
    if (retryReason) evaluation.against.push(retryReason)
    if (evaluation.against.length > 0) await recordDecision(round, candidate, evaluation, { decision: 'keep' })
    else qualified.push({ candidate, evaluation })
  }
  return qualified.sort(byDueDate)
}

const byDueDate = (a: EvaluatedCandidate, b: EvaluatedCandidate): number =>
  (a.evaluation.dueDate ?? '').localeCompare(b.evaluation.dueDate ?? '') || a.candidate.id.localeCompare(b.candidate.id)

/** Why none of the chosen RFQs may be closed, or null. Also sets the stop reason of the round. */
async function reasonToHold(
  round: Round,
  chosen: readonly EvaluatedCandidate[],
  approved: boolean,
): Promise<string | null> {
  const { context, policy, poll } = round
  const stopped = context.killSwitch()
  if (stopped !== null) {
    round.stopReason = stopped
    return stopped
  }
  if (poll?.suspicious) {
    round.stopReason = `Closing is held because of the newest poll (run ${poll.id}): ${poll.error ?? ''}`
    return `closing is held: the list suddenly lost most of its entries in the newest poll (run ${poll.id})`
  }
  if (approved || policy.mode !== 'on' || chosen.length <= policy.maxPerRun) return null
  return holdForApproval(round, chosen)
}

async function holdForApproval(round: Round, chosen: readonly EvaluatedCandidate[]): Promise<string> {
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
    `To close exactly these, run within 24 hours: quotekeeper close-expired --channel ${channel} --approve ${plan}`
  return `held for approval: ${chosen.length} RFQs are past due, more than maxPerRun (${policy.maxPerRun}); plan ${plan}`
}

async function closeOne(round: Round, candidate: Candidate): Promise<void> {
  const { context, run, policy } = round
  context.signal?.throwIfAborted()
  if (run.lost.aborted) throw run.lost.reason
  const read = await readBeforeClose(context, run, candidate)
  if (read === null) {
    const evaluation = { ...evaluateNow(round, candidate), against: ['it changed at every fresh read'] }
    await recordDecision(round, candidate, evaluation, { decision: 'keep' })
    return
  }
  const evaluation = evaluateNow(round, read)
  const clock = clockProblem(read, policy.maxClockSkewSeconds)
  if (clock !== null) {
    evaluation.against.push(clock)
    round.stopReason = `No RFQ was closed: ${clock}.`
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
  const stopped = context.killSwitch()
  if (stopped !== null) {
    round.stopReason = stopped
    await recordDecision(round, read, evaluation, { decision: 'held', reason: stopped, read })
    return
  }
  const intent = await context.store.planClose({
    channel,
    rfqId: read.id,
    runId: run.id,
    evidence: evidenceOf(round, read, evaluation, read),
    now: context.now(),
  })
  const settlement = await closeAndVerify(context, run, intent, (after) => reasonAgainstPost(round, after))
  await recordOutcome(round, read, evaluation, settlement)
}
