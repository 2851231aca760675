import type { Readable } from 'node:stream'
import type { ChannelReport } from '../src/compare/channel/channel-report-model.js'
import type { RfqReport } from '../src/compare/report/rfq-report-model.js'
import type { ReportFormat } from '../src/core/report-record.js'
import { renderCsv } from '../src/presentation/csv.js'
import { channelIdentity } from './channel/layout.js'
import { channelSheets } from './channel/workbook.js'
import { renderHtmlPage } from './html/html-page.js'
import type { ReportIdentity, SheetFactory } from './layout/sheet-plan.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, streamWorkbook } from './xlsx/workbook-writer.js'

/** Text, or a workbook that is generated while its stream is read. */
type Rendered<Format extends ReportFormat> = Format extends 'xlsx' ? Readable : string

/** The tables available as CSV; the first is the default. */
export const RFQ_TABLES = ['Offers', 'Deliveries', 'Prepayments', 'Scoring', 'Choices', 'Questions', 'Changes'] as const
const CHANNEL_TABLES = ['RFQs', 'Offers', 'Closings', 'Listings'] as const

/** `table` selects the table of CSV; other formats ignore it. */
export type RfqRenderOptions = BuildOptions & { table?: (typeof RFQ_TABLES)[number] }
export type ChannelRenderOptions = BuildOptions & { table?: (typeof CHANNEL_TABLES)[number] }

/** Renders the report on an RFQ. JSON is the report model itself, identified by its member `schema`. */
export const renderRfqReport = <Format extends ReportFormat>(
  report: RfqReport,
  format: Format,
  { table = RFQ_TABLES[0], ...options }: RfqRenderOptions = {},
): Rendered<Format> =>
  renderers(report, rfqSheets(report, format === 'csv'), rfqIdentity(report), { table, ...options })[format]()

/** Renders the overview of a channel, as `renderRfqReport` does for an RFQ. */
export const renderChannelReport = <Format extends ReportFormat>(
  report: ChannelReport,
  format: Format,
  { table = CHANNEL_TABLES[0], ...options }: ChannelRenderOptions = {},
): Rendered<Format> =>
  renderers(report, channelSheets(report), channelIdentity(report), { table, ...options })[format]()

function renderers(
  model: object,
  sheets: readonly SheetFactory[],
  identity: ReportIdentity,
  options: BuildOptions & { table: string },
): { [Format in ReportFormat]: () => Rendered<Format> } {
  const plans = () => sheets.map((make) => make())
  return {
    xlsx: () => streamWorkbook(sheets, identity, options),
    json: () => `${JSON.stringify(model, null, 2)}\n`,
    html: () => renderHtmlPage(plans(), identity),
    csv: () => {
      const data = plans().find(({ name }) => name === options.table)?.data
      if (data === undefined) throw new RangeError(`The report has no table ${options.table}.`)
      return renderCsv(data())
    },
  }
}
