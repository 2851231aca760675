import type { Log } from './contract.js'

/** Tells of errors of the queue that come again at every try to connect. */
export interface ErrorThrottle {
  /** Tells an error unless it was told a moment ago. */
  error(error: Error): void
  /** Tells that the queue is there again, if an error was told. */
  recovered(): void
}

/**
 * @param address of the queue, without password
 * @param everyMs after which the same error is told again
 */
export function throttledErrorLog(log: Log, address: string, everyMs = 30_000): ErrorThrottle {
  const told = new Map<string, number>()
  return {
    error(error) {
      const now = performance.now()
      if (now - (told.get(error.message) ?? Number.NEGATIVE_INFINITY) < everyMs) return
      if (told.size >= 100) told.clear()
      told.set(error.message, now)
      log.error({ queue: address, err: error }, 'the queue does not answer as it should: trying on')
    },
    recovered() {
      if (told.size > 0) log.info({ queue: address }, 'the queue answers again')
      told.clear()
    },
  }
}
