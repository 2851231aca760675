import type { RunKind, RunOutcome, RunRecord } from '../../domain/records.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import {
  type ChannelOption,
  channelOption,
  choiceOption,
  type JsonOption,
  jsonOption,
  limitOption,
  withExamples,
} from '../options.js'
import { formatMinute, printRows } from '../output.js'
import { parseReadFilter } from '../read-filter.js'
import type { Column } from '../terminal-table.js'

type Options = ChannelOption & JsonOption & { kind?: RunKind; outcome?: RunOutcome; limit: number }
const KINDS: readonly RunKind[] = ['listings', 'rfqs', 'close']
const OUTCOMES: readonly RunOutcome[] = ['complete', 'partial', 'failed', 'interrupted']

/** `runs`: lists polls and closing rounds. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(choiceOption('--kind <kind>', 'only runs of this kind', KINDS))
    .addOption(choiceOption('--outcome <outcome>', 'only runs with this outcome', OUTCOMES))
    .addOption(limitOption(30))
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const { kind, outcome, limit, json } = options
        const wanted = { ...(kind === undefined ? {} : { kind }), ...(outcome === undefined ? {} : { outcome }) }
        const rows = await store.runs({ ...filter, ...wanted, limit })
        printRows(cli.io, json, RUN_COLUMNS, rows, 'No runs found. `quotekeeper sync` polls the marketplace.')
      }),
    )
  withExamples(
    command,
    ['quotekeeper runs --kind rfqs --limit 5', 'the last five polls of RFQs'],
    ['quotekeeper runs --outcome failed', 'polls and closing rounds that failed'],
  )
}

export const RUN_COLUMNS: Column<RunRecord>[] = [
  { header: 'Run', cell: ({ id }) => id, align: 'right' },
  { header: 'Channel', cell: ({ channel }) => channel },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Started (UTC)', cell: ({ startedAt }) => formatMinute(startedAt), drop: 1 },
  { header: 'Duration', cell: duration, align: 'right', drop: 2 },
  { header: 'Outcome', cell: outcomeText },
  { header: 'Requests', cell: ({ requests }) => requests, align: 'right', drop: 3 },
  { header: 'Seen', cell: ({ seen }) => seen, align: 'right' },
  { header: 'New', cell: ({ inserted }) => inserted, align: 'right' },
  { header: 'Changed', cell: ({ changed }) => changed, align: 'right' },
  { header: 'Missing', cell: ({ missing }) => missing, align: 'right', drop: 2 },
  { header: 'Invalid', cell: ({ invalid }) => invalid, align: 'right', drop: 3 },
  { header: 'Error', cell: ({ error }) => error, min: 30, overflow: 'wrap' },
]

function outcomeText({ outcome, times }: RunRecord): string {
  return times === 1 ? (outcome ?? 'running') : `${outcome} (${times} runs, nothing changed)`
}

function duration({ startedAt, finishedAt, times }: RunRecord): string {
  if (finishedAt === null || times > 1) return ''
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`
}
