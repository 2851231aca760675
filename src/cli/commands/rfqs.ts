import { closestMatches } from '../../config/suggest.js'
import { RFQ_STATES } from '../../domain/documents.js'
import type { Store } from '../../store/contract.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
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
import { formatNumber, sanitize } from '../terminal-text.js'

type Options = ChannelOption & AsOfOption & JsonOption & { state?: string }

/** `rfqs`: lists RFQs. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addOption(channelOption())
    .option('--state <state>', 'only RFQs in this state, such as open or closed')
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const all = (await store.rfqs(filter)).map(rfqRow)
        if (options.state !== undefined) await refuseUnknownState(store, options.state, all)
        const rows = all.filter(({ state }) => options.state === undefined || state === options.state)
        printRows(cli.io, options.json, COLUMNS, rows, 'No RFQs found. `quotekeeper sync` polls the marketplace.')
      }),
    )
  withExamples(
    command,
    ['quotekeeper rfqs --state open', 'the open RFQs'],
    ['quotekeeper rfqs --as-of 2026-01-31 --json', 'as known at the end of that day, for a script'],
  )
}

/** A state that is neither documented nor in the database is a typo, not a filter that nothing matches. */
async function refuseUnknownState(store: Store, state: string, listed: readonly RfqRow[]): Promise<void> {
  const isKnown = (rows: readonly RfqRow[]) => rows.some((row) => row.state === state)
  if (RFQ_STATES.some((known) => known === state) || isKnown(listed)) return
  const stored = (await store.rfqs({ withoutResponses: true })).map(rfqRow)
  if (isKnown(stored)) return
  const states = [...new Set([...RFQ_STATES, ...stored.flatMap((row) => row.state ?? [])])]
  const [close] = closestMatches(state, states, { max: 1 })
  const suggestion = close === undefined ? '' : `did you mean ${close}? `
  throw new UsageError(`no RFQ has the state "${sanitize(state)}"; ${suggestion}Known states: ${states.join(', ')}`)
}

const COLUMNS: Column<RfqRow>[] = [
  { header: 'Number', cell: ({ number, id }) => number ?? id, align: 'right' },
  { header: 'Reference', cell: ({ reference }) => reference, drop: 4 },
  { header: 'Title', cell: ({ title }) => title, min: 20 },
  { header: 'State', cell: ({ state, missingSince }) => (missingSince ? `${state ?? ''} (missing)` : state) },
  { header: 'Due', cell: ({ responseDueDate }) => responseDueDate },
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

/** `100–500`, or one number if both are equal or one is null. */
export function formatRange(min: number | null, max: number | null): string {
  if (min === null || max === null || min === max) return formatNumber(min ?? max)
  return `${formatNumber(min)}–${formatNumber(max)}`
}
