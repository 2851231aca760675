import type { ProblemRecord } from '../../../core/records.js'
import type { RevalidationReport } from '../../../store/contract.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  limitOption,
  type SinceOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { shownChannels } from '../../input/select-channels.js'
import { keepSince } from '../../input/since.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatMinute } from '../../output/output.js'

type Options = ChannelOption & AsOfOption & SinceOption & ListOptions & { replay?: boolean }

/** `problems`: lists where documents deviate from the API documentation. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(sinceOption('problems that were seen'))
    .addOption(asOfOption())
    .addOption(limitOption(100))
    .option('--replay', 'first validate all stored documents again with this version of Quotekeeper')
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        if (options.replay) cli.io.err(`${formatReplay(await store.revalidate(cli.io.now()))}\n`)
        const newest = await store.problems({ ...filter, limit: rowsToRead(options) })
        const rows = await keepSince(cli, store, newest, options, ({ lastSeenAt }) => lastSeenAt)
        const channels = shownChannels(app.config, filter.channel)
        const freshness = await describeFreshness(cli, store, { channels, kind: 'rfqs', asOf: filter.asOf })
        const emptyText = 'No problems found: every document matches the API documentation.'
        printList(cli, { columns: COLUMNS, rows, emptyText, freshness }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper problems --channel acme/forest', 'the problems of one channel'],
    ['quotekeeper problems --replay', 'validate again after an update'],
  )
}

const formatReplay = ({ documents, nowValid, nowInvalid, problemsGone, problemsNew }: RevalidationReport) =>
  `Validated ${documents} stored documents: ${nowValid} became valid, ${nowInvalid} became invalid; ` +
  `${problemsGone} problems removed, ${problemsNew} added.`

const COLUMNS: ListColumns<ProblemRecord> = [
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 1 },
  { header: 'Kind', cell: ({ kind }) => kind },
  { header: 'Id', cell: ({ entityId }) => entityId, min: 28 },
  { header: 'Field', cell: ({ path }) => path || '(whole document)', min: 24 },
  { header: 'Code', cell: ({ code }) => code },
  { header: 'Problem', cell: ({ message }) => message, below: true },
  { header: 'Times', cell: ({ times }) => times, align: 'right', drop: 2 },
  {
    header: 'First seen (UTC)',
    cell: ({ firstSeenAt }) => formatMinute(firstSeenAt),
    value: ({ firstSeenAt }) => firstSeenAt,
    isExtra: true,
  },
  {
    header: 'Last seen (UTC)',
    cell: ({ lastSeenAt }) => formatMinute(lastSeenAt),
    value: ({ lastSeenAt }) => lastSeenAt,
    drop: 3,
  },
]
