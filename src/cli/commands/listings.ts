import type { Register } from '../cli-context.js'
import { reading } from '../compose.js'
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
import { filterOf } from '../read-filter.js'
import type { Column } from '../terminal-table.js'
import { amount } from '../terminal-text.js'
import { span } from './rfqs.js'

type Options = ChannelOption & AsOfOption & JsonOption

/** `listings`: the project listings that are known. */
export const register: Register = (command, cli) => {
  command
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      reading(cli, async (store, house) => {
        const filter = await filterOf(cli, { store, house }, options)
        const rows = (await store.listings(filter)).map(listingRow)
        printRows(cli.io, options.json, COLUMNS, rows, 'No listing is known. `quotekeeper sync` polls the marketplace.')
      }),
    )
  withExamples(command, ['quotekeeper listings --channel acme/forest', 'the projects shown in one channel'])
}

const COLUMNS: Column<ListingRow>[] = [
  { header: 'Project', cell: ({ projectName }) => projectName, min: 20 },
  { header: 'Developer', cell: ({ organizationName }) => organizationName, min: 14, drop: 2 },
  { header: 'Country', cell: ({ country }) => country, drop: 3 },
  { header: 'Registry', cell: ({ registry }) => registry, min: 8, drop: 4 },
  { header: 'Registry id', cell: ({ registryId }) => registryId, drop: 4 },
  { header: 'Tonnes', cell: ({ totalAvailableVolume }) => amount(totalAvailableVolume), align: 'right' },
  { header: 'Price', cell: ({ minUnitPrice, maxUnitPrice }) => span(minUnitPrice, maxUnitPrice), align: 'right' },
  { header: 'Cur.', cell: ({ currency }) => currency },
  { header: 'Shown', cell: ({ missingSince }) => (missingSince ? `not since ${missingSince.slice(0, 10)}` : 'yes') },
  { header: 'Channel', cell: ({ channel }) => channel },
]
