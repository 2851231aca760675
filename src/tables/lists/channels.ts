import { type ChannelItem, channelViews } from '../channels/channels.js'
import { channelFilter } from '../filter.js'
import { type List, wholePage } from '../list.js'
import { type ChannelFreshness, pollViews } from '../polls.js'

/** A configured channel, and when its newest complete polls ended. */
export type ChannelRow = ChannelItem & ChannelFreshness

/** The configured channels, and how fresh they are. */
export const channels: List<ChannelRow> = {
  name: 'channels',
  title: 'Channels',
  about: 'The configured channels, with their newest complete polls and their RFQs by state.',
  empty: 'No channel is configured.',
  columns: [
    { key: 'channel', header: 'Channel', kind: 'text', weight: 9, value: ({ channel }) => channel },
    { key: 'state', header: 'Polls', kind: 'state', weight: 9, value: stateOf },
    { key: 'rfqsAt', header: 'RFQs polled', kind: 'moment', weight: 8, value: ({ rfqsAt }) => rfqsAt },
    {
      key: 'listingsAt',
      header: 'Listings polled',
      kind: 'moment',
      weight: 6,
      value: ({ listingsAt }) => listingsAt,
    },
    { key: 'message', header: 'Behind', kind: 'text', weight: 8, value: behindText },
    { key: 'autoClose', header: 'Closing', kind: 'text', weight: 8, value: ({ autoClose }) => autoClose },
    { key: 'open', header: 'Open', kind: 'count', weight: 9, value: ({ rfqs }) => rfqs.open },
    { key: 'overdue', header: 'Overdue', kind: 'count', weight: 9, value: ({ rfqs }) => rfqs.overdue },
    { key: 'closed', header: 'Closed', kind: 'count', weight: 7, value: ({ rfqs }) => rfqs.closed },
    { key: 'other', header: 'Other', kind: 'count', weight: 0, value: ({ rfqs }) => rfqs.other },
    { key: 'timeZone', header: 'Time zone', kind: 'text', weight: 4, value: ({ timeZone }) => timeZone },
    { key: 'graceHours', header: 'Grace, hours', kind: 'count', weight: 3, value: ({ graceHours }) => graceHours },
  ],
  filters: [channelFilter('channel')],
  async read(source, { now, filters }) {
    const [items, freshness] = await Promise.all([channelViews(source).channels(now), pollViews(source).freshness()])
    const rows = items.map((item) => ({
      ...{ rfqsAt: null, listingsAt: null },
      ...freshness.find(({ channel }) => channel === item.channel),
      ...item,
    }))
    const only = filters.channel?.value
    return wholePage(only === undefined ? rows : rows.filter(({ channel }) => channel === only))
  },
}

const isFailing = ({ ok, lostEntriesAt }: ChannelItem['polls'][number]) => !ok || lostEntriesAt !== null

function stateOf({ polls }: ChannelItem): string {
  if (polls.length === 0) return 'not scheduled'
  return polls.some(isFailing) ? 'behind' : 'up to date'
}

function behindText({ polls }: ChannelItem): string | null {
  const texts = polls
    .filter(isFailing)
    .map(({ kind, lostEntriesAt, message }) =>
      lostEntriesAt === null ? `${LISTS[kind]}: ${message}` : `The list of ${LISTS[kind]} may not be whole.`,
    )
  return texts.join('; ') || null
}

const LISTS = { rfqs: 'RFQs', listings: 'listings' }
