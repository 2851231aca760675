import type { Log } from './contract.js'

const MAX_REMEMBERED_MESSAGES = 100

/** Logs queue errors, which repeat with every attempt to reconnect. */
export interface ErrorThrottle {
  /** Logs an error unless the same message was logged recently. */
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
      if (now - (lastLogged.get(error.message) ?? Number.NEGATIVE_INFINITY) < everyMs) return
      if (lastLogged.size >= MAX_REMEMBERED_MESSAGES) lastLogged.clear()
      lastLogged.set(error.message, now)
      log.error({ queue: address, err: error }, 'queue error; retrying')
    },
    recovered() {
      if (lastLogged.size > 0) log.info({ queue: address }, 'queue available again')
      lastLogged.clear()
    },
  }
}
