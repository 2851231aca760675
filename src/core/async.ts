import { setTimeout } from 'node:timers/promises'

/**
 * Runs an asynchronous function at most once: later calls, and calls made while the first is running, get its promise.
 * A rejection is kept as well; the function is not run again.
 */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= run()
    return result
  }
}

/** Callers during a running call share its result, so that frequent calls cost no more. */
export function shareConcurrent<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= call().finally(() => {
      running = null
    })
    return running
  }
}

/**
 * Waits for a promise, up to a limit.
 * @returns whether it was fulfilled or rejected within that time
 */
export async function withTimeout(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const ended = new AbortController()
  const settled = Promise.allSettled([promise]).then(() => true)
  try {
    return await Promise.race([settled, setTimeout(Math.max(0, milliseconds), false, { signal: ended.signal })])
  } finally {
    ended.abort()
  }
}
