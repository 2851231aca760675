import { closingKillSwitch, stopFileOf } from '../closing/kill-switch.js'
import type { Store } from '../store/contract.js'
import { UnknownCommitError } from '../store/errors.js'
import { type App, withApp } from './app.js'
import type { Cli } from './cli-context.js'
import { FailedError, UsageError } from './cli-error.js'
import { errorMessage } from './error-message.js'
import { operatorName } from './operator-name.js'
import { printJson } from './output.js'
import { timeFormatOf } from './time-zone.js'

/** `close-expired --stop REASON` and `--resume`. */
export interface StopOptions {
  stop?: string
  resume?: boolean
  by?: string
  json?: boolean
}

const MAX_REASON_LENGTH = 200

/**
 * Stops closing in all processes on the database, or lets it go on. Needs no API key.
 */
export async function changeClosingStop(cli: Cli, { stop, json, by = operatorName() }: StopOptions): Promise<void> {
  const { io } = cli
  const reason = stop?.trim()
  if (reason !== undefined && (reason === '' || reason.length > MAX_REASON_LENGTH || /\p{Cc}/u.test(reason)))
    throw new UsageError(`--stop expects the reason, in one line of at most ${MAX_REASON_LENGTH} characters`)
  await withApp(
    cli,
    { secrets: 'if-set', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false },
    async (app) => {
      const order = reason === undefined ? null : { by, reason, now: io.now() }
      const store = order ? await recordStop(app, order) : await app.store()
      const before = order ? null : await store.resumeClosing()
      if (json) printJson(io, { stopped: await store.closingStop() })
      else if (reason !== undefined)
        io.err(
          `Nothing is closed any more, by no process on ${store.name}. A POST that was being sent is not called back.\n` +
            'To close again: quotekeeper close-expired --resume\n',
        )
      else if (before === null) io.err(`Closing was not stopped in ${store.name}.\n`)
      else {
        const { minute, label } = timeFormatOf(cli)
        io.err(`Stopped by ${before.by} on ${minute(before.since)} ${label} (${before.reason}); ended now.\n`)
      }
      // What the command does not change.
      const left = await closingKillSwitch(app.config, store)()
      if (reason === undefined && left !== null) io.err(`Closing is still stopped here: ${left}.\n`)
    },
  )
}

/** @throws FailedError that says how to stop closing without the database */
async function recordStop(app: App, order: Parameters<Store['stopClosing']>[0]): Promise<Store> {
  try {
    const store = await app.store()
    await store.stopClosing(order)
    return store
  } catch (error) {
    const recorded = error instanceof UnknownCommitError ? 'may not have been recorded' : 'was NOT recorded'
    throw new FailedError(
      `the order to stop closing ${recorded}, and other processes may go on closing: ${errorMessage(error)} ` +
        `To stop closing on this machine meanwhile, create the file ${stopFileOf(app.config)}; then give the order again.`,
    )
  }
}
