import type { UnsettledClose } from '../core/records.js'
import { withRun } from '../store/runs/with-run.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { recordDecision } from './decisions.js'
import { approvalOf, evaluateStored, loadEarlierCloses } from './due-rfqs.js'
import { type EvaluatedRfq, qualifies, type Reason, type ReasonCode } from './evaluate.js'
import { readAndRecord } from './read-rfq.js'
import { createRound, findChannelBlocker, isInScope, loadDecisions, type Round, readList, stepForRfq } from './round.js'
import { attemptClose } from './send-close.js'
import { settle, settleIntent } from './settlement.js'

/** This many RFQs of a kind are named in the error of a run. */
const MAX_NAMED = 5

/**
 * Runs one closing round of one channel (docs/CLOSING.md). It ends without a request if nothing is past due and no intent is open.
 * Otherwise it reads the list, settles the intents that a crash left open, and closes what is past due, one RFQ after another.
 * @returns the run and every decision it recorded; an error of the marketplace makes it partial and is not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export async function closeExpired(context: ClosingContext, policy: ClosingPolicy): Promise<ClosingResult> {
  const { timeZone, byHand = false } = policy
  let round: Round | undefined
  let interruption: string | null = null
  const result = await withRun({ ...context, timeZone, byHand }, 'close', async (run, progress) => {
    round = await createRound(context, policy, run, progress)
    try {
      await closeDue(round)
      await finishRound(round)
    } catch (error) {
      interruption = (error as Error).message
      await finishRound(round).catch(() => undefined) // The database may be what failed; the first error explains more.
      throw error
    } finally {
      reportProgress(round)
    }
  })
  const { decisions, approvalPlan, stop, unsettled, counts } = round as Round
  return { ...result, decisions, approvalPlan, stopReason: stop?.text ?? interruption, unsettled, counts }
}

async function closeDue(round: Round): Promise<void> {
  const { context, channel, policy } = round
  const intents = await context.store.openIntents(channel)
  if (intents.length === 0 && (await dueIds(round)).length === 0) return
  await round.run.step(() => readList(round))
  await loadDecisions(round, [...intents.map(({ rfqId }) => rfqId), ...(policy.retry ?? [])])
  // Those out of scope stay open for the next round, because settling may send a POST.
  for (const { id, rfqId } of intents)
    if (isInScope(round, rfqId))
      await stepForRfq(round, rfqId, async () => {
        // Another round may have settled it before this one got the lock.
        const intent = (await context.store.openIntents(channel)).find((each) => each.id === id)
        if (intent) await settleIntent(round, intent)
      })
  const qualified = await findQualified(round)
  const chosen = qualified.filter(({ id }) => isInScope(round, id))
  const stopped = await findChannelBlocker(round)
  if (chosen.length === 0) return
  const blocker = stopped ?? (policy.mode === 'on' ? findSizeBlocker(round, qualified) : null)
  for (const rfq of chosen) {
    if (blocker !== null) await recordDecision(round, { ...rfq, against: [blocker] })
    else if (round.stop === null) await stepForRfq(round, rfq.document?.number ?? rfq.id, () => closeOne(round, rfq))
  }
  // A person who looks before closing sees what a round would wait for.
  if (policy.byHand && policy.mode === 'dry-run' && round.stop === null) findSizeBlocker(round, qualified)
}

/** The stored RFQs that are not closed and either were due before today or have no known due date, and those that a person named. */
async function dueIds({ context, channel, calendar, policy: { only = [], retry = [] } }: Round): Promise<string[]> {
  const due = await context.store.unclosedRfqs({ channel, dueBefore: calendar.dateAt(context.now()) })
  return [...new Set([...due, ...only, ...retry])]
}

/**
 * Evaluates what is due as stored, and records what is kept open. Returns those that qualify, earliest due date first. Those out of
 * scope are included, because they count towards `maxPerRun`.
 */
async function findQualified(round: Round): Promise<EvaluatedRfq[]> {
  const { context, channel, progress } = round
  const ids = await dueIds(round)
  await loadDecisions(round, ids)
  const qualified: EvaluatedRfq[] = []
  for (const rfq of await evaluateStored(context.store, { channel, ids }, { ...round, now: context.now() })) {
    const { id, state, against } = rfq
    if (round.decided.has(id)) continue
    if (qualifies(rfq)) qualified.push(rfq)
    if (!isInScope(round, id)) continue
    round.evaluated.add(id)
    if (against.some(({ code }) => code === 'document')) progress.invalid++
    if (state === 'closed') round.counts.alreadyClosed++
    else if (!qualifies(rfq)) await recordDecision(round, rfq)
  }
  return qualified.sort(byDueDate)
}

const byDueDate = (a: EvaluatedRfq, b: EvaluatedRfq): number =>
  (a.document?.responseDueDate ?? '').localeCompare(b.document?.responseDueDate ?? '') || a.id.localeCompare(b.id)

/** Why a round of this size is blocked; null if it is small enough, or a person approved or named these RFQs. Also sets the stop reason. */
function findSizeBlocker(round: Round, qualified: readonly EvaluatedRfq[]): Reason | null {
  const { context, policy, channel, calendar } = round
  if (policy.retry !== undefined) return null
  const day = calendar.dateAt(context.now())
  const approval = approvalOf({ channel, day, maxPerRun: policy.maxPerRun }, qualified)
  if (approval === null) return null
  const { plan, reason, command } = approval
  round.isApproved = plan === policy.approvedPlan
  if (round.isApproved) return null
  round.approvalPlan = plan
  const other = policy.approvedPlan === undefined ? '' : `Plan ${policy.approvedPlan} is of other RFQs or another day. `
  const text = `${other}${reason}. To close exactly these, run today: ${command}`
  round.stop = { code: 'max-per-run', text }
  return { code: 'max-per-run', text: reason }
}

async function closeOne(round: Round, known: EvaluatedRfq): Promise<void> {
  const { context, policy } = round
  // Another round may have closed it, or tried to, before this one got the lock.
  const { id } = known
  const { openIntents, closeReplies } = await loadEarlierCloses(context.store, round.channel, [id], context.now())
  const reply = closeReplies.get(id)
  if (openIntents.has(id) || reply?.id !== round.earlier.closeReplies.get(id)?.id) {
    if (reply?.outcome === 'closed' || reply?.outcome === 'already-closed') round.counts.alreadyClosed++
    return
  }
  await readList(round)
  const read = policy.mode === 'on' ? await readAndRecord(round, id) : known
  const { rfq, close } = await attemptClose(round, read, null)
  if (close !== null) return settle(round, close, rfq)
  for (const { code, text } of rfq.against)
    if (code === 'not-sent') round.progress.failures.push({ id: `RFQ ${rfq.document?.number ?? id}`, message: text })
  await recordDecision(round, rfq)
}

// --- the end of a round ---------------------------------------------------------------------------------------------

async function finishRound(round: Round): Promise<void> {
  const { store, now } = round.context
  const repeated = round.repeated.splice(0)
  if (repeated.length > 0) await store.recordRepeats(repeated, now())
  const unsettled = await store.unsettledCloses({ channel: round.channel, now: now() })
  // This round is no longer in progress.
  round.unsettled = unsettled.map((close) => ({ ...close, inProgress: false }))
  const held = [...round.evaluated].flatMap((id) => {
    const decision = round.newestDecisions.get(id)
    const isHeld = (decision?.evidence.codes as ReasonCode[] | undefined)?.includes('uncertain') ?? false
    return decision && isHeld && !unsettled.some(({ rfqId }) => rfqId === id) ? [decision] : []
  })
  if (held.length === 0) return
  const message =
    'past due when a backup was restored; check each, then close it with `quotekeeper close-expired --retry RFQ`'
  round.progress.failures.push({ id: `RFQ ${namesOf(held)}`, message })
}

function reportProgress({ progress, evaluated, counts, stop, unsettled }: Round): void {
  progress.seen = evaluated.size
  progress.changed = counts.closed
  progress.unchanged = evaluated.size - counts.closed
  progress.madeProgress = evaluated.size > 0
  progress.incomplete = stop?.text ?? progress.incomplete
  progress.needsAttention = describeUnsettled(unsettled)
  progress.stop = stop && { code: stop.code, clocks: stop.clocks ?? null }
}

/** `2 RFQs refused (1001, 1002), 1 unknown (1003).`, the same text as long as nothing changes. */
function describeUnsettled(unsettled: readonly UnsettledClose[]): string | null {
  const parts = (['refused', 'unknown', 'failed', 'open'] as const).flatMap((outcome) => {
    const found = unsettled.filter((each) => each.outcome === outcome)
    return found.length === 0
      ? []
      : [`${found.length} ${outcome === 'open' ? 'not settled' : outcome} (${namesOf(found)})`]
  })
  return parts.length === 0 ? null : `RFQs that need attention: ${parts.join(', ')}.`
}

function namesOf(rfqs: readonly { rfqNumber: number | null; rfqId: string }[]): string {
  const names = rfqs.map(({ rfqNumber, rfqId }) => rfqNumber ?? rfqId)
  return (names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names).join(', ')
}
