import type { Clock } from '../../domain/clock.js'

/** Wrong tokens in a row from one address before it is locked out. */
export const MAX_FAILURES = 5
const FIRST_LOCK_SECONDS = 30
const MAX_LOCK_SECONDS = 900
/** Addresses remembered; the one that failed longest ago is forgotten first. */
const MAX_ADDRESSES = 10_000

/** Slows down guessing: after five wrong tokens an address must wait, twice as long after each further one. */
export interface Lockout {
  /** Seconds until the address may try again; 0 if it may. */
  secondsLeft(address: string): number
  recordFailure(address: string): void
  recordSuccess(address: string): void
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
    recordSuccess: (address) => void failures.delete(groupOf(address)),
  }
}

/** One person usually has a whole /64 of IPv6 addresses. */
const groupOf = (address: string) => (address.includes(':') ? expand(address).slice(0, 4).join(':') : address)

function expand(address: string): string[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  if (tail === undefined) return parts(head)
  const missing = Math.max(0, 8 - parts(head).length - parts(tail).length)
  return [...parts(head), ...Array<string>(missing).fill('0'), ...parts(tail)]
}
