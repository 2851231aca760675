import { resolve } from 'node:path'
import type { Register } from '../cli-context.js'
import { reading } from '../compose.js'
import { withExamples } from '../options.js'

/** `backup FILE`: a consistent copy of the database. */
export const register: Register = (command, cli) => {
  command.argument('<file>', 'the copy to make; must not exist yet').action((file: string) =>
    reading(cli, async (store) => {
      const path = resolve(cli.io.cwd, file)
      await store.backup(path)
      cli.io.out(`${path}\n`)
    }),
  )
  withExamples(command, ['quotekeeper backup /backups/quotekeeper-2026-01-31.db', 'prints the path of the copy'])
}
