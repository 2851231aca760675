import { daysBetween } from '../../compare/date-math.js'
import { byCodeUnit } from '../../core/numbers.js'
import { addDays } from '../../core/time/calendar-days.js'
import type { AttentionRfq, OpenValue, RfqNews } from '../../store/contract.js'
import { createRulesLookup } from '../channels/channel-rules.js'
import { type ChannelDates, channelDates } from '../rfqs/rfq-list.js'
import { filterOf, keyOf, type TodayContext, type TodaySeverity } from './today-view.js'

/** An RFQ that has a row, as far as that decides where. */
export interface Candidate extends AttentionRfq {
  severity: TodaySeverity
  daysToDue: number | null
  overdue: boolean
  news: RfqNews | undefined
}

/** Which RFQs have a row, and the figures of all open ones. */
export interface Candidates {
  /** Most urgent first. */
  rows: Candidate[]
  open: readonly OpenValue[]
  due: number
  overdue: number
}

/**
 * Finds the RFQs that need attention. Reads a few columns of each, and no document.
 * @param closing `keyOf` RFQs whose closing is listed apart, so that they are not overdue here
 */
export async function findCandidates(context: TodayContext, closing: ReadonlySet<string>): Promise<Candidates> {
  const { source, since, now } = context
  const news = await source.store.rfqNews({ ...filterOf(context), since, until: now })
  const found = await readRfqs(context, news)
  const byRfq = new Map(news.map((each) => [keyOf({ channel: each.channel, id: each.rfqId }), each]))
  const datesOf = createDates(context)
  const all = found.map((rfq): Candidate => {
    const key = keyOf({ channel: rfq.channel, id: rfq.rfqId })
    const dates = datesOf(rfq.channel)
    const isOpen = rfq.state === 'open' && rfq.missingSince === null
    const timing = {
      daysToDue: daysBetween(dates.today, rfq.dueDate),
      overdue: isOpen && dates.isOverdue(rfq.dueDate),
    }
    const made = { ...rfq, ...timing, news: byRfq.get(key) }
    return { ...made, severity: severityOf(made, isOpen, closing.has(key), context.dueWithinDays) }
  })
  const isDue = ({ state, missingSince, daysToDue, overdue }: Candidate) =>
    state === 'open' && missingSince === null && !overdue && daysToDue !== null && daysToDue <= context.dueWithinDays
  return {
    rows: all.filter(hasRow).sort(byUrgency),
    open: await source.store.openValues(filterOf(context)),
    due: all.filter(isDue).length,
    overdue: all.filter(({ overdue }) => overdue).length,
  }
}

type Timed = Omit<Candidate, 'severity'>

/** How urgent an RFQ is, whatever the words about it. */
function severityOf(
  { attention, overdue, daysToDue, news, isAwarded }: Timed,
  isOpen: boolean,
  isClosing: boolean,
  dueWithinDays: number,
): TodaySeverity {
  const days = isOpen && daysToDue !== null && !(overdue && isClosing) ? daysToDue : Number.POSITIVE_INFINITY
  if (attention === 2 || days <= 1) return 'high'
  if (attention === 1 || days <= dueWithinDays) return 'medium'
  return isOpen && !isAwarded && news?.isRecommendationChanged ? 'medium' : 'low'
}

/** News of the offers of a closed RFQ concern nobody, unless the desk awarded it. */
const hasRow = ({ severity, state, isAwarded, news }: Candidate): boolean =>
  severity !== 'low' || (news !== undefined && (state === 'open' || isAwarded || news.isChanged))

const SEVERITIES: readonly TodaySeverity[] = ['high', 'medium', 'low']

/** By severity; then open ones first, due soonest first; then the others, newest number first. */
function byUrgency(a: Candidate, b: Candidate): number {
  const closed = ({ state }: Candidate) => (state === 'open' ? 0 : 1)
  const due = ({ state, dueDate }: Candidate) => (state === 'open' ? (dueDate ?? '9999') : '')
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    closed(a) - closed(b) ||
    byCodeUnit(due(a), due(b)) ||
    (b.number ?? -1) - (a.number ?? -1) ||
    byCodeUnit(a.channel, b.channel) ||
    byCodeUnit(a.rfqId, b.rfqId)
  )
}

/** Slow to create, so created once for each channel. */
function createDates({ source, now }: TodayContext): (channel: string) => ChannelDates {
  const rulesOf = createRulesLookup(source.channels)
  const known = new Map<string, ChannelDates>()
  return (channel) => {
    const dates = known.get(channel) ?? channelDates(rulesOf(channel), now)
    known.set(channel, dates)
    return dates
  }
}

function readRfqs(context: TodayContext, news: readonly RfqNews[]): Promise<AttentionRfq[]> {
  const { source, now, dueWithinDays } = context
  return source.store.attentionRfqs({
    ...filterOf(context),
    // In whatever time zone the channel is.
    dueBy: addDays(now.toISOString().slice(0, 10), dueWithinDays + 1),
    others: news,
  })
}
