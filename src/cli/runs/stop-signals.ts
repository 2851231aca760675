import { FailedError } from '../cli-error.js'

/** How long a command may take to stop after the first signal. */
export const STOP_TIMEOUT_MS = 10_000

/** One Ctrl-C can arrive twice, from the terminal and forwarded by npm: a repeat within this time is ignored. */
const SAME_SIGNAL_MS = 300

/**
 * Aborts `stop` on the first SIGINT or SIGTERM. A second signal, or the timeout, ends the process immediately.
 * @param notify writes to the terminal
 */
export function stopOnSignals(notify: (text: string) => void): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  let firstAt = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    firstAt = performance.now()
    if (signal === 'SIGINT') notify('\nStopping. Press Ctrl-C again to quit immediately.\n')
    controller.abort(
      new FailedError(`stopped by ${signal}; finished work is stored and the next run continues from it`),
    )
    setTimeout(() => exitAfterTimeout(notify), STOP_TIMEOUT_MS).unref()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return { stop: controller.signal, release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal) }
}

function exitAfterTimeout(notify: (text: string) => void): never {
  const seconds = STOP_TIMEOUT_MS / 1000
  notify(
    `Could not stop cleanly within ${seconds} s; quitting. Finished work is stored; the next run continues from it.\n`,
  )
  process.exit(1)
}

/** Resolves when the signal is aborted: on SIGINT or SIGTERM. */
export function untilStopped(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}
