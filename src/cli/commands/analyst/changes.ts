import type { Store } from '../../../store/contract.js'
import type { ChangeEntry } from '../../../tables/changes/changes.js'
import { describeEntry } from '../../../tables/changes/describe-entry.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  jsonOption,
  limitOption,
  rfqOption,
  type SinceOption,
  sinceOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter, parseTimeOption, type ReadFilter } from '../../input/read-filter.js'
import { requireRfq } from '../../input/require-rfq.js'
import { shownChannels } from '../../input/select-channels.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList, rowsToRead } from '../../output/list.js'
import { formatMinute } from '../../output/output.js'

type Options = ChannelOption & AsOfOption & SinceOption & ListOptions & { rfq?: string }

/** `changes`: lists what changed in all RFQs, or in one. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(rfqOption())
    .addOption(sinceOption('what was observed', 'yesterday; with --rfq, the beginning'))
    .addOption(asOfOption())
    .addOption(limitOption(100))
    .addOption(jsonOption())
    .action((options: Options) => withStore(cli, (store, app) => changes(cli, { store, app }, options)))
  addListOptions(command, COLUMNS)
  withExamples(
    command,
    ['quotekeeper changes', 'what changed in all RFQs since yesterday'],
    ['quotekeeper changes --since "3 hours ago" --channel acme/forest', 'in one channel, in the last three hours'],
    ['quotekeeper changes --rfq 1012', 'everything that changed in RFQ 1012 and its offers, and when'],
  )
}

async function changes(cli: Cli, { store, app }: { store: Store; app: App }, options: Options): Promise<void> {
  const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
  const { rfq } = options
  const about = rfq === undefined ? null : await findRfq(store, filter, rfq)
  const since = options.since ?? (rfq === undefined ? 'yesterday' : undefined)
  const after = since === undefined ? {} : { after: await parseTimeOption(cli, store, '--since', since) }
  const { changeFeed } = await import('../../../tables/changes/changes.js')
  const { entries } = await changeFeed(store, { ...filter, ...about, ...after, limit: rowsToRead(options) })
  const channels = shownChannels(app.config, about?.channel ?? filter.channel)
  const freshness = await describeFreshness(cli, store, { channels, kind: 'rfqs', asOf: filter.asOf })
  const emptyText = `No changes${since === undefined ? '' : ` since ${since}. An earlier --since shows more`}.`
  const bodies = about !== null && options.json ? await bodiesOf(store, about, filter.asOf) : null
  const toJson = ({ cursor: _cursor, ...entry }: ChangeEntry) => ({ ...entry, ...bodies?.(entry) })
  const columns = about === null ? COLUMNS : COLUMNS_OF_ONE
  printList(cli, { columns, rows: entries, emptyText, freshness, toJson }, options)
}

/** An RFQ that changes are about. */
interface About {
  channel: string
  rfqId: string
}

async function findRfq(store: Store, filter: ReadFilter, name: string): Promise<About> {
  const { rfq } = await requireRfq(store, { ...filter, name, withoutResponses: true })
  return { channel: rfq.channel, rfqId: rfq.id }
}

/** Looks up the document of a change, as received. */
async function bodiesOf(store: Store, { channel, rfqId }: About, asOf: Date | undefined) {
  const versions = await store.rfqHistory(channel, rfqId, asOf)
  const bodies = new Map(versions.map(({ kind, id, version, exactBody }) => [`${kind} ${id} ${version}`, exactBody]))
  return ({ entity, id, version }: Pick<ChangeEntry, 'entity' | 'id' | 'version'>) => {
    const body = bodies.get(`${entity === 'rfq' ? 'rfq' : 'response'} ${id} ${version}`)
    return body === undefined ? {} : { body }
  }
}

/** So many changes of one revision are named; the others are counted. */
const MAX_NAMED = 8

const COLUMNS: ListColumns<ChangeEntry> = [
  {
    header: 'Observed (UTC)',
    cell: ({ observedAt }) => formatMinute(observedAt),
    value: ({ observedAt }) => observedAt,
  },
  {
    header: 'Not before',
    cell: ({ notBefore }) => formatMinute(notBefore),
    value: ({ notBefore }) => notBefore,
    isExtra: true,
  },
  { header: 'RFQ', cell: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId, align: 'right' },
  { header: 'Title', cell: ({ rfqTitle }) => rfqTitle, min: 16, isExtra: true },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 1 },
  { header: 'Version', cell: ({ version }) => version, align: 'right', isExtra: true },
  {
    header: 'Change',
    cell: (entry) => describeEntry(entry, MAX_NAMED),
    value: (entry) => describeEntry(entry),
    min: 30,
  },
]

/** Of one RFQ: since when it may have changed, and not which RFQ it is. */
const COLUMNS_OF_ONE: ListColumns<ChangeEntry> = COLUMNS.map(({ isExtra: _isExtra, ...column }) =>
  ['RFQ', 'Title', 'Channel', 'Version'].includes(column.header) ? { ...column, isExtra: true } : column,
)
