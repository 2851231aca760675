import type { ChannelRef } from '../core/channel.js'
import type { Clock } from '../core/time/clock.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { PollContext, PollRfqsOptions } from './contract.js'

/** What a process uses for every poll. */
interface PollServices {
  marketplace: Marketplace
  store: PollContext['store']
  now: Clock
}

/** The context of one poll of one channel, with its own session. */
export function pollContext(
  { marketplace, store, now }: PollServices,
  channel: ChannelRef & { apiKey: string; timeZone: string },
  signal: AbortSignal,
): PollContext {
  return { session: marketplace.session(channel, { signal }), store, now, timeZone: channel.timeZone, signal }
}

/** The options of an RFQ poll, from the configuration. */
export const pollOptions = (config: {
  history: { recheckClosedHours: number }
  requests: { concurrency: number }
}): PollRfqsOptions => ({
  recheckClosedHours: config.history.recheckClosedHours,
  concurrency: config.requests.concurrency,
})
