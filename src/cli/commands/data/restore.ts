import { resolve } from 'node:path'
import { databaseFile, databaseName } from '../../../store/open-database.js'
import { type App, withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError } from '../../cli-error.js'
import { operatorName, withExamples } from '../../input/options.js'

/** `restore FILE`: replaces the database by a backup. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<file>', 'a backup made with quotekeeper backup')
    .action((file: string) => withApp(cli, { secrets: 'if-set' }, (app) => restore(cli, app, file)))
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
  const kept = await restoreDatabase({ backup, database, by: operatorName(), now: io.now() })
  io.out(`${database}\n`)
  io.err(`Restored ${backup}.\n`)
  if (kept !== null) io.err(`The replaced database was kept as ${kept}; delete it when it is not needed.\n`)
  io.err(
    'Closing is stopped until: quotekeeper close-expired --resume. RFQs that are past due now stay open until --retry, ' +
      'because closes since the backup may be lost: check them on the marketplace.\n' +
      'Other records since the backup, such as awards, events and orders to stop closing, are only in the replaced database.\n',
  )
}
