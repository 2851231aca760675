import type { ClosingPolicy } from './contract.js'
import type { FreshRead } from './fresh-read.js'

/** Why the clocks forbid a close, or null (reliability.md, closing policy 4). */
export function clockReason(policy: ClosingPolicy, reading: FreshRead): string | null {
  if (reading.serverDate === null) return 'the marketplace did not tell its time (no Date header)'
  const skew = skewSeconds(reading)
  return skew !== null && Math.abs(skew) > policy.maxClockSkewSeconds
    ? `our clock and the marketplace's are ${Math.round(Math.abs(skew))} s apart (limit ${policy.maxClockSkewSeconds} s)`
    : null
}

/** Ours minus the marketplace's clock, in seconds; zero where the header's whole second allows it. */
export function skewSeconds({ serverDate, readAt, answeredAt }: FreshRead): number | null {
  if (serverDate === null) return null
  const earliest = serverDate.getTime()
  const latest = earliest + 999
  if (readAt.getTime() > latest) return (readAt.getTime() - latest) / 1000
  if (answeredAt.getTime() < earliest) return (answeredAt.getTime() - earliest) / 1000
  return 0
}
