import { closingKillSwitch, stopFileOf } from '../../closing/kill-switch.js'
import { formatMinute } from '../../core/time/clock.js'
import type { ClosingStop, Store } from '../../store/contract.js'
import { UnknownCommitError } from '../../store/errors.js'
import { type App, withApp } from '../app.js'
import type { Cli } from '../cli-context.js'
import { FailedError, UsageError } from '../cli-error.js'
import { operatorName, type SharedOptions } from '../input/options.js'
import { errorMessage } from '../output/error-message.js'
import { printJson } from '../output/output.js'

const MAX_REASON_LENGTH = 200

/** Stops closing in all processes on the database. Needs no API key. */
export async function stopClosing(
  cli: Cli,
  text: string,
  { by = operatorName(), json }: Pick<SharedOptions, 'by' | 'json'>,
): Promise<void> {
  const { io } = cli
  const reason = text.trim()
  if (reason === '' || reason.length > MAX_REASON_LENGTH || /\p{Cc}/u.test(reason))
    throw new UsageError(`--stop expects the reason, in one line of at most ${MAX_REASON_LENGTH} characters`)
  await withApp(cli, { secrets: 'if-set' }, async (app) => {
    const { store, stop } = await recordStop(app, { by, reason, now: io.now() })
    if (json) return printJson(io, { stopped: stop })
    const earlier = (stop.replaces ?? []).map((each) => `It was stopped by ${describeStop(each)} already.\n`)
    io.err(
      earlier.join('') +
        `Closing is stopped for every process on ${store.name}. A request that is being sent already is not cancelled.\n` +
        'To close again: quotekeeper close-expired --resume\n',
    )
  })
}

/** Ends what `stopClosing` ordered. Needs no API key. */
export async function resumeClosing(
  cli: Cli,
  { by = operatorName(), json }: Pick<SharedOptions, 'by' | 'json'>,
): Promise<void> {
  const { io } = cli
  await withApp(cli, { secrets: 'if-set' }, async (app) => {
    const store = await app.store()
    const ended = await store.resumeClosing({ by, now: io.now() })
    if (json) printJson(io, { stopped: await store.closingStop() })
    else if (ended === null) io.err(`Closing was not stopped in ${store.name}.\n`)
    else
      for (const each of [...(ended.replaces ?? []), ended])
        io.err(`Stopped by ${describeStop(each)}; ended now by ${by}.\n`)
    // What the command does not change.
    const left = await closingKillSwitch(app.config, store)()
    if (left !== null) io.err(`Closing is still stopped here: ${left}.\n`)
  })
}

function describeStop({ by, since, reason }: ClosingStop): string {
  return `${by} on ${formatMinute(since)} UTC (${reason})`
}

/** @throws FailedError that says how to stop closing without the database */
async function recordStop(
  app: App,
  order: Parameters<Store['stopClosing']>[0],
): Promise<{ store: Store; stop: ClosingStop }> {
  try {
    const store = await app.store()
    return { store, stop: await store.stopClosing(order) }
  } catch (error) {
    const recorded = error instanceof UnknownCommitError ? 'may not have been recorded' : 'was NOT recorded'
    throw new FailedError(
      `the order to stop closing ${recorded}, and other processes may go on closing: ${errorMessage(error)} ` +
        `To stop closing on this machine meanwhile, create the file ${stopFileOf(app.config)}; ` +
        `if that is not possible, stop Quotekeeper here, or set closing.enabled: false in ${app.config.file} and restart it. ` +
        'Then give the order again.',
    )
  }
}
