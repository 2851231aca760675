import type { ProblemRecord } from '../../domain/records.js'
import type { RevalidationReport } from '../../store/contract.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import {
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  limitOption,
  withExamples,
} from '../options.js'
import { formatMinute, printRows } from '../output.js'
import { parseReadFilter } from '../read-filter.js'
import type { Column } from '../terminal-table.js'

type Options = ChannelOption & JsonOption & { limit: number; replay?: boolean }

/** `problems`: lists where documents deviate from the API documentation. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(limitOption(100))
    .option('--replay', 'first validate all stored documents again with this version of Quotekeeper')
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const { limit, json, replay } = options
        if (replay) cli.io.err(`${formatReplay(await store.revalidate(cli.io.now()))}\n`)
        const rows = await store.problems({ ...filter, limit })
        printRows(cli.io, json, COLUMNS, rows, 'No problems found: every document matches the API documentation.')
      }),
    )
  withExamples(
    command,
    ['quotekeeper problems --channel acme/forest', 'the problems of one channel'],
    ['quotekeeper problems --replay', 'validate again after an update'],
  )
}

const formatReplay = ({ documents, nowValid, nowInvalid, problemsGone, problemsNew }: RevalidationReport) =>
  `Validated ${documents} stored documents: ${nowValid} became valid, ${nowInvalid} became invalid; ` +
  `${problemsGone} problems removed, ${problemsNew} added.`

const COLUMNS: Column<ProblemRecord>[] = [
  { header: 'Channel', cell: ({ channel }) => channel, drop: 1 },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Id', cell: ({ entityId }) => entityId, min: 8 },
  { header: 'Field', cell: ({ path }) => path || '(whole document)', min: 16 },
  { header: 'Code', cell: ({ code }) => code },
  { header: 'Problem', cell: ({ message }) => message, min: 24, overflow: 'wrap' },
  { header: 'Times', cell: ({ times }) => times, align: 'right', drop: 2 },
  { header: 'Last seen (UTC)', cell: ({ lastSeenAt }) => formatMinute(lastSeenAt), drop: 3 },
]
