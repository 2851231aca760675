import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { type RfqRow, rfqRow } from '../json-rows.js'
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

type Options = ChannelOption & AsOfOption & JsonOption & { state?: string }

/** `rfqs`: the RFQs that are known. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--state <state>', 'in this state only, such as open or closed')
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options)
        const known = (await store.rfqs(filter)).map(rfqRow)
        const rows = known.filter(({ state }) => options.state === undefined || state === options.state)
        printRows(
          cli.io,
          options.json,
          COLUMNS,
          rows,
          'No such RFQ is known. `quotekeeper sync` polls the marketplace.',
        )
      }),
    )
  withExamples(
    command,
    ['quotekeeper rfqs --state open', 'what is open now'],
    ['quotekeeper rfqs --as-of 2026-01-31 --json', 'what was known at the end of that day, for a script'],
  )
}

const COLUMNS: Column<RfqRow>[] = [
  { header: 'Number', cell: ({ number, id }) => number ?? id, align: 'right' },
  { header: 'Reference', cell: ({ reference }) => reference, drop: 4 },
  { header: 'Title', cell: ({ title }) => title, min: 20 },
  { header: 'State', cell: ({ state, missingSince }) => (missingSince ? `${state ?? ''} (not shown)` : state) },
  { header: 'Answers due', cell: ({ responseDueDate }) => responseDueDate },
  { header: 'Offers', cell: ({ offers }) => offers, align: 'right' },
  { header: 'Tonnes', cell: ({ minVolume, maxVolume }) => formatRange(minVolume, maxVolume), align: 'right', drop: 2 },
  {
    header: 'Price',
    cell: ({ minUnitPrice, maxUnitPrice }) => formatRange(minUnitPrice, maxUnitPrice),
    align: 'right',
    drop: 3,
  },
  { header: 'Cur.', cell: ({ currency }) => currency, drop: 3 },
  { header: 'Channel', cell: ({ channel }) => channel },
]

/** `100–500`; one number where both are the same or one is lacking. */
export function formatRange(min: number | null, max: number | null): string {
  if (min === null || max === null || min === max) return formatNumber(min ?? max)
  return `${formatNumber(min)}–${formatNumber(max)}`
}
