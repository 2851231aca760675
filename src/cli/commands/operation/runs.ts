import { RUN_KINDS, RUN_OUTCOMES, type RunKind, type RunOutcome, type RunRecord } from '../../../core/records.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  type ChannelOption,
  channelOption,
  choiceOption,
  jsonOption,
  limitOption,
  type SinceOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { keepSince } from '../../input/since.js'
import { addListOptions, type ListColumn, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatMinute } from '../../output/output.js'

type Options = ChannelOption & SinceOption & ListOptions & { kind?: RunKind; outcome?: RunOutcome }

/** `runs`: lists polls and closing rounds. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(choiceOption('--kind <kind>', 'only runs of this kind', RUN_KINDS))
    .addOption(choiceOption('--outcome <outcome>', 'only runs with this outcome', RUN_OUTCOMES))
    .addOption(sinceOption('runs that started'))
    .addOption(limitOption(30))
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const { kind, outcome } = options
        const wanted = { ...(kind === undefined ? {} : { kind }), ...(outcome === undefined ? {} : { outcome }) }
        const newest = await store.runs({ ...filter, ...wanted, limit: rowsToRead(options) })
        const rows = await keepSince(cli, store, newest, options, ({ startedAt }) => startedAt)
        const emptyText = 'No runs found. `quotekeeper sync` polls the marketplace.'
        printList(cli, { columns: runColumns, rows, emptyText }, options)
      }),
    )
  addListOptions(command, runColumns)
  withExamples(
    command,
    ['quotekeeper runs --kind rfqs --limit 5', 'the last five polls of RFQs'],
    ['quotekeeper runs --outcome failed', 'polls and closing rounds that failed'],
  )
}

export const runColumns: readonly ListColumn<RunRecord>[] = [
  { header: 'Run', cell: ({ id }) => id, align: 'right' },
  { header: 'Channel', cell: ({ channel }) => channel },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Started (UTC)', cell: ({ startedAt }) => formatMinute(startedAt), value: ({ startedAt }) => startedAt },
  { header: 'Duration', cell: duration, value: durationSeconds, align: 'right', drop: 2 },
  { header: 'Outcome', cell: ({ outcome }) => outcome ?? 'running' },
  { header: 'Requests', cell: ({ requests }) => requests, align: 'right', drop: 3 },
  { header: 'Seen', cell: ({ seen }) => seen, align: 'right' },
  { header: 'New', cell: ({ inserted }) => inserted, align: 'right' },
  { header: 'Changed', cell: ({ changed }) => changed, align: 'right' },
  { header: 'Missing', cell: ({ missing }) => missing, align: 'right', drop: 2 },
  { header: 'Postponed', cell: ({ postponed }) => postponed || null, align: 'right', drop: 2, hideIfEmpty: true },
  { header: 'Invalid', cell: ({ invalid }) => invalid, align: 'right', drop: 3 },
  { header: 'Error', cell: ({ error }) => error, below: true, hideIfEmpty: true },
]

function durationSeconds({ startedAt, finishedAt }: RunRecord): number | null {
  return finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
}

function duration(run: RunRecord): string {
  const seconds = durationSeconds(run)
  if (seconds === null) return ''
  return seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`
}
