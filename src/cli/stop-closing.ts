import { closingKillSwitch } from '../closing/kill-switch.js'
import { withApp } from './app.js'
import type { Cli } from './cli-context.js'
import { UsageError } from './cli-error.js'
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
      const store = await app.store()
      const before = reason === undefined ? await store.resumeClosing() : null
      if (reason !== undefined) await store.stopClosing({ by, reason, now: io.now() })
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
