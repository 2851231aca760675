import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../core/clock.js'
import type { ThreadQueries } from './thread-queries.js'

interface KeepFiguresOptions {
  now: Clock
  onError: (error: unknown) => void
  /** Milliseconds before the first computation, and between two that left nothing to do. */
  firstMs?: number
  intervalMs?: number
}

/**
 * Computes the figures of all RFQs before a page asks for them: after the start, and when a poll or midnight changed them.
 * The first page that is sorted by a figure would otherwise wait seconds if there are thousands of RFQs.
 * @returns stops it
 */
export function keepFigures(
  queries: Pick<ThreadQueries, 'computeFigures'>,
  { now, onError, firstMs = 10_000, intervalMs = 60_000 }: KeepFiguresOptions,
): () => void {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    await delay(firstMs, undefined, { signal, ref: false })
    while (!signal.aborted) {
      const isDone = await queries.computeFigures({ now: now() }).catch((error: unknown) => {
        if (!signal.aborted) onError(error)
        return true
      })
      if (isDone) await delay(intervalMs, undefined, { signal, ref: false })
    }
  }

  // Rejects only when it is stopped.
  run().catch(() => {})
  return () => stopping.abort()
}
