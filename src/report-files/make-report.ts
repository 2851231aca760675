import { join } from 'node:path'
import type { BuildOptions } from '../../reports/xlsx/workbook.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { Settings } from '../core/decision/settings.js'
import type { Store } from '../store/contract.js'
import { awardLines, decisionLines } from '../tables/rfq/rfq-view.js'
import { createViewSource, type ViewConfig } from '../tables/source.js'
import { createViews } from '../tables/views.js'
import { VERSION } from '../version.js'
import { overviewFileName, reportFolder, rfqFileName } from './file-names.js'
import { type WrittenFile, writeFileAtomically } from './report-file.js'

/** A report to make. Plain values only, so that it can be sent to a worker thread. */
export interface ReportRequest {
  /** `org/slug`; null for the overview of all channels. */
  channel: string | null
  /** The RFQ whose offers to compare; without it, an overview is made. */
  rfqId?: string
  /** A comparison shows what was known at this moment. Default: now. An overview shows the present. */
  asOf?: Date
  now: Date
  /** Who asked for it, or what else caused it. */
  madeBy?: string
  /** With which settings offers are compared. Default: those of the configuration. */
  settings?: Settings
  /** The award of the RFQ to show, which is about to be recorded. Default: the one that stands. */
  award?: AwardFacts
  /** Absolute path of a file that does not exist; by default a generated name in the channel's report folder, which may be replaced. */
  out?: string
}

/** A request for the comparison of an RFQ. */
type RfqReportRequest = ReportRequest & { channel: string; rfqId: string }

/**
 * Makes a report.
 * @throws as `compareRfq`, StoreError, or an error of the file system, and leaves no partial file behind; the reason of `signal` if it
 *   was aborted
 */
export type MakeReport = (request: ReportRequest, options?: BuildOptions) => Promise<MadeReport>

/** The file that was written. */
export interface MadeReport extends WrittenFile {
  /** The recommendation of an offer comparison in a few lines; empty for an overview. */
  recommendation: string[]
}

/** Makes reports in the calling thread, from an open store. */
export const makeReportInProcess =
  (store: Store, config: ViewConfig): MakeReport =>
  (request, options = {}) =>
    isRfqRequest(request)
      ? makeRfqReport(store, config, request, options)
      : makeOverview(store, config, request, options)

const isRfqRequest = (request: ReportRequest): request is RfqReportRequest => request.rfqId !== undefined

async function makeRfqReport(
  store: Store,
  config: ViewConfig,
  request: RfqReportRequest,
  options: BuildOptions,
): Promise<MadeReport> {
  const { rfqWorkbook } = await import('../../reports/workbooks.js') // Heavy, so loaded only when needed.
  const { channel, now, asOf = now, out } = request
  const report = await createViewSource(store, config).compare(request)
  const ambiguous = out === undefined && (await isAmbiguous(store, { ...request, asOf }, report.rfq.number))
  const name = rfqFileName({ ...report.rfq, ambiguous }, asOf)
  const path = out ?? join(reportFolder(config.reports.directory, channel), name)
  const content = await rfqWorkbook(report, options)
  const written = await writeFileAtomically(path, content, { mustBeNew: out !== undefined })
  return { ...written, recommendation: [...awardLines(report.award), ...decisionLines(report.decision)] }
}

/** Whether another RFQ has, or had, the same number: the marketplace may reuse one. */
async function isAmbiguous(
  store: Store,
  { channel, asOf, rfqId }: RfqReportRequest & { asOf: Date },
  number: number | null,
): Promise<boolean> {
  if (number === null) return false
  const match = { text: String(number), kind: 'number', former: true } as const
  const found = await store.rfqs({ channel, asOf, match, withoutResponses: true })
  return found.some(({ rfq }) => rfq.id !== rfqId)
}

async function makeOverview(
  store: Store,
  config: ViewConfig,
  { channel, now, madeBy, out }: ReportRequest,
  options: BuildOptions,
): Promise<MadeReport> {
  const { CHANGES, OVERVIEW_LISTS, overviewWorkbook } = await import('../../reports/workbooks.js')
  const views = createViews(store, config)
  const filter = channel === null ? {} : { channel }
  const rows: Partial<Record<(typeof OVERVIEW_LISTS)[number], readonly unknown[]>> = {}
  for (const name of OVERVIEW_LISTS) {
    const { limit, ...period } = name === 'changes' ? CHANGES : {}
    const page = await views.list(name, { now, parameters: { ...filter, ...period }, ...(limit && { limit }) })
    rows[name] = page.rows
  }
  const overview = {
    ...{ channel, now, madeBy: madeBy ?? null, version: VERSION, settings: config.reports.settings },
    today: await views.today({ now, ...filter }),
    rows: rows as Required<typeof rows>,
  }
  const path = out ?? join(reportFolder(config.reports.directory, channel), overviewFileName(channel, now))
  const content = await overviewWorkbook(overview, options)
  const written = await writeFileAtomically(path, content, { mustBeNew: out !== undefined })
  return { ...written, recommendation: [] }
}
