import type { Log } from './contract.js'

/**
 * Does work now and at each multiple of an interval of the clock, but never twice at the same time, until it is stopped. A timer measures
 * elapsed time, so that setting the clock delays the work by at most one interval. A failure is logged, and the work is done again.
 * @param what names the work in the log
 * @returns stops it: aborts the work and waits for its end
 */
export function repeat(
  what: string,
  intervalMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  log: Pick<Log, 'warn'>,
): () => Promise<void> {
  const stopped = new AbortController()
  const { signal } = stopped
  let timer: NodeJS.Timeout | undefined
  const round = async () => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, `${what} failed; it will be retried`)
    }
    if (!signal.aborted) timer = setTimeout(() => (running = round()), intervalMs - (Date.now() % intervalMs)).unref()
  }
  let running = round()
  return async () => {
    stopped.abort(new Error('the service is shutting down'))
    clearTimeout(timer)
    await running
  }
}
