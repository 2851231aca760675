import { channelKey } from '../../core/channel.js'
import { calendarDate } from './calendar-dates.js'
import type { ChannelRecord } from './channel-record.js'
import type { World } from './world.js'

/** Counts of what a world contains. */
interface WorldSummary {
  seed: number
  /** UTC, ISO 8601. */
  now: string
  channels: ChannelSummary[]
}
interface ChannelSummary {
  /** `org/slug`. */
  channel: string
  listings: number
  rfqs: { open: number; pastDue: number; dueToday: number; closed: number }
  offers: { submitted: number; accepted: number; rejected: number }
}

/** Counts a world's documents at its current time. `pastDue` and `dueToday` (UTC) are included in `open`. */
export function summarizeWorld(world: World): WorldSummary {
  const now = world.now().toISOString()
  return {
    seed: world.seed,
    now,
    channels: world.channels.map((channel) => summarizeChannel(channel, calendarDate(world.now()))),
  }
}

/** The summary as text, one line per channel, without API keys. */
export function describeWorld(world: World): string {
  const { seed, now, channels } = summarizeWorld(world)
  return [
    `Marketplace with seed ${seed}, ${now.slice(0, 16).replace('T', ' ')} UTC`,
    ...channels.map(describeChannel),
  ].join('\n')
}

function summarizeChannel(channel: ChannelRecord, today: string): ChannelSummary {
  const terms = channel.rfqs.map((record) => record.terms)
  const open = terms.filter(({ state }) => state === 'open')
  const statuses = channel.rfqs.flatMap(({ responses }) => responses.map(({ status }) => status))
  const count = (status: string) => statuses.filter((each) => each === status).length
  return {
    channel: channelKey(channel),
    listings: channel.listings.length,
    rfqs: {
      open: open.length,
      pastDue: open.filter(({ responseDueDate }) => responseDueDate < today).length,
      dueToday: open.filter(({ responseDueDate }) => responseDueDate === today).length,
      closed: terms.length - open.length,
    },
    offers: { submitted: count('submitted'), accepted: count('accepted'), rejected: count('rejected') },
  }
}

function describeChannel({ channel, listings, rfqs, offers }: ChannelSummary): string {
  const rfqText = `${rfqs.open} RFQs open (${rfqs.pastDue} past due, ${rfqs.dueToday} due today), ${rfqs.closed} closed`
  const total = offers.submitted + offers.accepted + offers.rejected
  return `  ${channel}: ${listings} listings; ${rfqText}; ${total} offers (${offers.accepted} accepted, ${offers.rejected} rejected)`
}
