import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { formatCount } from '../../../core/text/number-format.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { wholeNumber, withExamples } from '../../input/options.js'

/** `backup TARGET`: makes a consistent copy of the database. */
export const register: RegisterCommand = (command, cli) => {
  const { io } = cli
  command
    .argument('<target>', 'a file that does not exist, or a folder, in which the copy is named after the time')
    .option(
      '--keep <number>',
      'afterwards delete the oldest backups in the folder, so that this many are left',
      wholeNumber(1, 100_000),
    )
    .action((target: string, { keep }: { keep?: number }) =>
      withStore(cli, async (store) => {
        const path = resolve(io.cwd, target)
        const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
        if (!isFolder && (keep !== undefined || /[/\\]$/.test(target)))
          throw new UsageError(`there is no folder ${path}: create it, or check that its disk is mounted`)
        const file = isFolder ? join(path, nameAt(io.now())) : path
        await store.backup(file, io.stop)
        io.out(`${file}\n`)
        const deleted = keep === undefined ? [] : deleteOldest(path, keep)
        if (deleted.length > 0)
          io.err(`Deleted ${formatCount(deleted.length, 'older backup')}: ${deleted.join(', ')}\n`)
      }),
    )
  withExamples(
    command,
    ['quotekeeper backup /backups/ --keep 14', 'a new file every night, from cron; the newest 14 are kept'],
    ['quotekeeper backup before-update.db', 'one copy'],
  )
}

/** The name of a backup in a folder, which sorts by time. */
const nameAt = (now: Date) => `quotekeeper-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.db`
const NAME = /^quotekeeper-\d{4}-\d\d-\d\dT\d{6}Z\.db$/

/** @returns the deleted paths */
function deleteOldest(folder: string, keep: number): string[] {
  const backups = readdirSync(folder).filter((name) => NAME.test(name))
  const deleted = backups
    .sort()
    .slice(0, -keep)
    .map((name) => join(folder, name))
  for (const path of deleted) rmSync(path)
  return deleted
}
