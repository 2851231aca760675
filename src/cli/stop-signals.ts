import { FailedError } from './cli-error.js'

/** How long a command may take to end after the first request, in milliseconds. */
export const STOP_TIMEOUT_MS = 10_000

/** One Ctrl-C may come twice, from the terminal and handed on by npm: what follows sooner than this is the same one. */
const SAME_SIGNAL_MS = 300

/**
 * Turns SIGINT and SIGTERM into a request to end; a second one, or the deadline, ends the process at once.
 * @param say tells the person at the terminal
 */
export function stopOnSignals(say: (text: string) => void): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  let first = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (performance.now() - first > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    first = performance.now()
    if (signal === 'SIGINT') say('\nStopping. Press Ctrl-C again to stop at once.\n')
    controller.abort(new FailedError(`stopped by ${signal}; the next run goes on from what was kept`))
    setTimeout(() => giveUp(say), STOP_TIMEOUT_MS).unref()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return { stop: controller.signal, release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal) }
}

function giveUp(say: (text: string) => void): never {
  say(
    `Not everything ended within ${STOP_TIMEOUT_MS / 1000} s: stopped here. The next run goes on from what was kept.\n`,
  )
  process.exit(1)
}
