import type { ProblemRecord } from '../../domain/records.js'
import type { ReplayReport } from '../../store/contract.js'
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

/** `problems`: what did not fit the API document. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(limitOption(100))
    .option('--replay', 'first read everything stored again, as this version of Quotekeeper understands it')
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const { limit, json, replay } = options
        if (replay) cli.io.err(`${replayed(await store.replay(cli.io.now()))}\n`)
        const rows = await store.problems({ ...filter, limit })
        printRows(cli.io, json, COLUMNS, rows, 'No problem is known: all that came was as the API document says.')
      }),
    )
  withExamples(
    command,
    ['quotekeeper problems --channel acme/forest', 'what was odd in one channel'],
    ['quotekeeper problems --replay', 'after an update: what is odd to the new version'],
  )
}

const replayed = ({ documents, nowValid, nowInvalid, problemsGone, problemsNew }: ReplayReport) =>
  `Read ${documents} stored documents again: ${nowValid} fit now, ${nowInvalid} do not fit any more; ` +
  `${problemsGone} problems are gone, ${problemsNew} are new.`

const COLUMNS: Column<ProblemRecord>[] = [
  { header: 'Channel', cell: ({ channel }) => channel, drop: 1 },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Id', cell: ({ entityId }) => entityId, min: 8 },
  { header: 'Where', cell: ({ path }) => path || 'the document', min: 16 },
  { header: 'Code', cell: ({ code }) => code },
  { header: 'What', cell: ({ message }) => message, min: 24, overflow: 'wrap' },
  { header: 'Times', cell: ({ times }) => times, align: 'right', drop: 2 },
  { header: 'Last seen (UTC)', cell: ({ lastSeenAt }) => formatMinute(lastSeenAt), drop: 3 },
]
