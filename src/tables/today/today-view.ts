import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import type { PollCheck } from '../../readiness/poll-freshness.js'
import type { StateStore } from '../../recommendations/rfq-state.js'
import type { Awards, EventFeed, History, Overview, Reader, RecommendationQueries } from '../../store/contract.js'
import type { ChannelRules } from '../channels/channel-rules.js'
import type { OutlookSource } from '../closings/closing-outlook.js'
import type { RfqList, RfqListRow } from '../rfqs/rfq-list.js'
import { channelKey, count, nullableNumber, nullableText, text, timestamp } from '../schema.js'

const KINDS = {
  refused: 'the newest close of an RFQ was refused',
  unknown: 'it is not known whether it had an effect',
  failed: 'it had no effect',
  unsettled: 'it is not settled',
  blocked: 'a closing round waits for approval',
  behind: 'a channel is not polled as scheduled, or its list may not be whole',
  undelivered: 'notifications were given up',
  problems: 'documents deviate from the API description',
} as const
export type TodayKind = keyof typeof KINDS

const RFQ_KINDS = {
  award: 'what the marketplace shows of an award that the desk recorded',
  overdue: 'past due and still open',
  due: 'due within some days',
  problems: 'its document is not valid, so nothing closes it',
  recommendation: 'another award is recommended than before',
  offers: 'new, changed or withdrawn offers',
  rfqs: 'it is new or changed, without news of offers',
} as const
export type TodayRfqKind = keyof typeof RFQ_KINDS

/** What makes a decision about an RFQ uncertain, or that it is taken; with the words of its badge. */
export const DOUBTS = {
  awarded: 'awarded',
  accepted: 'accepted',
  partial: 'partial',
  'no-comparable-offer': 'no comparable offer',
  'beyond-availability': 'beyond availability',
  loud: 'loud doubts',
  'no-rate': 'no exchange rate',
  unread: 'offers not read',
  changed: 'changed since read',
  invalid: 'data problem',
} as const
export type TodayDoubt = keyof typeof DOUBTS

const describeKinds = (kinds: Readonly<Record<string, string>>) =>
  Object.entries(kinds)
    .map(([kind, meaning]) => `\`${kind}\`: ${meaning}.`)
    .join(' ')
const keysOf = <Key extends string>(of: Readonly<Record<Key, string>>) => Object.keys(of) as [Key, ...Key[]]

const severity = z.enum(['high', 'medium', 'low'])
export type TodaySeverity = z.infer<typeof severity>

const nextStep = z
  .strictObject({ message: text, command: text, path: text })
  .describe('What to do: a command, and the page that does or shows the same.')

const RFQ_MEMBERS = {
  channel: channelKey,
  rfqId: nullableText,
  rfqNumber: nullableNumber,
  rfqTitle: nullableText,
  dueDate: nullableText,
  rfqVersion: z.int().nullable().describe('The version of the RFQ that was current.'),
  rfqObservedAt: timestamp.nullable().describe('When that version was first observed.'),
}

/** Something about closing or the system that a person has to do or look at. */
export const todayItem = z.strictObject({
  kind: z.enum(keysOf(KINDS)).describe(describeKinds(KINDS)),
  severity,
  ...RFQ_MEMBERS,
  message: text.describe('What it is about, in one or two sentences.'),
  since: nullableText.describe('Since when; null if that is not known.'),
  action: nextStep,
})
export type TodayItem = z.infer<typeof todayItem>

/** Everything about one RFQ that a person has to decide or look at. */
export const todayRfq = z.strictObject({
  kind: z.enum(keysOf(RFQ_KINDS)).describe(`Why it is listed; the first of \`kinds\`. ${describeKinds(RFQ_KINDS)}`),
  kinds: z.array(z.enum(keysOf(RFQ_KINDS))).describe('Every reason, most important first.'),
  severity: severity.describe('`low`: only news.'),
  ...RFQ_MEMBERS,
  rfqId: text,
  state: nullableText,
  daysToDue: z.int().nullable().describe('Negative after the due date. Counted in `timeZone`.'),
  timeZone: text.describe("The channel's, in which due dates end at midnight."),
  award: z
    .strictObject({
      source: z.enum(['recorded', 'recommended', 'accepted']),
      offers: z.array(text).describe('Their labels.'),
      tonnes: z.number(),
      pricePerTonne: nullableNumber,
      currency: nullableText,
    })
    .nullable()
    .describe('The award that the desk recorded, or else the recommended one, or else what is accepted.'),
  noAward: nullableText.describe('Why there is none, in one sentence.'),
  maxPricePerTonne: nullableNumber.describe("The RFQ's maximum price per tonne."),
  maxPriceCurrency: nullableText,
  coverage: nullableNumber.describe('The share of the requested tonnes that the award covers, at most 1.'),
  doubts: z.array(z.enum(keysOf(DOUBTS))).describe('What is unsure about the award, and whether it is decided.'),
  note: nullableText.describe(
    'What the marketplace shows of the recorded award, what the list says otherwise, or why no closing round closes it.',
  ),
  changes: z.array(text).describe('What changed since, in sentences; at most two.'),
  moreChanges: count.describe('Further changes.'),
  message: text.describe('All of it in a few sentences.'),
  since: timestamp
    .nullable()
    .describe('When the newest change was observed, or the list that differs; null without one.'),
  action: nextStep,
})
export type TodayRfq = z.infer<typeof todayRfq>

export const todaySummary = z.strictObject({
  open: count.describe('Open RFQs.'),
  values: z
    .array(z.strictObject({ currency: text, rfqs: count, tonnes: z.number(), total: z.number() }))
    .describe('What the recorded or else recommended awards of the open RFQs amount to, by currency.'),
  due: count.describe('Open RFQs that are due within `dueWithinDays`, today included.'),
  overdue: count.describe('Open RFQs that are past due.'),
  waiting: count.describe('RFQs, closings and matters of the system that wait for a person.'),
})

export const todayView = z
  .strictObject({
    asOf: timestamp,
    since: timestamp.describe('What changed after this moment is listed.'),
    dueWithinDays: z.number(),
    summary: todaySummary,
    rfqs: z.array(todayRfq).describe('One row for each RFQ, most urgent first; at most `limit` of them.'),
    totalRfqs: count,
    closings: z.array(todayItem).describe('Closes that went wrong or are not settled, and blocked rounds.'),
    system: z.array(todayItem).describe('Channels that are behind, notifications that were given up, data problems.'),
  })
  .meta({ id: 'Today' })
export type Today = z.infer<typeof todayView>

export interface TodaySource {
  store: Pick<Overview, 'storedChannels'> &
    Pick<EventFeed, 'rfqNews' | 'rfqEvents'> &
    Pick<History, 'problemCounts' | 'rfqs'> &
    OutlookSource['store'] &
    Pick<RecommendationQueries, 'awardStates' | 'attentionRfqs' | 'openValues' | 'creditClaims'> &
    Pick<Awards, 'awards'> &
    StateStore &
    Pick<Reader, 'deadLetters'>
  rfqs: RfqList
  channels: readonly ChannelRules[]
  /** What offers are compared with. */
  settings: Settings
  /** Every poll of every channel. */
  pollChecks: (now: Date) => Promise<PollCheck[]>
  config: OutlookSource['config']
  /** Why a closing round of a channel would close no RFQ at all now, such as a stop file; null if nothing keeps it. */
  findClosingBlocker: (channel: string, now: Date) => Promise<string | null>
  /** What the newest closing round of a channel found of the clocks, if that stopped it. */
  findClockSkewBlock: (channel: string) => Promise<ClockSkewBlock | null>
}

export interface TodayOptions {
  now: Date
  /** What changed since this moment, such as the last visit. */
  since: Date
  /** Default 7. */
  dueWithinDays?: number
  /** Only this channel. */
  channel?: string
  /** Which RFQs, counted from 0. Default: the first 100. */
  page?: { from: number; to: number }
}

export const DUE_WITHIN_DAYS = 7
export const ROWS_PER_PAGE = 100

/** What Today is made from. */
export interface TodayContext extends Required<Pick<TodayOptions, 'now' | 'since' | 'dueWithinDays'>> {
  channel?: string
  source: TodaySource
}

export const keyOf = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`
export const filterOf = ({ channel }: Pick<TodayContext, 'channel'>) => (channel === undefined ? {} : { channel })

/** Those sentences that are not empty. */
export const sentences = (...each: readonly string[]): string => each.filter((sentence) => sentence !== '').join(' ')

export const onChannel = (channel: string) => `--channel ${quoteForShell(channel)}`

/** The part of an item that names an RFQ; the row is unknown if the RFQ is no longer stored, as after a restore. */
export const rfqFields = (channel: string, id: string, row: RfqListRow | undefined, number: number | null = null) => ({
  channel,
  rfqId: id,
  rfqNumber: row?.number ?? number,
  rfqTitle: row?.title ?? null,
  dueDate: row?.responseDueDate ?? null,
  rfqVersion: row?.version ?? null,
  rfqObservedAt: row?.changedAt ?? null,
})

/** The part of an item that is about a channel, not an RFQ. */
export const NO_RFQ = {
  rfqId: null,
  rfqNumber: null,
  rfqTitle: null,
  dueDate: null,
  rfqVersion: null,
  rfqObservedAt: null,
}
