import type { ApprovalPlan, DecisionRecord, KnownDocument, UnsettledClose } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import { isExpired } from '../../core/time/expiry.js'
import { factsOf } from '../../recommendations/rfq-facts.js'
import type { Closings } from '../../store/contract.js'
import { type ChannelRules, createRulesLookup } from '../channels/channel-rules.js'
import { channelDates, dueOf, type RfqListRow } from '../rfqs/rfq-list.js'
import type { TodaySource } from '../today/today-view.js'

/** Whether the next closing round closes an open RFQ that is past due. */
export interface ClosingOutlook {
  message: string
  /** The next closing round may close it, without a person. */
  isClosable: boolean
}

/** What is known of closing on the channel of an RFQ, and of the RFQ. */
interface OutlookFacts {
  autoClose: ChannelRules['autoClose']
  /** Why a closing round would close nothing, such as a stop file. */
  blocker: string | null
  clocks: ClockSkewBlock | null
  /** Why the newest round kept it open, though it was past due. */
  kept: string | undefined
}

/** An RFQ, as far as it matters to closing. */
type DueRfq = Pick<RfqListRow, 'state' | 'daysToDue' | 'overdue' | 'valid'>

/** What the next closing round will do about an RFQ that is past due, if no close of it was sent or is blocked. */
export function nextRoundPrediction(
  row: Pick<DueRfq, 'valid'>,
  { autoClose, blocker, clocks, kept }: OutlookFacts,
): ClosingOutlook {
  const isClosing = autoClose === 'on' && blocker === null && clocks === null
  const isClosable = isClosing && row.valid && kept === undefined
  const channel =
    blocker !== null ? blockerMessage(blocker) : clocks !== null ? clockText(clocks) : CLOSING_TEXT[autoClose]
  if (row.valid) return { message: kept ? `${channel} Kept open: ${sentence(kept)}` : channel, isClosable }
  const reason = 'Its document is not valid, so it is never closed.'
  return { message: isClosing ? reason : `${channel} ${reason}`, isClosable }
}

/** Why a decision kept an RFQ open that was past due; undefined if it did not. */
export function keptReason(
  decision: DecisionRecord,
  { calendar, graceHours }: ReturnType<ReturnType<typeof createRulesLookup>>,
  clocks: ClockSkewBlock | null,
): string | undefined {
  const { dueDate, decidedAt, repeatedUntil } = decision
  // A decision made before the RFQ was past due says nothing about why it is open now.
  const wasPastDue = dueDate !== null && isExpired(dueDate, calendar, graceHours, new Date(repeatedUntil ?? decidedAt))
  if (decision.decision !== 'keep' || !wasPastDue) return undefined
  return clocks === null ? decision.reason : reasonWithoutClock(decision)
}

/** Empty if there is no other: what the clocks showed then may not be so any more. */
function reasonWithoutClock({ evidence: { codes, against }, reason }: DecisionRecord): string {
  if (!Array.isArray(codes) || !Array.isArray(against)) return reason
  return against.filter((_, at) => codes[at] !== 'clock').join('; ')
}

/** The state of a close without a final outcome, and what to do about it. */
export function unsettledText({ outcome, inProgress, reason, remedy }: UnsettledClose, clocks: ClockSkewBlock | null) {
  const waits = outcome === 'open' && !inProgress && clocks !== null ? ` ${clockText(clocks)}` : ''
  const facts = `${sentence(reason)} ${sentence(remedy)}${waits}`
  return inProgress ? facts : `${UNSETTLED_MESSAGES[outcome]}: ${facts}`
}

const UNSETTLED_MESSAGES: Record<UnsettledClose['outcome'], string> = {
  refused: 'The marketplace refused to close it',
  unknown: 'It is unknown whether the close took effect',
  failed: 'The close had no effect',
  open: 'A close is not settled',
}

const sentence = (text: string) => {
  const trimmed = text.trim()
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}

/** That a closing round waits for approval, and what keeps it from closing anything even then. */
export const blockedRoundMessage = ({ rfqIds, expiresAt }: ApprovalPlan, blocker: string | null): string =>
  [
    `A closing round of ${formatCount(rfqIds.length, 'RFQ')} waits for approval until ${minuteOf(expiresAt)} UTC.`,
    ...(blocker === null ? [] : [blockerMessage(blocker)]),
  ].join(' ')

const minuteOf = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ')

/** Why nothing is closed on a channel at the moment. */
export const blockerMessage = (blocker: string) => `Closing is stopped, so nothing is closed: ${blocker}.`

/** Why nothing is closed on a channel until its clocks agree; amounts are those of its newest closing round. */
export const clockText = ({ problem, isCompared, at }: ClockSkewBlock) =>
  `${isCompared ? 'The clocks differ, so nothing is closed until they agree' : 'The clocks cannot be compared, so nothing is closed until they can'}: ` +
  `${problem}, at the closing round of ${minuteOf(at)} UTC. \`quotekeeper check\` compares them now.`

const CLOSING_TEXT: Record<ChannelRules['autoClose'], string> = {
  on: 'The next closing round evaluates it.',
  'dry-run': 'The channel is set to dry-run, so nothing closes it.',
  off: 'Closing is off for the channel, so nothing closes it.',
}

interface OutlookSource extends Pick<TodaySource, 'channels' | 'findClosingBlocker' | 'findClockSkewBlock'> {
  store: Pick<Closings, 'unsettledCloses' | 'pendingPlans' | 'decisions'>
}

/**
 * What becomes of an RFQ, as `today` says it of all that are past due.
 * @returns null if it is not past due, or missing from the channel
 */
export async function closingOutlook(
  { store, channels, findClosingBlocker, findClockSkewBlock }: OutlookSource,
  rfq: KnownDocument,
  now: Date,
): Promise<ClosingOutlook | null> {
  const { channel, id } = rfq
  if (rfq.missingSince !== null) return null
  const rules = createRulesLookup(channels)(channel)
  const facts = factsOf(rfq)
  const row: DueRfq = { ...facts, ...dueOf(facts, channelDates(rules, now)), valid: rfq.valid }
  const { autoClose, graceHours } = rules
  if (!row.overdue) return graceOutlook(row, graceHours)
  const isOn = autoClose === 'on'
  const clocks = isOn ? await findClockSkewBlock(channel) : null
  const unsettled = (await store.unsettledCloses({ channel, now })).find(({ rfqId }) => rfqId === id)
  if (unsettled !== undefined) return { message: unsettledText(unsettled, clocks), isClosable: unsettled.inProgress }
  const blocker = isOn ? await findClosingBlocker(channel, now) : null
  const held = (await store.pendingPlans({ channel, now })).find(({ rfqIds }) => rfqIds.includes(id))
  if (held !== undefined) return { message: blockedRoundMessage(held, blocker), isClosable: false }
  const [decision] = await store.decisions({ channel, rfqId: id, limit: 1 })
  const kept = decision && keptReason(decision, rules, clocks)
  return nextRoundPrediction(row, { autoClose, blocker, clocks: blocker === null ? clocks : null, kept })
}

function graceOutlook({ state, daysToDue }: DueRfq, graceHours: number): ClosingOutlook | null {
  if (state !== 'open' || daysToDue === null || daysToDue >= 0 || graceHours === 0) return null
  return {
    message: `Nothing closes it before its grace of ${formatCount(graceHours, 'hour')} has passed.`,
    isClosable: true,
  }
}
