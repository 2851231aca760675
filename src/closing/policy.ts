import type { ClosingPolicy } from './contract.js'

/** The configured values a channel's closing policy is made from. */
interface ClosingSettings {
  maxPerRun: number
  maxClockSkewSeconds: number
}
interface ChannelClosingSettings {
  autoClose: 'on' | 'dry-run' | 'off'
  /** IANA time zone in which the response due date is interpreted. */
  timeZone: string
  graceHours: number
}

/** The closing policy of a channel, or null if `autoClose` is `off` (docs/CLOSING.md, rule 1). */
export function closingPolicy(closing: ClosingSettings, channel: ChannelClosingSettings): ClosingPolicy | null {
  if (channel.autoClose === 'off') return null
  const { maxPerRun, maxClockSkewSeconds } = closing
  const { timeZone, graceHours } = channel
  return { mode: channel.autoClose, timeZone, graceHours, maxPerRun, maxClockSkewSeconds }
}
