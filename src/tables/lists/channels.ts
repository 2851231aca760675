import type { PollCheck } from '../../readiness/poll-freshness.js'
import { dueOf } from '../channels/channel-rules.js'
import { column } from '../column.js'
import { channelFilter } from '../filter.js'
import { type List, wholePage } from '../list.js'
import { type ChannelFreshness, pollProblem, pollViews } from '../polls.js'
import type { ViewSource } from '../source.js'

type RfqCounts = Awaited<ReturnType<ViewSource['store']['rfqCounts']>>

/** A configured channel: when its newest complete polls ended, which are behind, and its RFQs that are not missing by state. */
async function channelRow(source: ViewSource, freshness: ChannelFreshness, checks: readonly PollCheck[], now: Date) {
  const { channel } = freshness
  const rules = source.rulesOf(channel)
  const { timeZone, graceHours, autoClose } = rules
  return {
    ...{ ...freshness, timeZone, graceHours, autoClose },
    polls: checks.filter((check) => check.channel === channel),
    ...countRfqs(await source.store.rfqCounts(channel), rules, now),
  }
}
export type ChannelRow = Awaited<ReturnType<typeof channelRow>>

/** The configured channels, and how fresh they are. */
export const channels: List<ChannelRow> = {
  name: 'channels',
  title: 'Channels',
  about: 'The configured channels, with their newest complete polls and their RFQs by state.',
  empty: 'No channel is configured.',
  columns: [
    column('channel', 'Channel', 'text', 9, ({ channel }) => channel),
    column('state', 'Polls', 'state', 9, stateOf),
    column('rfqsAt', 'RFQs polled', 'moment', 8, ({ rfqsAt }) => rfqsAt),
    column('listingsAt', 'Listings polled', 'moment', 6, ({ listingsAt }) => listingsAt),
    column(
      'message',
      'Behind',
      'text',
      8,
      ({ polls }) => polls.flatMap((each) => pollProblem(each) ?? []).join(' ') || null,
    ),
    column('autoClose', 'Closing', 'text', 8, ({ autoClose }) => autoClose),
    column('open', 'Open', 'count', 9, ({ open }) => open),
    column('overdue', 'Overdue', 'count', 9, ({ overdue }) => overdue),
    column('closed', 'Closed', 'count', 7, ({ closed }) => closed),
    column('other', 'Other', 'count', 0, ({ other }) => other),
    column('timeZone', 'Time zone', 'text', 4, ({ timeZone }) => timeZone),
    column('graceHours', 'Grace, hours', 'count', 3, ({ graceHours }) => graceHours),
  ],
  filters: [channelFilter()],
  async read(source, { now, filters }) {
    const only = filters.channel?.parameters.channel
    const [checks, freshness] = await Promise.all([source.pollChecks(now), pollViews(source).freshness()])
    const shown = freshness.filter(({ channel }) => only === undefined || channel === only)
    return wholePage(await Promise.all(shown.map((each) => channelRow(source, each, checks, now))))
  },
}

/** How many RFQs of a channel are in each state; states that are not in the API description are `other`. */
export function countRfqs(counts: RfqCounts, rules: ReturnType<ViewSource['rulesOf']>, now: Date) {
  const count = (isCounted: (rfqs: RfqCounts[number]) => boolean) =>
    counts.reduce((sum, rfqs) => sum + (isCounted(rfqs) ? rfqs.count : 0), 0)
  const [all, open] = [count(() => true), count(({ state }) => state === 'open')]
  const closed = count(({ state }) => state === 'closed')
  const overdue = count((rfqs) => dueOf(rfqs, rules, now).overdue)
  return { open, closed, other: all - open - closed, overdue }
}

function stateOf({ polls }: ChannelRow): string {
  if (polls.length === 0) return 'not scheduled'
  return polls.some((check) => pollProblem(check) !== null) ? 'behind' : 'up to date'
}
