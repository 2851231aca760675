import type { Readable } from 'node:stream'
import type { ChannelReport } from '../src/domain/comparison/channel/channel-report-model.js'
import type { RfqReport } from '../src/domain/comparison/report/rfq-report-model.js'
import { channelIdentity } from './channel/layout.js'
import { channelSheets } from './channel/workbook.js'
import { renderCsv } from './csv/csv-table.js'
import { renderHtmlPage } from './html/html-page.js'
import type { ReportIdentity, SheetFactory } from './layout/sheet-plan.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, streamWorkbook } from './xlsx/workbook-writer.js'

/** `csv` contains one table; the others contain the whole report. */
export const FORMATS = ['xlsx', 'csv', 'json', 'html'] as const
export type Format = (typeof FORMATS)[number]
type TextFormat = Exclude<Format, 'xlsx'>

/** The tables available as CSV; the first is the default. */
export const RFQ_TABLES = [
  'Offers',
  'Deliveries',
  'Prepayments',
  'Scoring',
  'Negotiation',
  'Changes',
  'Checks',
] as const
const CHANNEL_TABLES = ['RFQs', 'Offers', 'Closings', 'Listings'] as const

/** How to render; a table is only for CSV. */
export type RfqRenderOptions = BuildOptions & { table?: (typeof RFQ_TABLES)[number] }
export type ChannelRenderOptions = BuildOptions & { table?: (typeof CHANNEL_TABLES)[number] }

/**
 * Renders the report on an RFQ: text, or a workbook that is made while it is read. JSON is the report model itself,
 * identified by its member `schema`.
 */
export function renderRfqReport(report: RfqReport, format: TextFormat, options?: RfqRenderOptions): string
export function renderRfqReport(report: RfqReport, format: Format, options?: RfqRenderOptions): string | Readable
export function renderRfqReport(report: RfqReport, format: Format, options: RfqRenderOptions = {}): string | Readable {
  const { table = RFQ_TABLES[0] } = options
  return render(report, format, rfqSheets(report), rfqIdentity(report), { ...options, table })
}

/** Renders the overview of a channel, like `renderRfqReport`. */
export function renderChannelReport(report: ChannelReport, format: TextFormat, options?: ChannelRenderOptions): string
export function renderChannelReport(
  report: ChannelReport,
  format: Format,
  options?: ChannelRenderOptions,
): string | Readable
export function renderChannelReport(report: ChannelReport, format: Format, options: ChannelRenderOptions = {}) {
  const { table = CHANNEL_TABLES[0] } = options
  return render(report, format, channelSheets(report), channelIdentity(report), { ...options, table })
}

function render(
  model: object,
  format: Format,
  sheets: readonly SheetFactory[],
  identity: ReportIdentity,
  options: BuildOptions & { table: string },
): string | Readable {
  switch (format) {
    case 'xlsx':
      return streamWorkbook(sheets, identity, options)
    case 'json':
      return `${JSON.stringify(model, null, 2)}\n`
    case 'html':
      return renderHtmlPage(
        sheets.map((make) => make()),
        identity,
      )
    case 'csv': {
      const sheet = sheets.map((make) => make()).find(({ name }) => name === options.table)
      if (sheet === undefined) throw new RangeError(`The report has no table ${options.table}.`)
      return renderCsv(sheet)
    }
  }
}
