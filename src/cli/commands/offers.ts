import { createCalendar } from '../../domain/expiry.js'
import { withStore } from '../app.js'
import type { RegisterCommand } from '../cli-context.js'
import { findRfq, rfqLabel } from '../find-rfq.js'
import { type OfferRow, offerRow } from '../json-rows.js'
import {
  type AsOfOption,
  asOfOption,
  type ChannelOption,
  channelOption,
  type JsonOption,
  jsonOption,
  withExamples,
} from '../options.js'
import { formatMinute, printRows } from '../output.js'
import { parseReadFilter } from '../read-filter.js'
import { timeZoneOf } from '../select-channels.js'
import type { Column } from '../terminal-table.js'
import { formatNumber } from '../terminal-text.js'

type Options = ChannelOption & AsOfOption & JsonOption

/** `offers RFQ`: lists the offers for an RFQ. */
export const register: RegisterCommand = (command, cli) => {
  command
    .argument('<rfq>', 'number, reference or id of the RFQ')
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(jsonOption())
    .action((match: string, options: Options) =>
      withStore(cli, async (store, app) => {
        const filter = await parseReadFilter(cli, { store, app }, options, 'rfqs')
        const found = await findRfq(store, { match, ...filter })
        const calendar = createCalendar(timeZoneOf(app.config, found.rfq.channel))
        const rows = found.responses.map((response) => offerRow(found.rfq, response, calendar)).sort(byPrice)
        printRows(cli.io, options.json, COLUMNS, rows, `RFQ ${rfqLabel(found)} has no offers.`)
      }),
    )
  withExamples(
    command,
    ['quotekeeper offers 1042', 'the offers for RFQ 1042'],
    ['quotekeeper offers 1042 --channel acme/forest', 'if two channels have an RFQ 1042'],
  )
}

/** Grouped by currency, because prices in different currencies are not comparable; then by price per tonne. */
const byPrice = (a: OfferRow, b: OfferRow) =>
  (a.currency ?? '').localeCompare(b.currency ?? '') ||
  (a.pricePerTonne ?? Number.POSITIVE_INFINITY) - (b.pricePerTonne ?? Number.POSITIVE_INFINITY) ||
  a.id.localeCompare(b.id)

const submitted = ({ submittedAt, late }: OfferRow) => `${formatMinute(submittedAt)}${late ? ' late' : ''}`

const COLUMNS: Column<OfferRow>[] = [
  { header: 'Developer', cell: ({ projectDeveloperName }) => projectDeveloperName, min: 14 },
  { header: 'Project', cell: ({ projectName }) => projectName, min: 14, drop: 3 },
  { header: 'Status', cell: ({ status, missingSince }) => (missingSince ? `${status ?? ''} (missing)` : status) },
  { header: 'Contract', cell: ({ contractType }) => contractType, drop: 5 },
  { header: 'Tonnes', cell: ({ totalVolume }) => formatNumber(totalVolume), align: 'right' },
  { header: 'Total', cell: ({ totalPrice }) => formatNumber(totalPrice), align: 'right' },
  { header: 'Per tonne', cell: ({ pricePerTonne }) => formatNumber(pricePerTonne), align: 'right' },
  { header: 'Basis', cell: ({ priceBasis }) => priceBasis, drop: 4 },
  { header: 'Cur.', cell: ({ currency }) => currency },
  { header: 'Expires', cell: ({ expiryDate }) => expiryDate, drop: 2 },
  { header: 'Submitted (UTC)', cell: submitted, drop: 6 },
  { header: 'Id', cell: ({ id }) => id, min: 8, drop: 7 },
]
