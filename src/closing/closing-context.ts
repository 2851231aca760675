import { setTimeout as wait } from 'node:timers/promises'
import type { ChannelRef } from '../core/channel.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { ClosingContext } from './contract.js'

/** What a process uses for every closing round. */
interface ClosingServices extends Pick<ClosingContext, 'store' | 'now' | 'killSwitch'> {
  marketplace: Marketplace
}

/**
 * The context of one closing round of one channel, with its own session.
 * @param signal stops the round, its requests and its pauses
 */
export function closingContext(
  { marketplace, store, now, killSwitch }: ClosingServices,
  channel: ChannelRef & { apiKey: string },
  signal: AbortSignal,
): ClosingContext {
  const session = marketplace.session(channel, { signal })
  const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal })
  return { session, store, now, signal, killSwitch, pause }
}
