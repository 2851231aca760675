import { countByName } from '../../core/numbers.js'
import type { DecisionRecord, RunRecord } from '../../core/records.js'
import type { Closings, History, Overview, RunQueries } from '../../store/contract.js'
import type { RfqList } from '../rfqs/rfq-list.js'
import type { ChannelRules } from './channel-rules.js'

/** One channel at a glance. */
export interface ChannelPageModel {
  channel: string
  timeZone: string
  autoClose: ChannelRules['autoClose']
  graceHours: number
  rfqs: number
  /** By state as received, sorted. */
  byState: { state: string; rfqs: number }[]
  overdue: number
  missing: number
  /** Offers first seen in each of the last weeks, the oldest first. */
  weeks: { from: string; offers: number }[]
  /** The newest decision about each RFQ, by decision and outcome. */
  closings: { decision: string; rfqs: number }[]
  unsettled: number
  held: number
  problems: number
  lastClose: DecisionRecord | null
  /** Newest first. */
  runs: RunRecord[]
}

export interface ChannelPageSource {
  store: Pick<Overview, 'offerRevisions'> &
    Pick<RunQueries, 'runs'> &
    Pick<History, 'problemCounts'> &
    Pick<Closings, 'newestDecisions' | 'lastClose' | 'unsettledCloses' | 'pendingPlans'>
  rfqs: RfqList
}

const WEEKS = 12
const WEEK_MS = 7 * 86_400_000

/** One channel at a glance, now. */
export async function channelPageModel(
  { store, rfqs }: ChannelPageSource,
  { key: channel, timeZone, autoClose, graceHours }: ChannelRules,
  now: Date,
): Promise<ChannelPageModel> {
  const rows = await rfqs.rows({ channel, now })
  const [decisions, unsettled, held, problems, lastClose, runs] = await Promise.all([
    store.newestDecisions(channel),
    store.unsettledCloses({ channel, now }),
    store.pendingPlans({ channel, now }),
    store.problemCounts({ channel, since: now }),
    store.lastClose(channel),
    store.runs({ channel, limit: 12 }),
  ])
  const weeks = await Promise.all(
    Array.from({ length: WEEKS }, async (_, at) => {
      const after = new Date(now.getTime() - (WEEKS - at) * WEEK_MS)
      const asOf = new Date(after.getTime() + WEEK_MS)
      const revisions = await store.offerRevisions({ channel, after, asOf })
      return { from: after.toISOString(), offers: revisions.reduce((sum, { added }) => sum + added, 0) }
    }),
  )
  const outcomes = decisions.map(({ decision, outcome }) => (outcome === null ? decision : `${decision}: ${outcome}`))
  return {
    ...{ channel, timeZone, autoClose, graceHours, weeks, lastClose, runs },
    rfqs: rows.length,
    byState: countByName(rows.map(({ state }) => state ?? 'unknown')).map(([state, count]) => ({ state, rfqs: count })),
    overdue: rows.filter(({ overdue }) => overdue).length,
    missing: rows.filter(({ missingSince }) => missingSince !== null).length,
    closings: countByName(outcomes).map(([decision, count]) => ({ decision, rfqs: count })),
    unsettled: unsettled.length,
    held: held.length,
    problems: problems[0]?.problems ?? 0,
  }
}
