import { resolve } from 'node:path'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { withExamples } from '../options.js'

/** `backup FILE`: makes a consistent copy of the database. */
export const register: RegisterCommand = (command, cli) => {
  command.argument('<file>', 'path of the copy; must not exist').action((file: string) =>
    withStore(cli, async (store) => {
      const path = resolve(cli.io.cwd, file)
      await store.backup(path)
      cli.io.out(`${path}\n`)
    }),
  )
  withExamples(command, [
    'quotekeeper backup /backups/quotekeeper-2026-01-31.db',
    'copy the database and print the path of the copy',
  ])
}
