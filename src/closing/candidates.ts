import { approvalOf } from './approval.js'
import { clockProblem } from './clock-skew-check.js'
import { listBlockReason } from './closing-blockers.js'
import { evidenceOf, recordDecision, recordOutcome } from './decisions.js'
import {
  type Candidate,
  type Evaluation,
  evaluateStored,
  openIntentReason,
  type Reason,
  storedCandidate,
} from './evaluate.js'
import { type FreshRead, readAndRecord, readForDryRun } from './fresh-read.js'
import {
  evaluateNow,
  isInScope,
  isRetried,
  loadDecisions,
  type Round,
  sendBlockReason,
  stopForClocks,
  withItemFailures,
} from './round-state.js'
import { readAndSend } from './send-close.js'
import { verifyClose } from './settlement.js'

interface EvaluatedCandidate {
  candidate: Candidate
  evaluation: Evaluation
}

/**
 * Closes the stored RFQs that qualify, or those of them that a person chose, unless the round is blocked
 * (docs/CLOSING.md, rule 5).
 */
export async function closeCandidates(round: Round): Promise<void> {
  const { chosenIds } = round
  const qualified = await findQualified(round)
  const chosen = chosenIds ? qualified.filter(({ candidate }) => chosenIds.has(candidate.id)) : qualified
  if (chosen.length === 0) return
  const blocker = await findBlocker(round, chosen)
  for (const { candidate, evaluation } of chosen) {
    if (!isInScope(round, candidate.id)) continue
    if (blocker !== null) {
      await recordDecision(round, candidate, evaluation, { decision: 'blocked', blocker })
    } else if (round.stop === null) {
      await withItemFailures(round, candidate.id, () => closeOne(round, candidate))
    }
  }
}

/**
 * Evaluates the stored RFQs that are not closed and either were due before today or have no known state or due date, and those that a
 * person named. Returns those that qualify, earliest due date first. Those out of scope are included, because they count towards
 * `maxPerRun`.
 */
async function findQualified(round: Round): Promise<EvaluatedCandidate[]> {
  const { store, now } = round.context
  const { calendar, closeReplies, sentIntents, restoredAt, unresolved, policy } = round
  const qualified: EvaluatedCandidate[] = []
  const intents = await store.openIntents(round.channel)
  const openIntents = new Map(intents.map(({ rfqId }) => [rfqId, unresolved.get(rfqId)]))
  const settled = new Set(round.decisions.filter(({ outcome }) => outcome !== null).map(({ rfqId }) => rfqId))
  const due = await store.unclosedRfqs({ channel: round.channel, dueBefore: calendar.dateAt(now()) })
  const ids = [...new Set([...due, ...(policy.only ?? []), ...(round.chosenIds ?? [])])]
  await loadDecisions(round, ids)
  for (const { rfq } of await store.rfqs({ channel: round.channel, ids, withoutResponses: true })) {
    const candidate = storedCandidate(rfq)
    const evaluation = evaluateStored(candidate, {
      ...{ calendar, graceHours: policy.graceHours, now: now() },
      ...{ openIntents, closeReplies, sentIntents, restoredAt, retried: policy.retry },
    })
    if (evaluation.state === 'closed' || settled.has(rfq.id)) continue
    const inScope = isInScope(round, rfq.id)
    if (inScope) round.evaluated.add(rfq.id)
    if (inScope && evaluation.against.some(({ code }) => code === 'document')) round.invalid++
    if (evaluation.against.length > 0) {
      if (inScope) await recordDecision(round, candidate, evaluation, { decision: 'keep' })
    } else qualified.push({ candidate, evaluation })
  }
  return qualified.sort(byDueDate)
}

const byDueDate = (a: EvaluatedCandidate, b: EvaluatedCandidate): number =>
  (a.evaluation.dueDate ?? '').localeCompare(b.evaluation.dueDate ?? '') || a.candidate.id.localeCompare(b.candidate.id)

/** Why none of the chosen RFQs may be closed, or null. Also sets the stop reason of the round. */
async function findBlocker(round: Round, chosen: readonly EvaluatedCandidate[]): Promise<Reason | null> {
  return (await findChannelBlocker(round)) ?? findSizeBlocker(round, chosen)
}

/** What blocks all closing of the channel now: the kill switch or the newest list. Also sets the stop reason of the round. */
async function findChannelBlocker(round: Round): Promise<Reason | null> {
  const { context, poll } = round
  const stopped = await context.killSwitch()
  if (stopped !== null) {
    round.stop = { code: 'kill-switch', text: stopped }
    return { code: 'kill-switch', text: stopped }
  }
  const listReason = listBlockReason(poll)
  if (listReason === null) return null
  const { code } = listReason
  const details = poll?.error ?? (code === 'mass-loss' ? 'its list may not be whole.' : 'its list was not recorded.')
  round.stop = { code, text: `Closing is blocked by the newest poll (run ${poll?.id}): ${details}` }
  return listReason
}

/** Why a round of this size is blocked; null if it is small enough, or a person approved exactly these RFQs. Also sets the stop reason. */
function findSizeBlocker(round: Round, chosen: readonly EvaluatedCandidate[]): Reason | null {
  const { context, policy, channel, calendar, chosenIds } = round
  if (chosenIds !== null || policy.mode !== 'on') return null
  const rfqs = new Map(chosen.map(({ candidate, evaluation }) => [candidate.id, evaluation]))
  const day = calendar.dateAt(context.now())
  const approval = approvalOf({ channel, day, maxPerRun: policy.maxPerRun }, rfqs)
  if (approval === null) return null
  const { plan, reason, command } = approval
  if (plan === policy.approvedPlan) {
    round.chosenIds = new Set(rfqs.keys())
    return null
  }
  round.approvalPlan = plan
  const other = policy.approvedPlan === undefined ? '' : `Plan ${policy.approvedPlan} is of other RFQs or another day. `
  const text = `${other}${reason}, so none was closed. To close exactly these, run today: ${command}`
  round.stop = { code: 'max-per-run', text }
  return { code: 'max-per-run', text: `blocked until approved: ${reason}; plan ${plan}` }
}

async function closeOne(round: Round, candidate: Candidate): Promise<void> {
  const { context, run, policy } = round
  context.signal?.throwIfAborted()
  if (run.lost.aborted) throw run.lost.reason
  if (policy.mode === 'dry-run') {
    const read = await readForDryRun(context, run, candidate)
    if (read === null) return recordChanging(round, candidate)
    const checked = await checkRead(round, read)
    return checked.kept === null
      ? recordDecision(round, read, checked.evaluation, { decision: 'would-close', read })
      : recordKept(round, read, checked.kept, checked.evaluation)
  }
  await sendClose(round, await readAndRecord(context, run, candidate.id))
}

/** Why an RFQ that was just read is not closed. */
type Kept = { decision: 'keep'; outcome: 'already-closed' | null } | { decision: 'blocked'; blocker: Reason }

/** Evaluates an RFQ that was just read against the newest poll, the clocks and everything that blocks closing. */
async function checkRead(round: Round, read: FreshRead): Promise<{ evaluation: Evaluation; kept: Kept | null }> {
  const { context, policy, channel } = round
  round.poll = await context.store.newestListRead(channel, context.now())
  const evaluation = evaluateNow(round, read)
  // A refusal concerns the document that was read, which may differ from the stored one.
  const reason = sendBlockReason(round, read)
  if (reason !== null) evaluation.against.push(reason)
  const clock = clockProblem(read, policy.maxClockSkewSeconds)
  if (clock !== null) {
    evaluation.against.push({ code: 'clock', text: clock })
    stopForClocks(round, clock)
  }
  if (evaluation.against.length > 0) {
    const outcome = read.state === 'closed' ? ('already-closed' as const) : null
    return { evaluation, kept: { decision: 'keep', outcome } }
  }
  const blocker = await findChannelBlocker(round)
  return { evaluation, kept: blocker && { decision: 'blocked', blocker } }
}

const recordKept = (round: Round, read: FreshRead, kept: Kept, evaluation: Evaluation) =>
  recordDecision(round, read, evaluation, { ...kept, read })

async function recordChanging(round: Round, candidate: Candidate): Promise<void> {
  const against: Reason[] = [{ code: 'changing', text: 'it changed at every fresh read' }]
  await recordDecision(round, candidate, { ...evaluateNow(round, candidate), against }, { decision: 'keep' })
}

async function sendClose(round: Round, known: FreshRead): Promise<void> {
  const { context, run, channel } = round
  const result = await readAndSend<{ kept: Kept; evaluation: Evaluation }>(round, known, async (read) => {
    const { evaluation, kept } = await checkRead(round, read)
    if (kept !== null) return { kept: { kept, evaluation } }
    const intent = await context.store.planClose({
      channel,
      rfqId: read.id,
      runId: run.id,
      evidence: evidenceOf(round, read, evaluation, { read }),
      requested: isRetried(round, read.id),
      now: context.now(),
    })
    return { intent }
  })
  if (result.kind === 'changing') return recordChanging(round, known)
  const { read } = result
  if (result.kind === 'kept') return recordKept(round, read, result.kept.kept, result.kept.evaluation)
  const evaluation = evaluateNow(round, read)
  if (result.kind !== 'sent') {
    evaluation.against.push({
      code: 'not-sent',
      text: `its close was not sent: ${result.reason}; the next round tries again`,
    })
    round.failures.push({
      id: `RFQ ${evaluation.number ?? read.id}`,
      message: `its close was not sent: ${result.reason}`,
    })
    return recordDecision(round, read, evaluation, { decision: 'keep', read })
  }
  const settlement = await verifyClose(round, result)
  if ('unresolved' in settlement) {
    const { unresolved, after } = settlement
    evaluation.against.push(openIntentReason(unresolved))
    await recordDecision(round, after, evaluation, { decision: 'keep', read: after })
  } else await recordOutcome(round, read, evaluation, settlement)
  round.unconfirmed.delete(read.id)
}
