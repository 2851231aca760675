import { z } from 'zod'
import type { AwardRecord } from '../../core/decision/award-record.js'
import type { Settings } from '../../core/decision/settings.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import type { PollCheck } from '../../readiness/poll-freshness.js'
import type { StateStore } from '../../recommendations/rfq-state.js'
import type { Awards, Closings, History, Overview, Reader, RecommendationQueries, Runs } from '../../store/contract.js'
import type { ChannelRules } from '../channels/channel-rules.js'
import type { RfqList, RfqListRow } from '../rfqs/rfq-list.js'
import { channelKey, incomplete, nullableNumber, nullableText, text, timestamp } from '../schema.js'

const KINDS = {
  refused: 'the newest close of an RFQ was refused',
  unknown: 'it is not known whether it had an effect',
  failed: 'it had no effect',
  unsettled: 'it is not settled',
  blocked: 'a closing round waits for approval',
  overdue: 'past due and still open',
  award: 'what the marketplace shows of an award that the desk recorded',
  behind: 'a channel is not polled as scheduled, or its list suddenly lost most of its entries',
  undelivered: 'notifications were given up',
  due: 'due within some days',
  listed: 'a newer list says something else than was read of an RFQ',
  offers: 'new, changed or withdrawn offers',
  rfqs: 'RFQs that are new or changed, without news of offers',
  recommendation: 'another award is recommended than before',
  problems: 'documents deviate from the API description',
} as const
export type TodayKind = keyof typeof KINDS

/** Something that a person has to decide or look at. */
export const todayItem = z.strictObject({
  kind: z.enum(Object.keys(KINDS) as [TodayKind, ...TodayKind[]]).describe(
    Object.entries(KINDS)
      .map(([kind, meaning]) => `\`${kind}\`: ${meaning}.`)
      .join(' '),
  ),
  severity: z.enum(['high', 'medium', 'low']),
  channel: channelKey,
  rfqId: nullableText,
  rfqNumber: nullableNumber,
  rfqTitle: nullableText,
  dueDate: nullableText,
  rfqVersion: z.int().nullable().describe('The version of the RFQ that was current.'),
  rfqObservedAt: timestamp.nullable().describe('When that version was first observed.'),
  message: text.describe('What it is about, in one or two sentences.'),
  since: nullableText.describe('Since when; null if that is not known.'),
  action: z
    .strictObject({ message: text, command: text, path: text })
    .describe('What to do: a command, and the page that does or shows the same.'),
})
export type TodayItem = z.infer<typeof todayItem>

export const todayView = z
  .strictObject({
    asOf: timestamp,
    incomplete,
    since: timestamp.describe('RFQs and offers that changed after this moment are listed.'),
    dueWithinDays: z.number(),
    items: z.array(todayItem).describe('Most urgent first.'),
  })
  .meta({ id: 'Today' })
export type Today = z.infer<typeof todayView>

export interface TodaySource {
  store: Pick<Overview, 'offerRevisions' | 'foundByFirstPoll' | 'revisions' | 'storedChannels'> &
    Pick<Runs, 'firstPollAt' | 'runs'> &
    Pick<History, 'problemCounts' | 'rfqs'> &
    Pick<Closings, 'unsettledCloses' | 'pendingPlans' | 'newestDecisions'> &
    Pick<RecommendationQueries, 'awardStates' | 'recommendationChanges'> &
    Pick<Awards, 'awards'> &
    StateStore &
    Pick<Reader, 'deadLetters'>
  rfqs: RfqList
  channels: readonly ChannelRules[]
  /** What offers are compared with. */
  settings: Settings
  /** Every poll of every channel. */
  pollChecks: (now: Date) => Promise<PollCheck[]>
  /** Why a closing round of a channel would close no RFQ at all now, such as a stop file; null if nothing keeps it. */
  findClosingBlocker: (channel: string, now: Date) => Promise<string | null>
  /** What the newest closing round of a channel found of the clocks, if that stopped it. */
  findClockSkewBlock: (channel: string) => Promise<ClockSkewBlock | null>
}

export interface TodayOptions {
  now: Date
  /**
   * What needed a person at a past moment, as far as that is recorded: RFQs that were overdue or due, those of which
   * the list said something else, and news. Default: the present.
   */
  asOf?: Date
  /** New and changed RFQs and offers since this moment, such as the last visit. */
  since: Date
  /** Default 7. */
  dueWithinDays?: number
  /** Only this channel. */
  channel?: string
}

export const DUE_WITHIN_DAYS = 7

/** What the items are made from. `now`: the moment that they are about. */
export interface TodayContext extends Required<Pick<TodayOptions, 'now' | 'since' | 'dueWithinDays'>> {
  asOf?: Date
  channel?: string
  source: TodaySource
  channels: readonly string[]
  /** At least the RFQs that are due, overdue, new, changed, gone or contradicted by the list. */
  rows: readonly RfqListRow[]
  /** The awards of the desk that stand, by `keyOf` of their RFQs. */
  awarded: ReadonlyMap<string, AwardRecord>
  /** Finds the rows of RFQs, also of those that are not among `rows`; by `keyOf`. RFQs that are no longer stored are absent. */
  rowsOf: (rfqs: readonly { channel: string; rfqId: string }[]) => Promise<ReadonlyMap<string, RfqListRow>>
}

export const keyOf = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`
export const filterOf = ({ channel }: Pick<TodayContext, 'channel'>) => (channel === undefined ? {} : { channel })

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

/** Those sentences that are not empty. */
export const sentences = (...each: readonly string[]): string => each.filter((sentence) => sentence !== '').join(' ')

export const onChannel = (channel: string) => `--channel ${quoteForShell(channel)}`

/** The part of an item that is about a channel, not an RFQ. */
export const NO_RFQ = {
  rfqId: null,
  rfqNumber: null,
  rfqTitle: null,
  dueDate: null,
  rfqVersion: null,
  rfqObservedAt: null,
}
