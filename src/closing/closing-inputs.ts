import { setTimeout as wait } from 'node:timers/promises'
import type { ChannelRef } from '../core/channel.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { ClosingContext, ClosingPolicy } from './contract.js'

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

/** The configured values a channel's closing policy is made from. */
type ClosingSettings = Pick<ClosingPolicy, 'maxPerRun' | 'maxClockSkewSeconds'>
type ChannelClosingSettings = Pick<ClosingPolicy, 'timeZone' | 'graceHours'> & { autoClose: 'on' | 'dry-run' | 'off' }

/** The closing policy of a channel, or null if `autoClose` is `off` (docs/CLOSING.md, rule 1). */
export function closingPolicy(closing: ClosingSettings, channel: ChannelClosingSettings): ClosingPolicy | null {
  if (channel.autoClose === 'off') return null
  const { maxPerRun, maxClockSkewSeconds } = closing
  const { timeZone, graceHours } = channel
  return { mode: channel.autoClose, timeZone, graceHours, maxPerRun, maxClockSkewSeconds }
}
