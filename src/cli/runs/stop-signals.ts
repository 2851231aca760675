import { once } from 'node:events'
import { FailedError } from '../cli-error.js'

/** How long a command may take to stop after the first signal. */
const STOP_TIMEOUT_MS = 10_000
const RESUMES = 'finished work is stored and the next run continues from it'

/** One Ctrl-C can arrive twice, from the terminal and forwarded by npm: a repeat within this time is ignored. */
const SAME_SIGNAL_MS = 300

/**
 * Aborts `stop` on the first SIGINT or SIGTERM. A second signal, or the timeout, ends the process immediately.
 * @param notify writes to the terminal
 */
export function stopOnSignals(notify: (text: string) => void): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  let firstAt = 0
  let timer: NodeJS.Timeout | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    firstAt = performance.now()
    if (signal === 'SIGINT') notify('\nStopping. Press Ctrl-C again to quit immediately.\n')
    controller.abort(new FailedError(`stopped by ${signal}; ${RESUMES}`))
    timer = setTimeout(() => {
      notify(`Could not stop cleanly within ${STOP_TIMEOUT_MS / 1000} s; quitting: ${RESUMES}.\n`)
      process.exit(1)
    }, STOP_TIMEOUT_MS).unref()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const release = () => {
    clearTimeout(timer)
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  return { stop: controller.signal, release }
}

/** Resolves when the signal is aborted: on SIGINT or SIGTERM. */
export async function untilStopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}
