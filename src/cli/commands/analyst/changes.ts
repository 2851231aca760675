import type { ChangeEntry } from '../../../views/changes/change-feed.js'
import { withStore } from '../../app.js'
import type { RegisterCommand } from '../../cli-context.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  limitOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter, parseTimeOption } from '../../input/read-filter.js'
import { requireRfq } from '../../input/require-rfq.js'
import { shownChannels } from '../../input/select-channels.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../../output/list.js'

type Options = ChannelOption & AsOfOption & ListOptions & { since: string; rfq?: string; limit: number }

/** `changes`: lists what changed in all RFQs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--rfq <rfq>', 'only this RFQ: its number, reference or id')
    .addOption(sinceOption('only what was observed since (default: yesterday)').default('yesterday'))
    .addOption(asOfOption())
    .addOption(limitOption(100))
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const after = await parseTimeOption(cli, store, '--since', options.since)
        const { changeFeed } = await import('../../../views/changes/change-feed.js')
        const about = options.rfq === undefined ? {} : await rfqOf(options.rfq)
        const { entries, nextCursor } = await changeFeed(store, { ...filter, ...about, after, limit: options.limit })
        const channels = shownChannels(app.config, filter.channel)
        const freshness = await describeFreshness(cli, store, { channels, kind: 'rfqs', asOf: filter.asOf })
        const emptyText = `No changes since ${options.since}. An earlier --since shows more.`
        const toJson = ({ cursor: _cursor, ...entry }: ChangeEntry) => entry
        printList(cli, { columns: COLUMNS, rows: entries, emptyText, freshness, toJson }, options)
        if (nextCursor !== null && !options.json) cli.io.err(`There are more; a larger --limit shows them.\n`)

        async function rfqOf(match: string) {
          const { rfq } = await requireRfq(store, { ...filter, name: match, withoutResponses: true })
          return { channel: rfq.channel, rfqId: rfq.id }
        }
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper changes', 'what changed in all RFQs since yesterday'],
    ['quotekeeper changes --since "3 hours ago" --channel acme/forest', 'in one channel, in the last three hours'],
  )
}

/** So many changes of one revision are named; the others are counted. */
const MAX_NAMED = 8

function changeText({ messages }: ChangeEntry): string {
  const more = messages.length - MAX_NAMED
  return [...messages.slice(0, MAX_NAMED), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

const COLUMNS: ListColumns<ChangeEntry> = ({ label, minute }) => [
  { header: `Observed (${label})`, cell: ({ seenBy }) => minute(seenBy), value: ({ seenBy }) => seenBy },
  { header: 'Not before', cell: ({ after }) => minute(after), value: ({ after }) => after, isExtra: true },
  { header: 'RFQ', cell: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId, align: 'right' },
  { header: 'Title', cell: ({ rfqTitle }) => rfqTitle, min: 16, isExtra: true },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 1 },
  { header: 'Version', cell: ({ version }) => version, align: 'right', isExtra: true },
  { header: 'Change', cell: changeText, value: ({ messages }) => messages.join(' '), min: 30 },
]
