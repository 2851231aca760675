import type { Log } from '../contract.js'

const MAX_REMEMBERED_MESSAGES = 100
/**
 * Errors of BullMQ about a job that outlived its lock, for example after an outage of the queue: another worker runs the job again, or its
 * end was recorded although the reply was lost.
 */
const LOST_LOCK = /\b(missing lock|lock mismatch|could not renew lock)(?= for job )|\bis not in the active state/i

/** Logs queue errors, which repeat with every attempt to reconnect. */
export interface ErrorThrottle {
  /** Logs an error in one line, unless the same message was logged recently; its stack is logged at `debug`. */
  error(error: Error): void
  /** Logs that the queue is available again, if an error was logged before. */
  recovered(): void
}

/**
 * @param address of the queue, without user and password
 * @param everyMs how long to suppress repetitions of one message, in milliseconds
 */
export function throttledErrorLog(log: Log, address: string, everyMs = 30_000): ErrorThrottle {
  const lastLogged = new Map<string, number>()
  return {
    error(error) {
      const now = performance.now()
      const lostLock = LOST_LOCK.exec(error.message)?.[0]
      const kind = lostLock ?? error.message
      if (now - (lastLogged.get(kind) ?? Number.NEGATIVE_INFINITY) < everyMs) return
      if (lastLogged.size >= MAX_REMEMBERED_MESSAGES) lastLogged.clear()
      lastLogged.set(kind, now)
      const facts = { queue: address, reason: error.message }
      if (lostLock !== undefined)
        log.warn(
          facts,
          'a job lost its lock in the queue or has already ended, for example after an outage; it may run again',
        )
      else log.error(facts, 'queue error; retrying')
      log.debug({ queue: address, err: error }, 'stack of the queue error')
    },
    recovered() {
      if (lastLogged.size > 0) log.info({ queue: address }, 'queue available again')
      lastLogged.clear()
    },
  }
}
