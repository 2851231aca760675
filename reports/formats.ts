import type { ChannelReport } from '../src/domain/comparison/channel/channel-report-model.js'
import type { RfqReport } from '../src/domain/comparison/report/rfq-report-model.js'
import { channelIdentity } from './channel/layout.js'
import { channelSheets } from './channel/workbook.js'
import { renderCsv } from './csv/csv-table.js'
import { channelFileName, rfqFileName } from './file-names.js'
import { renderHtmlPage } from './html/html-page.js'
import type { ReportIdentity, SheetFactory, SheetPlan } from './layout/sheet-plan.js'
import { type Destination, destinationPath, type WrittenFile, writeFileAtomically } from './report-file.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, streamWorkbook } from './xlsx/workbook-writer.js'

/** `csv` contains one table; the others contain the whole report. */
export const FORMATS = ['xlsx', 'csv', 'json', 'html'] as const
export type Format = (typeof FORMATS)[number]

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
type RfqTable = (typeof RFQ_TABLES)[number]
type ChannelTable = (typeof CHANNEL_TABLES)[number]

/** `mustBeNew`: fail if the file exists. */
type WriteOptions = BuildOptions & { mustBeNew?: boolean }

interface RenderableReport<Table extends string> {
  model: object
  sheets: () => SheetFactory[]
  identity: ReportIdentity
  table: Table
}

type TextFormat = Exclude<Format, 'xlsx'>

/** Renders the report on an RFQ as text. JSON is the report model itself, identified by its member `schema`. */
export function renderRfqReport(report: RfqReport, format: TextFormat, options: { table?: RfqTable } = {}): string {
  return renderText(renderableRfq(report, options), format)
}

/** Renders the overview of a channel as text, like `renderRfqReport`. */
export function renderChannelReport(
  report: ChannelReport,
  format: TextFormat,
  options: { table?: ChannelTable } = {},
): string {
  return renderText(renderableChannel(report, options), format)
}

const renderableRfq = (
  report: RfqReport,
  { table = RFQ_TABLES[0] }: { table?: RfqTable },
): RenderableReport<RfqTable> => ({
  model: report,
  sheets: () => rfqSheets(report),
  identity: rfqIdentity(report),
  table,
})

const renderableChannel = (
  report: ChannelReport,
  { table = CHANNEL_TABLES[0] }: { table?: ChannelTable },
): RenderableReport<ChannelTable> => ({
  model: report,
  sheets: () => channelSheets(report),
  identity: channelIdentity(report),
  table,
})

function renderText(report: RenderableReport<string>, format: TextFormat): string {
  switch (format) {
    case 'csv':
      return renderCsv(findTable(report))
    case 'json':
      return `${JSON.stringify(report.model, null, 2)}\n`
    case 'html':
      return renderHtmlPage(makeSheets(report), report.identity)
  }
}

const makeSheets = (report: RenderableReport<string>): SheetPlan[] => report.sheets().map((makeSheet) => makeSheet())

function findTable(report: RenderableReport<string>): SheetPlan {
  const sheet = makeSheets(report).find(({ name }) => name === report.table)
  if (sheet === undefined) throw new RangeError(`The report has no table ${report.table}.`)
  return sheet
}

/**
 * Writes the report on an RFQ.
 * @param destination a directory, in which the file is named `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.<format>`, or a file
 * @param options.ambiguous whether another RFQ of the channel has the same number
 * @throws the error of the file system; no partial file is left behind
 */
export async function writeRfqReport(
  report: RfqReport,
  format: Format,
  destination: Destination,
  options: WriteOptions & { table?: RfqTable; ambiguous?: boolean } = {},
): Promise<WrittenFile> {
  const { ambiguous = false } = options
  const name = rfqFileName({ ...report.rfq, ambiguous }, new Date(report.context.asOf), format)
  return writeReport(destinationPath(destination, name), renderableRfq(report, options), format, options)
}

/** Writes the overview of a channel, like `writeRfqReport`. */
export async function writeChannelReport(
  report: ChannelReport,
  format: Format,
  destination: Destination,
  options: WriteOptions & { table?: ChannelTable } = {},
): Promise<WrittenFile> {
  const name = channelFileName(report.context.channel, new Date(report.context.asOf), format)
  return writeReport(destinationPath(destination, name), renderableChannel(report, options), format, options)
}

async function writeReport(
  path: string,
  report: RenderableReport<string>,
  format: Format,
  options: WriteOptions,
): Promise<WrittenFile> {
  const { sheets, identity } = report
  const content = format === 'xlsx' ? streamWorkbook(sheets(), identity, options) : renderText(report, format)
  return { path, bytes: await writeFileAtomically(path, content, options) }
}
