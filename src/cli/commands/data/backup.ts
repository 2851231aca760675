import type { Store } from '../../../store/contract.js'
import { plural } from '../../../tables/print/terminal-text.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { wholeNumber, withExamples } from '../../input/options.js'
import { isSameFile, refuseNeededFile } from '../../output/output-file.js'
import { backupTarget, deleteOldBackups } from '../../process/backup-target.js'

interface Options {
  keep?: number
}

/** `backup TARGET`: makes a consistent copy of the database. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<target>', 'a file that does not exist, a folder, or a pattern such as /backups/qk-{date}.db')
    .option(
      '--keep <number>',
      'afterwards delete older backups of the same pattern or folder, so that this many are left',
      wholeNumber(1, 100_000),
    )
    .action((target: string, options: Options) =>
      withStore(cli, (store, app) => backup(cli, { store, app }, target, options)),
    )
  withExamples(
    command,
    ['quotekeeper backup /backups/ --keep 14', 'a new file every night, from cron; the newest 14 are kept'],
    ['quotekeeper backup "/backups/qk-{date}.db"', 'the same with names of your own'],
    ['quotekeeper backup before-update.db', 'one copy'],
  )
}

async function backup(
  { io }: Cli,
  { store, app }: { store: Store; app: App },
  text: string,
  { keep }: Options,
): Promise<void> {
  const { file, siblings } = backupTarget(text, { cwd: io.cwd, now: io.now() })
  if (keep !== undefined && siblings === null)
    throw new UsageError('--keep needs a folder, or a file name with {date}, such as /backups/qk-{date}.db')
  refuseNeededFile(file, app.config)
  await store.backup(file, io.stop)
  io.out(`${file}\n`)
  if (keep === undefined || siblings === null) return
  const { isQuotekeeperFile } = await import('../../../store/maintenance/backup.js')
  const deleted = deleteOldBackups(
    { file, siblings },
    keep,
    (path) => !isSameFile(path, store.name) && isQuotekeeperFile(path),
  )
  if (deleted.length > 0) io.err(`Deleted ${plural(deleted.length, 'older backup')}: ${deleted.join(', ')}\n`)
}
