import { z } from 'zod'
import { countByName, sum } from '../../core/numbers.js'
import type { DecisionRecord, RunRecord } from '../../core/records.js'
import { channelDates } from '../rfqs/rfq-list.js'
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
          .describe('When the newest poll found that the list may not be whole; null otherwise.'),
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
  /** Offers first seen in each of the last weeks, the oldest first. `from`: the first day in UTC, YYYY-MM-DD. */
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
const DAY_MS = 86_400_000

/** The configured channels. */
export const channelViews = (source: ViewSource) => ({
  async channels(now: Date): Promise<ChannelItem[]> {
    const checks = await source.pollChecks(now)
    return Promise.all(
      source.channels.map(async (rules) => {
        const { key: channel, autoClose, timeZone, graceHours } = rules
        const { open, closed, other, overdue } = await countPresent(source, rules, now)
        return {
          ...{ channel, autoClose, timeZone, graceHours },
          polls: checks.filter((each) => each.channel === channel).map(({ channel: _channel, ...check }) => check),
          rfqs: { open, closed, other, overdue },
        }
      }),
    )
  },
  /** Null if it is not configured. */
  async channel({ channel, now }: { channel: string; now: Date }): Promise<ChannelView | null> {
    const rules = source.channels.find(({ key }) => key === channel)
    return rules === undefined ? null : viewOf(source, rules, now)
  },
})

/** Counts the RFQs of a channel that are not missing, and of those the overdue ones by the channel's calendar. */
async function countPresent({ store, rulesOf }: ViewSource, { key }: ChannelRules, now: Date) {
  const { isOverdue } = channelDates(rulesOf(key), now)
  const counts = await store.rfqCounts(key)
  const count = (isCounted: (rfqs: (typeof counts)[number]) => boolean) =>
    sum(counts.map((rfqs) => (isCounted(rfqs) ? rfqs.count : 0)))
  const [all, open] = [count(() => true), count(({ state }) => state === 'open')]
  const closed = count(({ state }) => state === 'closed')
  const overdue = count(({ state, dueDate }) => state === 'open' && isOverdue(dueDate))
  return { all, open, closed, other: all - open - closed, overdue }
}

async function viewOf(source: ViewSource, rules: ChannelRules, now: Date): Promise<ChannelView> {
  const { store } = source
  const { key: channel, timeZone, autoClose, graceHours } = rules
  const days = lastDays(WEEKS * 7, now)
  const [states, present, newOffers, decisions, unsettled, plans, problems, lastClose, runs] = await Promise.all([
    store.countRfqs({ channel }),
    countPresent(source, rules, now),
    store.newOffers({ channel, since: days[0] ?? '' }),
    store.newestDecisions(channel),
    store.unsettledCloses({ channel, now }),
    store.pendingPlans({ channel, now }),
    store.problemCounts({ channel, since: now }),
    store.lastClose(channel),
    store.runs({ channel, limit: 12 }),
  ])
  const rfqs = sum(states.map((each) => each.rfqs))
  const outcomes = decisions.map(({ decision, outcome }) => (outcome === null ? decision : `${decision}: ${outcome}`))
  return {
    ...{ channel, timeZone, autoClose, graceHours, lastClose, runs, rfqs },
    byState: states.map(({ state, rfqs: count }) => ({ state: state ?? 'unknown', rfqs: count })),
    overdue: present.overdue,
    missing: rfqs - present.all,
    weeks: Array.from({ length: WEEKS }, (_, week) => {
      const [from = '', end = ''] = [days[week * 7], days[week * 7 + 6]]
      return { from, offers: sum(newOffers.map(({ day, offers }) => (day >= from && day <= end ? offers : 0))) }
    }),
    closings: countByName(outcomes).map(([decision, count]) => ({ decision, rfqs: count })),
    unsettled: unsettled.length,
    blocked: plans.length,
    problems: problems[0]?.problems ?? 0,
  }
}

/** The last days until today in UTC, YYYY-MM-DD. */
const lastDays = (count: number, now: Date): string[] =>
  Array.from({ length: count }, (_, at) =>
    new Date(now.getTime() - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
