import { resolve } from 'node:path'
import { stopFileOf } from '../../../closing/kill-switch.js'
import type { RestoreReport } from '../../../store/maintenance/restore.js'
import { databaseFile, databaseName } from '../../../store/open-database.js'
import { type App, withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'
import { plural } from '../../output/terminal-text.js'

/** `restore FILE`: replaces the database by a backup. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<file>', 'a backup made with quotekeeper backup')
    .action((file: string) =>
      withApp(
        cli,
        { secrets: 'if-set', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false },
        async (app: App) => restore(cli, app, file),
      ),
    )
  withExamples(command, [
    'quotekeeper restore /backups/quotekeeper-2026-01-31T021500Z.db',
    'after stopping quotekeeper start and work',
  ])
}

async function restore({ io }: Cli, { config }: App, file: string): Promise<void> {
  const database = databaseFile(config.database)
  if (database === null)
    throw new FailedError(
      `${databaseName(config.database)} is restored with the tools of PostgreSQL, such as pg_restore (docs/OPERATIONS.md).`,
    )
  const { restoreDatabase } = await import('../../../store/maintenance/restore.js')
  const backup = resolve(io.cwd, file)
  const report = await restoreDatabase({ backup, database, now: io.now() })
  io.out(`${database}\n`)
  io.err(`Restored ${backup} (${(report.bytes / 1e6).toFixed(1)} MB, schema ${report.schemaVersion}).\n`)
  if (report.kept !== null)
    io.err(`The replaced database was kept as ${report.kept}; delete it when it is not needed.\n`)
  io.err(closingNotes(report, config))
}

/** What the backup does not know about closing, which decides whether refused closes would be sent again. */
function closingNotes({ mergedClosings }: RestoreReport, config: App['config']): string {
  if (mergedClosings === null || 'skipped' in mergedClosings) {
    const reason = mergedClosings?.skipped ?? `There was no database ${config.database} to carry them over from.`
    return (
      `Closing decisions newer than the backup were not carried over. ${reason}\n` +
      'Closes that were refused or are uncertain since then may be sent again. Before you start the service, create ' +
      `${stopFileOf(config)}, and look at what would be closed: quotekeeper close-expired --dry-run\n` +
      'Events since the backup are lost too, and their sequences are given out again: what reads /api/v1/events reads the state anew.\n'
    )
  }
  const { decisions, intents } = mergedClosings
  if (decisions + intents === 0) return ''
  return (
    `Carried over from the replaced database: ${plural(decisions, 'closing decision')} and ` +
    `${plural(intents, 'close intent')} newer than the backup, so that no close is sent again.\n`
  )
}
