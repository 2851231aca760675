import type { PruneReport } from '../../../store/contract.js'
import { pruneOptions } from '../../../store/maintenance/retention.js'
import { databaseFile } from '../../../store/open-database.js'
import { type App, withApp } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError, UsageError } from '../../cli-error.js'
import { type JsonOption, jsonOption, withExamples } from '../../input/options.js'
import { isUserFacing } from '../../output/error-message.js'
import { printJson, printTable } from '../../output/output.js'
import type { Column } from '../../output/terminal-table.js'

interface Options extends JsonOption {
  dryRun?: boolean
  compact?: boolean
}

/** `prune`: folds and deletes what `history.keep…` does not keep. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option('--dry-run', 'show what would be removed, and change nothing')
    .option(
      '--compact',
      'afterwards give unused space in the file back to the disk; no other process may use the database',
    )
    .addOption(jsonOption())
    .action((options: Options) => prune(cli, options))
  withExamples(
    command,
    ['quotekeeper prune --dry-run', 'what would be removed, and about how much space it takes'],
    ['quotekeeper prune', 'what the service does every day'],
    ['quotekeeper prune --compact', 'after stopping quotekeeper start and work'],
  )
}

async function prune(cli: Cli, options: Options): Promise<void> {
  const { dryRun = false, compact = false } = options
  if (dryRun && compact)
    throw new UsageError('--dry-run changes nothing and --compact rewrites the file; use one of them')
  const { report, file } = await withApp(
    cli,
    { secrets: 'if-set', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false, readOnlyIfNeeded: dryRun },
    (app) => pruneStore(cli, app, options),
  )
  const compaction = compact && file !== null ? await compactFile(file) : null
  if (options.json) printJson(cli.io, { ...report, dryRun, ...(compaction && { compacted: compaction.compacted }) })
  else printReport(cli, report)
  if (compaction?.error) throw notCompactedError(report, compaction.error)
  if (!options.json) {
    const { compacted } = compaction ?? {}
    const result = compacted
      ? `Compacted ${file} from ${formatBytes(compacted.before)} to ${formatBytes(compacted.after)}.`
      : describeResult(report, { dryRun, file })
    cli.io.err(`${result}\n`)
  }
}

type Compaction = { compacted: { before: number; after: number }; error?: never } | { compacted: null; error: Error }

/** An error of the database is a result too: the rows are removed by then. */
async function compactFile(file: string): Promise<Compaction> {
  const { compactDatabase } = await import('../../../store/maintenance/compact.js')
  try {
    return { compacted: compactDatabase(file) }
  } catch (error) {
    if (error instanceof Error && isUserFacing(error)) return { compacted: null, error }
    throw error
  }
}

function notCompactedError(report: PruneReport, error: Error): FailedError {
  const done = isEmpty(report) ? 'there was nothing to remove' : 'the rows above were removed'
  return new FailedError(`${done}, but the file was not made smaller: ${error.message}`, { cause: error })
}

const isEmpty = ({ runs, plans, events }: PruneReport) => runs.rows + plans.rows + events.rows === 0

/**
 * Closes the store when it ends, so that the file can be compacted.
 * @returns `file` of the database; null if it is on a server
 */
async function pruneStore({ io }: Cli, { config, store }: App, { dryRun = false, compact = false }: Options) {
  const file = databaseFile(config.database)
  if (compact && file === null)
    throw new UsageError('--compact is for SQLite files: PostgreSQL uses the space of deleted rows again by itself')
  const options = { ...pruneOptions(config.history, io.now()), dryRun, signal: io.stop }
  return { report: await (await store()).prune(options), file }
}

interface Row {
  what: string
  rows: number
  bytes: number
}
const COLUMNS: Column<Row>[] = [
  { header: 'What', cell: ({ what }) => what },
  { header: 'Rows', cell: ({ rows }) => rows, align: 'right' },
  { header: 'Size (estimated)', cell: ({ bytes }) => formatBytes(bytes), align: 'right' },
]

function printReport({ io }: Cli, { runs, plans, events }: PruneReport): void {
  const rows = [
    { what: 'idle runs folded into one row per day', ...runs },
    { what: 'expired approval plans', ...plans },
    { what: 'old events', ...events },
  ]
  printTable(io, COLUMNS, rows, '')
}

function describeResult(report: PruneReport, { dryRun, file }: { dryRun: boolean; file: string | null }): string {
  if (dryRun) return 'Nothing was changed.'
  if (isEmpty(report)) return 'There was nothing to remove.'
  const reused = 'The space is used again for new data'
  return file === null ? `${reused}.` : `${reused}; --compact gives it back to the disk.`
}

const formatBytes = (bytes: number): string =>
  bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
