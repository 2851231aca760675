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

/** `csv` holds one table; the others the whole report. */
export const FORMATS = ['xlsx', 'csv', 'json', 'html'] as const
export type Format = (typeof FORMATS)[number]

/** The tables CSV can be had of; the first unless told. */
export const RFQ_TABLES = ['Offers', 'Deliveries', 'Prepayments', 'Scoring', 'Changes', 'Checks'] as const
const CHANNEL_TABLES = ['RFQs', 'Offers', 'Closings', 'Listings'] as const
export type RfqTable = (typeof RFQ_TABLES)[number]
export type ChannelTable = (typeof CHANNEL_TABLES)[number]

interface Whole<Table extends string> {
  report: object
  sheets: () => SheetFactory[]
  identity: ReportIdentity
  table: Table
}

type TextFormat = Exclude<Format, 'xlsx'>

/** The report on one RFQ as text, from the same model. JSON is the model itself, told apart by its `schema`. */
export function rfqText(report: RfqReport, format: TextFormat, options: { table?: RfqTable } = {}): string {
  return textOf(wholeRfq(report, options), format)
}

/** The overview of a channel as text. */
export function channelText(report: ChannelReport, format: TextFormat, options: { table?: ChannelTable } = {}): string {
  return textOf(wholeChannel(report, options), format)
}

const wholeRfq = (report: RfqReport, { table = RFQ_TABLES[0] }: { table?: RfqTable }): Whole<RfqTable> => ({
  report,
  sheets: () => rfqSheets(report),
  identity: rfqIdentity(report),
  table,
})

const wholeChannel = (
  report: ChannelReport,
  { table = CHANNEL_TABLES[0] }: { table?: ChannelTable },
): Whole<ChannelTable> => ({
  report,
  sheets: () => channelSheets(report),
  identity: channelIdentity(report),
  table,
})

function textOf(whole: Whole<string>, format: TextFormat): string {
  switch (format) {
    case 'csv':
      return renderCsv(tableOf(whole))
    case 'json':
      return `${JSON.stringify(whole.report, null, 2)}\n`
    case 'html':
      return renderHtmlPage(made(whole), whole.identity)
  }
}

const made = ({ sheets }: Pick<Whole<string>, 'sheets'>): SheetPlan[] => sheets().map((make) => make())

function tableOf({ sheets, table }: Whole<string>): SheetPlan {
  const found = made({ sheets }).find(({ name }) => name === table)
  if (found === undefined) throw new RangeError(`the report has no table ${table}`)
  return found
}

/**
 * Writes the report on one RFQ in a format.
 * @param destination a directory, where it is called `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.<format>`, or a file
 * @param options.ambiguous the number means another RFQ of the channel too
 * @throws the error of the file system; nothing is left behind then
 */
export async function writeRfqReport(
  report: RfqReport,
  format: Format,
  destination: Destination,
  options: BuildOptions & { table?: RfqTable; ambiguous?: boolean } = {},
): Promise<WrittenFile> {
  const { ambiguous = false } = options
  const name = rfqFileName({ ...report.rfq, ambiguous }, new Date(report.context.asOf), format)
  return written(destinationPath(destination, name), wholeRfq(report, options), format, options)
}

/** Writes the overview of a channel in a format, as `writeRfqReport`. */
export async function writeChannelReport(
  report: ChannelReport,
  format: Format,
  destination: Destination,
  options: BuildOptions & { table?: ChannelTable } = {},
): Promise<WrittenFile> {
  const name = channelFileName(report.context.channel, new Date(report.context.asOf), format)
  return written(destinationPath(destination, name), wholeChannel(report, options), format, options)
}

async function written(
  path: string,
  whole: Whole<string>,
  format: Format,
  options: BuildOptions,
): Promise<WrittenFile> {
  const { sheets, identity } = whole
  const content = format === 'xlsx' ? streamWorkbook(sheets(), identity, options) : textOf(whole, format)
  return { path, bytes: await writeFileAtomically(path, content) }
}
