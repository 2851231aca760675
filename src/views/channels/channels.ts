import { z } from 'zod'
import { countByName } from '../../core/numbers.js'
import type { DecisionRecord, RunRecord } from '../../core/records.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { channelKey, count, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'
import type { ChannelRules } from './channel-rules.js'

export const channelItem = z
  .strictObject({
    channel: channelKey,
    autoClose: z.enum(['on', 'dry-run', 'off']),
    timeZone: text,
    graceHours: z.number(),
    polls: z.array(
      z.strictObject({
        kind: z.enum(['listings', 'rfqs']),
        completeAt: timestamp.nullable(),
        ok: z.boolean().describe('Whether one completed within three intervals of the schedule.'),
        message: text,
        lostEntriesAt: timestamp
          .nullable()
          .describe('When the newest poll found that the list had suddenly lost most of its entries; null otherwise.'),
      }),
    ),
    rfqs: z
      .strictObject({ open: count, closed: count, other: count, overdue: count })
      .describe('Without missing ones.'),
  })
  .meta({ id: 'Channel' })
export type ChannelItem = z.infer<typeof channelItem>

/** One channel at a glance. */
export interface ChannelView {
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
  blocked: number
  problems: number
  lastClose: DecisionRecord | null
  /** Newest first. */
  runs: RunRecord[]
}

const WEEKS = 12
const WEEK_MS = 7 * 86_400_000

/** The configured channels. */
export const channelViews = (source: ViewSource) => ({
  async channels(now: Date): Promise<ChannelItem[]> {
    const checks = await source.pollChecks(now)
    const rows = await source.rfqs.rows({ now })
    return source.channels.map(({ key: channel, autoClose, timeZone, graceHours }) => ({
      ...{ channel, autoClose, timeZone, graceHours },
      polls: checks.filter((each) => each.channel === channel).map(({ channel: _channel, ...check }) => check),
      rfqs: countRfqs(rows.filter((row) => row.channel === channel && row.missingSince === null)),
    }))
  },
  /** Null if it is not configured. */
  async channel({ channel, now }: { channel: string; now: Date }): Promise<ChannelView | null> {
    const rules = source.channels.find(({ key }) => key === channel)
    return rules === undefined ? null : viewOf(source, rules, now)
  },
})

function countRfqs(rows: readonly RfqListRow[]) {
  const open = rows.filter(({ state }) => state === 'open').length
  const closed = rows.filter(({ state }) => state === 'closed').length
  return { open, closed, other: rows.length - open - closed, overdue: rows.filter(({ overdue }) => overdue).length }
}

async function viewOf(
  { store, rfqs }: ViewSource,
  { key: channel, timeZone, autoClose, graceHours }: ChannelRules,
  now: Date,
): Promise<ChannelView> {
  const rows = await rfqs.rows({ channel, now })
  const [decisions, unsettled, plans, problems, lastClose, runs] = await Promise.all([
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
    blocked: plans.length,
    problems: problems[0]?.problems ?? 0,
  }
}
