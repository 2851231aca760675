import { channelKey } from '../domain/channel.js'
import { calendarOf } from '../domain/expiry.js'
import type { KnownDocument } from '../domain/records.js'
import { ChannelError, ItemError, MarketplaceError, UnavailableError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import { clockReason } from './clock-skew.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { evidenceOf, recordDecision, recordOutcome } from './decisions.js'
import { PlanError } from './errors.js'
import { type Candidate, type Evaluation, reasonAgainstRetry } from './evaluate.js'
import { type FreshRead, readAndRecord, readBeforeClose } from './fresh-read.js'
import { createRound, evaluateNow, type Round } from './round-state.js'
import { closeAndVerify, MAX_POSTS, settleAsGone, settleByRead } from './settlement.js'

/** A crash's intent is looked into at once, but posted again only when this old, in milliseconds. */
const INTENT_REST_MS = 60_000
/** A held round may be approved this long, in milliseconds. */
const PLAN_LASTS_MS = 24 * 3_600_000

/**
 * One closing round of one channel, by the closing policy of docs/CLOSING.md: what is past due is read afresh, decided
 * with its reasons, its intent stored, sent once, verified by reading, recorded.
 * @returns the run and every decision it recorded; what the marketplace fails at makes it partial, no exception
 * @throws PlanError, RunBusyError, RunLostError, StoreError
 */
export async function closeExpired(context: ClosingContext, policy: ClosingPolicy): Promise<ClosingResult> {
  const channel = channelKey(context.session.channel)
  calendarOf(policy.timeZone) // A zone that is none is refused before anything begins.
  const approved = await approvedIds(context, policy, channel)
  const run = await context.store.beginRun({ channel, kind: 'close', now: context.now() })
  const round = createRound(context, policy, run)
  let stopped: Error | null = null
  try {
    await loadState(round)
    await settleOpenIntents(round)
    await closeCandidates(round, approved)
  } catch (error) {
    stopped = error as Error
  }
  return finishRound(round, stopped)
}

async function approvedIds(
  context: ClosingContext,
  policy: ClosingPolicy,
  channel: string,
): Promise<Set<string> | null> {
  if (policy.approvedPlan === undefined) return null
  const plan = await context.store.findApprovalPlan(policy.approvedPlan, context.now())
  if (plan?.channel === channel) return new Set(plan.rfqIds)
  throw new PlanError(
    `${policy.approvedPlan} is no plan that can be approved for ${channel}: it is unknown, or older than 24 hours. ` +
      'Run close-expired without --approve to get a new one.',
  )
}

async function loadState(round: Round): Promise<void> {
  const { store } = round.context
  const polls = await store.runs({ channel: round.channel, kind: 'rfqs', limit: 50 })
  round.poll = polls.find((poll) => poll.outcome === 'complete' || poll.outcome === 'partial') ?? null
  for (const decision of await store.newestDecisions(round.channel)) round.newestDecisions.set(decision.rfqId, decision)
}

async function finishRound(round: Round, stopped: Error | null): Promise<ClosingResult> {
  const { context, run } = round
  if (run.lost.aborted) throw run.lost.reason
  const closed = round.decisions.filter((decision) => decision.outcome === 'closed').length
  const error = [round.stopReason, stopped?.message, ...round.failures.map(({ id, message }) => `${id}: ${message}`)]
  const troubled =
    stopped !== null || round.stopReason !== null || round.failures.length > 0 || round.approvalPlan !== null
  const ended = run.finish(
    {
      outcome: stopped && round.evaluated.size === 0 ? 'failed' : troubled ? 'partial' : 'complete',
      requests: context.session.requests,
      seen: round.evaluated.size,
      inserted: 0,
      changed: closed,
      unchanged: round.evaluated.size - closed,
      missing: 0,
      invalid: round.invalid,
      error: error.filter((part) => part != null).join(' ') || null,
    },
    context.now(),
  )
  if (stopped && !(stopped instanceof MarketplaceError)) {
    await ended.catch(() => undefined) // The database itself may be what failed; the first error says why.
    throw stopped
  }
  return { run: await ended, decisions: round.decisions, approvalPlan: round.approvalPlan, failures: round.failures }
}

// --- intents that a crash left --------------------------------------------------------------------------------------

async function settleOpenIntents(round: Round): Promise<void> {
  for (const intent of await round.context.store.openIntents(round.channel)) {
    await guarded(round, intent.rfqId, () => settleIntent(round, intent))
  }
}

async function settleIntent(round: Round, intent: CloseIntent): Promise<void> {
  const { context, run, policy } = round
  round.evaluated.add(intent.rfqId)
  const reading = await readUnlessGone(round, intent)
  if (reading === null) return
  const weighing = evaluateNow(round, reading)
  const posted = intent.posts > 0
  if (reading.state === 'open' && posted) {
    const age = context.now().getTime() - Date.parse(intent.sentAt ?? intent.createdAt)
    const against = noPostReason(round, reading, weighing)
    if (intent.posts < MAX_POSTS && against === null && policy.mode === 'on') {
      if (age < INTENT_REST_MS) return
      const settlement = await closeAndVerify(context, run, intent, (after) => noPostReason(round, after))
      await recordOutcome(round, reading, weighing, settlement)
      return
    }
  }
  await recordOutcome(round, reading, weighing, settleByRead(intent, reading))
}

/**
 * Reads the RFQ of an intent. One that cannot be read and that the list does not show any more is gone: its intent is
 * settled as far as anybody can know, and null is returned.
 */
async function readUnlessGone(round: Round, intent: CloseIntent): Promise<FreshRead | null> {
  const { context, run, channel } = round
  try {
    return await readAndRecord(context, run, intent.rfqId)
  } catch (error) {
    if (!(error instanceof ItemError)) throw error
    const found = await context.store.rfqs({ channel, match: intent.rfqId, withoutResponses: true })
    const known = found.find(({ rfq }) => rfq.id === intent.rfqId)?.rfq
    if (known === undefined || known.missingSince === null) throw error
    const now = context.now()
    const gone: FreshRead = { ...toCandidate(known), state: null, readAt: now, answeredAt: now, serverDate: null }
    await recordOutcome(round, gone, evaluateNow(round, gone), settleAsGone(intent, gone, error.message))
    return null
  }
}

// --- candidates -----------------------------------------------------------------------------------------------------

async function closeCandidates(round: Round, approved: ReadonlySet<string> | null): Promise<void> {
  const candidates = await weighStored(round)
  const chosen = approved ? candidates.filter(({ candidate }) => approved.has(candidate.id)) : candidates
  if (chosen.length === 0) return
  const hold = await reasonToHold(round, chosen, approved !== null)
  for (const { candidate, weighing } of chosen) {
    if (hold !== null) await recordDecision(round, candidate, weighing, { decision: 'held', reason: hold })
    else if (round.stopReason === null) await guarded(round, candidate.id, () => closeOne(round, candidate))
  }
}

interface Weighed {
  candidate: Candidate
  weighing: Evaluation
}

/** Weighs everything that is not closed; what qualifies, the earliest due first. */
async function weighStored(round: Round): Promise<Weighed[]> {
  const { store } = round.context
  const due: Weighed[] = []
  const open = new Set((await store.openIntents(round.channel)).map((intent) => intent.rfqId))
  const settled = new Set(round.decisions.filter(({ outcome }) => outcome !== null).map(({ rfqId }) => rfqId))
  for (const { rfq } of await store.rfqs({ channel: round.channel, withoutResponses: true })) {
    const candidate = toCandidate(rfq)
    const weighing = evaluateNow(round, candidate)
    if (weighing.state === 'closed' || settled.has(rfq.id)) continue
    round.evaluated.add(rfq.id)
    if (!candidate.valid) round.invalid++
    if (open.has(rfq.id)) weighing.against.push('an earlier close of it is not settled yet')
    const held = round.policy.byHand
      ? null
      : reasonAgainstRetry(round.newestDecisions.get(rfq.id), candidate.version, round.context.now())
    if (held) weighing.against.push(held)
    if (weighing.against.length > 0) await recordDecision(round, candidate, weighing, { decision: 'keep' })
    else due.push({ candidate, weighing })
  }
  return due.sort(earliestFirst)
}

const earliestFirst = (a: Weighed, b: Weighed): number =>
  (a.weighing.dueDate ?? '').localeCompare(b.weighing.dueDate ?? '') || a.candidate.id.localeCompare(b.candidate.id)

const toCandidate = (rfq: KnownDocument): Candidate => ({
  id: rfq.id,
  body: rfq.body,
  valid: rfq.valid,
  listEntryOnly: rfq.shape !== 'full',
  missingSince: rfq.missingSince,
  version: rfq.version,
  hash: rfq.contentHash,
})

async function reasonToHold(round: Round, chosen: readonly Weighed[], approved: boolean): Promise<string | null> {
  const { context, policy, channel, poll } = round
  const switchedOff = context.killSwitch()
  if (switchedOff !== null) {
    round.stopReason = switchedOff
    return switchedOff
  }
  if (poll?.suspicious) {
    round.stopReason = `The newest poll (run ${poll.id}) is not believed: ${poll.error ?? ''}`
    return `closing is held: the newest poll (run ${poll.id}) lost most of the list and is not believed`
  }
  if (approved || policy.mode !== 'on' || chosen.length <= policy.maxPerRun) return null
  const now = context.now()
  round.approvalPlan = await context.store.createApprovalPlan({
    channel,
    rfqIds: chosen.map(({ candidate }) => candidate.id),
    now,
    expiresAt: new Date(now.getTime() + PLAN_LASTS_MS),
  })
  round.stopReason =
    `${chosen.length} RFQs are past due, more than maxPerRun (${policy.maxPerRun}): none was closed. If that is right, ` +
    `within 24 hours: quotekeeper close-expired --channel ${channel} --approve ${round.approvalPlan}`
  return `held: ${chosen.length} at once are more than maxPerRun (${policy.maxPerRun}); plan ${round.approvalPlan}`
}

async function closeOne(round: Round, candidate: Candidate): Promise<void> {
  const { context, run, policy } = round
  context.signal?.throwIfAborted()
  if (run.lost.aborted) throw run.lost.reason
  const reading = await readBeforeClose(context, run, candidate)
  if (reading === null) {
    const weighing = { ...evaluateNow(round, candidate), against: ['it changed at each of three readings'] }
    await recordDecision(round, candidate, weighing, { decision: 'keep' })
    return
  }
  const weighing = evaluateNow(round, reading)
  const clock = clockReason(policy, reading)
  if (clock !== null) {
    weighing.against.push(clock)
    round.stopReason = `No RFQ was closed: ${clock}.`
  }
  if (weighing.against.length > 0) {
    const outcome = reading.state === 'closed' ? ('already-closed' as const) : null
    await recordDecision(round, reading, weighing, { decision: 'keep', outcome, reading })
    return
  }
  if (policy.mode === 'dry-run') {
    await recordDecision(round, reading, weighing, { decision: 'would-close', reading })
    return
  }
  await post(round, reading, weighing)
}

async function post(round: Round, reading: FreshRead, weighing: Evaluation): Promise<void> {
  const { context, run, channel } = round
  const switchedOff = context.killSwitch()
  if (switchedOff !== null) {
    round.stopReason = switchedOff
    await recordDecision(round, reading, weighing, { decision: 'held', reason: switchedOff, reading })
    return
  }
  const intent = await context.store.planClose({
    channel,
    rfqId: reading.id,
    runId: run.id,
    evidence: evidenceOf(round, reading, weighing, reading),
    now: context.now(),
  })
  const settlement = await closeAndVerify(context, run, intent, (after) => noPostReason(round, after))
  await recordOutcome(round, reading, weighing, settlement)
}

/** Why no POST may follow a reading, or null. */
function noPostReason(round: Round, reading: FreshRead, weighing = evaluateNow(round, reading)): string | null {
  return weighing.against[0] ?? clockReason(round.policy, reading) ?? round.context.killSwitch()
}

/** A failure on one RFQ is its own, unless it concerns the channel or the run. */
async function guarded(round: Round, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof ItemError || error instanceof ChannelError)) throw error
    round.failures.push({ id: `RFQ ${id}`, message: error.message })
    if (error instanceof ChannelError) round.stopReason = error.message
  }
}
