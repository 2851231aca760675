import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { type ListingRow, listingRow } from '../json-rows.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  withExamples,
} from '../options.js'
import { printRows } from '../output.js'
import { parseReadFilter } from '../read-filter.js'
import type { Column } from '../terminal-table.js'
import { formatNumber } from '../terminal-text.js'
import { formatRange } from './rfqs.js'

type Options = ChannelOption & AsOfOption & JsonOption

/** `listings`: lists project listings. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'listings')
        const rows = (await store.listings(filter)).map(listingRow)
        printRows(cli.io, options.json, COLUMNS, rows, 'No listings found. `quotekeeper sync` polls the marketplace.')
      }),
    )
  withExamples(command, ['quotekeeper listings --channel acme/forest', 'the listings of one channel'])
}

const COLUMNS: Column<ListingRow>[] = [
  { header: 'Project', cell: ({ projectName }) => projectName, min: 20 },
  { header: 'Developer', cell: ({ organizationName }) => organizationName, min: 14, drop: 2 },
  { header: 'Country', cell: ({ country }) => country, drop: 3 },
  { header: 'Registry', cell: ({ registry }) => registry, min: 8, drop: 4 },
  { header: 'Registry id', cell: ({ registryId }) => registryId, drop: 4 },
  { header: 'Tonnes', cell: ({ totalAvailableVolume }) => formatNumber(totalAvailableVolume), align: 'right' },
  {
    header: 'Price',
    cell: ({ minUnitPrice, maxUnitPrice }) => formatRange(minUnitPrice, maxUnitPrice),
    align: 'right',
  },
  { header: 'Cur.', cell: ({ currency }) => currency },
  { header: 'Missing since', cell: ({ missingSince }) => missingSince?.slice(0, 10), drop: 1 },
  { header: 'Channel', cell: ({ channel }) => channel },
]
