import { byCodeUnit } from '../../../core/numbers.js'
import { formatPrice, formatRange } from '../../../core/text/number-format.js'
import type { ListingItem } from '../../../tables/listings/listings.js'
import { formatNumber } from '../../../tables/print/terminal-text.js'
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
import { openViews } from '../../open-views.js'
import { describeFreshness } from '../../output/freshness.js'
import { addListOptions, type ListColumns, type ListOptions, printList } from '../../output/list.js'

type Options = ChannelOption & AsOfOption & SinceOption & ListOptions

/** `listings`: lists project listings. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(sinceOption('listings that are new or changed'))
    .addOption(asOfOption())
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'listings')
        const all = await (await openViews(app, store)).listings(filter)
        const rows = await keepSince(cli, store, all.sort(byProject), options, ({ observedAt }) => observedAt)
        const channels = shownChannels(app.config, filter.channel)
        const freshness = await describeFreshness(cli, store, { channels, kind: 'listings', asOf: filter.asOf })
        const emptyText =
          all.length === 0
            ? 'No listings found. `quotekeeper sync` polls the marketplace.'
            : 'No listings match; there are others.'
        printList(cli, { columns: COLUMNS, rows, emptyText, freshness }, options)
      }),
    )
  addListOptions(command, COLUMNS)
  withExamples(command, ['quotekeeper listings --channel acme/forest', 'the listings of one channel'])
}

const byProject = (a: ListingItem, b: ListingItem) =>
  byCodeUnit(a.projectName ?? '\uffff', b.projectName ?? '\uffff') || byCodeUnit(a.id, b.id)

const COLUMNS: ListColumns<ListingItem> = [
  { header: 'Project', cell: ({ projectName }) => projectName, min: 32 },
  { header: 'Developer', cell: ({ organizationName }) => organizationName, min: 22, drop: 2 },
  { header: 'Country', cell: ({ country }) => country, drop: 3 },
  { header: 'Registry', cell: ({ registry }) => registry, min: 8, drop: 4 },
  { header: 'Registry id', cell: ({ registryId }) => registryId, drop: 4 },
  {
    header: 'Tonnes',
    cell: ({ totalAvailableVolume }) => formatNumber(totalAvailableVolume),
    value: ({ totalAvailableVolume }) => totalAvailableVolume,
    align: 'right',
  },
  {
    header: 'Price',
    cell: ({ minUnitPrice, maxUnitPrice }) => formatRange(minUnitPrice, maxUnitPrice, formatPrice) ?? '',
    value: ({ minUnitPrice, maxUnitPrice }) => minUnitPrice ?? maxUnitPrice,
    align: 'right',
  },
  { header: 'Cur.', cell: ({ currency }) => currency },
  {
    header: 'Missing since',
    cell: ({ missingSince }) => missingSince?.slice(0, 10),
    value: ({ missingSince }) => missingSince,
    drop: 1,
    hideIfEmpty: true,
  },
  { header: 'Channel', cell: ({ channel }) => channel, dropIfUniform: 5 },
  { header: 'Id', cell: ({ id }) => id, isExtra: true },
]
