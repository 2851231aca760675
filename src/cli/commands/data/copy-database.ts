import { resolve } from 'node:path'
import { formatCount } from '../../../core/text/number-format.js'
import { createScrubber } from '../../../core/text/secret-scrubber.js'
import { passwordsIn } from '../../../log.js'
import { isPostgresUrl } from '../../../store/postgres/postgres-url.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { withExamples } from '../../input/options.js'
import { withProgress } from '../../output/output.js'

/** `copy-database FROM TO`: moves to another engine. Needs no configuration: it names neither database, or only one of them. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<from>', 'the database: a SQLite file, or postgres://USER@HOST/DATABASE; no process may use it')
    .argument('<to>', 'a file that does not exist, or an empty PostgreSQL database')
    .action((from: string, to: string) => copy(cli, from, to))
  withExamples(
    command,
    ['quotekeeper copy-database data/quotekeeper.db postgres://quotekeeper@db/desk', 'with the password in PGPASSWORD'],
    ['quotekeeper copy-database postgres://quotekeeper@db/desk data/quotekeeper.db', 'and back'],
  )
}

async function copy(cli: Cli, ...databases: [from: string, to: string]): Promise<void> {
  const { io } = cli
  cli.scrub = createScrubber(databases.flatMap(passwordsIn))
  const [from = '', to = ''] = databases.map((each) => (isPostgresUrl(each) ? each : resolve(io.cwd, each)))
  const { copyDatabase } = await import('../../../store/copy/copy-database.js')
  const report = await withProgress(io, 'copying rows', (onProgress) =>
    copyDatabase({ from, to, signal: io.stop, onProgress }),
  )
  const rows = report.tables.reduce((sum, table) => sum + table.rows, 0)
  io.out(`${report.to}\n`)
  if (report.decisions.brokenAt !== null) cli.status = 1
  io.err(
    `Copied ${report.from}: ${formatCount(rows, 'row')} in ${report.tables.length} tables. Decisions: ${report.decisions.message}\n` +
      'To use the copy, set `database` to it in all processes; keep the original until you are sure, and start nothing on it: ' +
      'RFQs would be closed by both.\n',
  )
}
