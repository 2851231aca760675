import { isIPv4 } from 'node:net'
import type { Clock } from '../../domain/clock.js'

/** Wrong tokens from one address before it is locked out. */
export const MAX_FAILURES = 5
const FIRST_LOCK_SECONDS = 30
const MAX_LOCK_SECONDS = 900
/** Addresses remembered; the one that failed longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000

/**
 * Slows down guessing: after five wrong tokens an address must wait, twice as long after each further one. A right token
 * changes nothing, because it may be another user's; half an hour without a wrong one does.
 */
export interface Lockout {
  /** Seconds until the address may try again; 0 if it may. */
  secondsLeft(address: string): number
  recordFailure(address: string): void
}

export function createLockout(now: Clock): Lockout {
  const failures = new Map<string, { count: number; at: number }>()
  const forget = ({ at }: { at: number }) => now().getTime() - at > 2 * MAX_LOCK_SECONDS * 1000
  return {
    secondsLeft(address) {
      const known = failures.get(groupOf(address))
      if (known === undefined || known.count < MAX_FAILURES) return 0
      const seconds = Math.min(FIRST_LOCK_SECONDS * 2 ** (known.count - MAX_FAILURES), MAX_LOCK_SECONDS)
      return Math.max(0, Math.ceil((known.at + seconds * 1000 - now().getTime()) / 1000))
    },
    recordFailure(address) {
      const group = groupOf(address)
      const known = failures.get(group)
      failures.delete(group)
      failures.set(group, { count: known && !forget(known) ? known.count + 1 : 1, at: now().getTime() })
      for (const [oldest] of failures) {
        if (failures.size <= MAX_ADDRESSES) break
        failures.delete(oldest)
      }
    },
  }
}

/**
 * The client that an address stands for: an IPv4 address, or the /64 of an IPv6 address, because one person usually has all
 * of it. A proxy may append a port; what is no address is one client.
 */
function groupOf(address: string): string {
  const [, plain = ''] = /^\[?([\da-f.:]+?)(?:%[^\]]*)?(?:\](?::\d+)?|(?<=^[\d.]+):\d+)?$/i.exec(address.trim()) ?? []
  const url = `http://[${isIPv4(plain) ? `::ffff:${plain}` : plain}]`
  if (!URL.canParse(url)) return 'no address'
  const parts = expand(new URL(url).hostname.slice(1, -1))
  return parts.slice(0, isMapped(parts) ? 8 : 4).join(':')
}

/** An IPv4 address in the form of IPv6. */
const isMapped = (parts: readonly string[]) => parts.slice(0, 6).join(':') === '0:0:0:0:0:ffff'

/** The eight parts of an IPv6 address. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  if (tail === undefined) return parts(head)
  const missing = 8 - parts(head).length - parts(tail).length
  return [...parts(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...parts(tail)]
}
