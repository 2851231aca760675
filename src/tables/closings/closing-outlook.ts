import { type Approval, previewCloses } from '../../closing/due-rfqs.js'
import type { EvaluatedRfq, ReasonCode } from '../../closing/evaluate.js'
import { parseStoredRfq } from '../../compare/input/stored-documents.js'
import { rfqFacts } from '../../compare/rfq/rfq-terms.js'
import { retryCommand } from '../../core/close-intent.js'
import type { UnsettledClose } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import { formatMinute } from '../../core/time/clock.js'
import type { ChannelRules } from '../channels/channel-rules.js'
import type { Fact } from '../column.js'
import { findRfq, type RfqAddress } from '../find-rfq.js'
import type { ViewSource } from '../source.js'

/** What keeps closing rounds from closing any RFQ of a channel. */
interface ChannelStop {
  code: 'off' | 'dry-run' | 'stopped' | 'clocks' | 'approval'
  /** One sentence. */
  message: string
  /** What a person can do about it, if that is a command. */
  command: string | null
}

/**
 * What the next closing round of a channel will do, by the evaluation of rounds (docs/CLOSING.md).
 * @param rfqs.ids default: all that are past due, or have a close that is not settled
 * @returns RFQs by their id; those that are not stored are left out
 */
export async function closingOutlook(
  source: ViewSource,
  { channel, ids }: { channel: string; ids?: readonly string[] },
  now: Date,
) {
  const { store, rulesOf, config } = source
  const rules = rulesOf(channel)
  const closes = new Map((await store.unsettledCloses({ channel, now })).map((close) => [close.rfqId, close]))
  const wanted = { channel, ids, others: [...closes.keys()] }
  const { rfqs, approval } = await previewCloses(store, wanted, { ...config.closing, ...rules }, now)
  const isShown = ({ id, against }: EvaluatedRfq) =>
    ids !== undefined || closes.has(id) || !against.some(({ code }) => NOT_DUE_CODES.has(code))
  return {
    stop: await stopOf(source, rules, approval),
    rfqs: new Map(rfqs.filter(isShown).map((rfq) => [rfq.id, rfqOutlook(channel, rfq, closes.get(rfq.id) ?? null)])),
  }
}

/** Whether the next closing round closes an RFQ, were it not for a stop of the channel. */
function rfqOutlook(channel: string, rfq: EvaluatedRfq, close: UnsettledClose | null) {
  const { id, against } = rfq
  const [first] = against
  const retry = retryCommand(channel, id)
  return {
    /** The reasons for and against closing it; it qualifies if there is none against. */
    for: rfq.for,
    against: against.map(({ text }) => text),
    /** Why it is kept open, in one sentence; null if it qualifies. */
    why: first === undefined ? null : sentence(first.text),
    /** What a person can do about that, in one sentence; null if there is nothing to do. */
    remedy: close === null ? null : sentence(close.remedy.replace(`with: ${retry}`, 'with --retry')),
    /** The command that does it, for this RFQ only. */
    command: first !== undefined && RETRY_CODES.has(first.code) ? retry : null,
    /** Its newest close, if that was refused, had no certain effect or is not settled. */
    close,
  }
}

/** Reasons against of RFQs of which nobody can say that they are open and past due. */
const NOT_DUE_CODES: ReadonlySet<ReasonCode> = new Set(['state', 'due-date', 'not-past-due', 'missing'])

/** Reasons against that only a person who asks for the close again removes. */
const RETRY_CODES: ReadonlySet<ReasonCode> = new Set(['refused', 'uncertain', 'daily-limit'])

/** What keeps a channel from closing anything; the first that a person has to remove. */
async function stopOf(
  { store, findClosingBlocker }: ViewSource,
  { key, autoClose }: Pick<ChannelRules, 'key' | 'autoClose'>,
  approval: Approval | null,
): Promise<ChannelStop | null> {
  if (autoClose !== 'on') return { code: autoClose, message: MODE_TEXTS[autoClose], command: null }
  const blocker = await findClosingBlocker(key)
  if (blocker !== null)
    return { code: 'stopped', message: `Closing is stopped, so nothing is closed: ${blocker}.`, command: null }
  const round = await store.newestRun({ channel: key, kind: 'close' })
  if (round?.finishedAt && round.stop?.clocks) {
    const at = `at the closing round of ${formatMinute(round.finishedAt)} UTC`
    const message = `Nothing is closed until the clocks agree: ${round.stop.clocks}, ${at}.`
    return { code: 'clocks', message, command: 'quotekeeper check' }
  }
  return approval && { code: 'approval', message: sentence(approval.reason), command: approval.command }
}

const MODE_TEXTS = {
  off: 'Closing is off for the channel, so nothing is closed.',
  'dry-run': 'The channel is set to dry-run, so nothing is closed.',
}

/** Maximum number of closings shown for one RFQ; older ones are left out. */
const MAX_CLOSINGS = 100

/**
 * What closing rounds decided about an RFQ, newest first, and what the next one will do. If more than `maxPerRun` RFQs are due, every one
 * of the channel is read, because such a round is blocked.
 * @throws FilterError for a name that leads to no RFQ
 */
export async function rfqClosing(source: ViewSource, address: RfqAddress) {
  const { store, rulesOf } = source
  const { rfq, channel, id, name } = await findRfq(store, { ...address, withoutResponses: true })
  const { title, state, responseDueDate } = rfqFacts(parseStoredRfq(rfq))
  const { timeZone, graceHours, autoClose } = rulesOf(channel)
  const { stop, rfqs } = await closingOutlook(source, { channel, ids: [id] }, address.now)
  const outlook = rfqs.get(id) as ReturnType<typeof rfqOutlook>
  const { why, remedy } = outlook
  const facts: Fact[] = [
    { label: 'State', kind: 'state', value: state },
    { label: 'Due', kind: 'date', value: responseDueDate },
    { label: 'Time zone', kind: 'text', value: timeZone },
    { label: 'Grace', kind: 'text', value: graceHours === 0 ? null : formatCount(graceHours, 'hour') },
    { label: 'autoClose', kind: 'text', value: autoClose },
  ]
  return {
    ...{ channel, id, name, title, state, facts, stop, outlook },
    /** Whether the next closing round closes it, and else the one reason that counts most. */
    message:
      why === null ? (stop?.message ?? 'The next closing round closes it.') : [why, remedy].filter(Boolean).join(' '),
    decisions: await store.decisions({ channel, rfqId: id, limit: MAX_CLOSINGS }),
  }
}
export type RfqClosing = Awaited<ReturnType<typeof rfqClosing>>

/** With a capital and a full stop. */
export function sentence(text: string): string {
  const capitalized = text.trim().replace(/^./, (first) => first.toUpperCase())
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}
