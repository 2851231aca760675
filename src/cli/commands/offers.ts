import { recommendationLines } from '../../domain/comparison/decision/recommendation-lines.js'
import type { RfqReport } from '../../domain/comparison/report/rfq-report-model.js'
import { createCalendar } from '../../domain/expiry.js'
import type { KnownDocument } from '../../domain/records.js'
import type { Store } from '../../store/contract.js'
import { type App, withStore } from '../app.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { findRfq, rfqLabel } from '../find-rfq.js'
import { formatRecommendation } from '../format-recommendation.js'
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
import { databaseNow, parseReadFilter } from '../read-filter.js'
import { createReportOrder } from '../report-request.js'
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
        const report = await reportOf(cli, { store, app }, found.rfq, filter.asOf)
        const places = new Map(report.offers.map(({ id, sequence, rank }, at) => [id, { number: sequence, rank, at }]))
        const rows = found.responses
          .map((response) => ({
            ...NOT_REPORTED,
            ...places.get(response.id),
            ...offerRow(found.rfq, response, calendar),
          }))
          .sort((a, b) => a.at - b.at)
          .map(({ at, ...row }): Row => row)
        printRows(cli.io, options.json, COLUMNS, rows, `RFQ ${rfqLabel(found)} has no offers.`)
        if (options.json || rows.length === 0) return
        cli.io.out(`\n${formatRecommendation(recommendationLines(report.decision), cli.io.width)}`)
      }),
    )
  withExamples(
    command,
    ['quotekeeper offers 1042', 'the offers for RFQ 1042'],
    ['quotekeeper offers 1042 --channel acme/forest', 'if two channels have an RFQ 1042'],
  )
}

/** An offer with its number and rank in the report, with the settings of the configuration. */
type Row = OfferRow & { number: number | null; rank: number | null }
/** For offers that arrived after the report was computed. */
const NOT_REPORTED = { number: null, rank: null, at: Number.POSITIVE_INFINITY }

/** The report, with the settings of the configuration; it numbers and ranks the offers. */
async function reportOf(
  { io }: Cli,
  { store, app }: { store: Store; app: App },
  { channel, id }: KnownDocument,
  asOf: Date | undefined,
): Promise<RfqReport> {
  const now = await databaseNow(store, io.now())
  const order = createReportOrder(app.config, { channel, asOf: asOf ?? now, now })
  const { buildRfqReport } = await import('../../reporting/rfq-report.js')
  return buildRfqReport({ ...order, store, rfqId: id })
}

const submitted = ({ submittedAt, late }: Row) => `${formatMinute(submittedAt)}${late ? ' late' : ''}`

const COLUMNS: Column<Row>[] = [
  { header: 'No.', cell: ({ number }) => formatNumber(number), align: 'right' },
  { header: 'Rank', cell: ({ rank }) => (rank === null ? '–' : formatNumber(rank)), align: 'right', drop: 1 },
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
