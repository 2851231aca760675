import { join } from 'node:path'
import type { BuildOptions } from '../../reports/xlsx/workbook.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { Settings } from '../core/decision/settings.js'
import type { Store } from '../store/contract.js'
import { awardLines } from '../tables/awards/award-schema.js'
import { createRulesLookup } from '../tables/channels/channel-rules.js'
import { buildRfqReport } from '../tables/rfq/build-rfq-report.js'
import type { RfqReportSource } from '../tables/rfq/report-input.js'
import { decisionLines } from '../tables/rfq/rfq-view.js'
import type { ViewConfig } from '../tables/source.js'
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
 * @throws as `buildRfqReport`, StoreError, or an error of the file system, and leaves no partial file behind; the reason of `signal` if it
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
      ? makeRfqReport(rfqReportSource(store, config, request), request, options)
      : makeOverview(store, config, request, options)

const isRfqRequest = (request: ReportRequest): request is RfqReportRequest => request.rfqId !== undefined

/** What the comparison of an RFQ is made from. */
export function rfqReportSource(
  store: Store,
  { channels, reports }: ViewConfig,
  { channel, rfqId, now, asOf = now, madeBy, settings, award }: RfqReportRequest,
): RfqReportSource {
  return {
    ...{ store, rfqId, asOf, now, version: VERSION },
    config: { reports: { ...reports, ...(settings && { settings }) } },
    channel: { key: channel, timeZone: createRulesLookup(channels)(channel).timeZone },
    ...(madeBy !== undefined && { madeBy }),
    ...(award && { award }),
  }
}

async function makeRfqReport(
  source: RfqReportSource,
  { out }: RfqReportRequest,
  options: BuildOptions,
): Promise<MadeReport> {
  const { rfqWorkbook } = await import('../../reports/workbooks.js') // Heavy, so loaded only when needed.
  const { config, channel, asOf } = source
  const report = await buildRfqReport(source)
  const ambiguous = out === undefined && (await isAmbiguous(source, report.rfq.number))
  const name = rfqFileName({ ...report.rfq, ambiguous }, asOf)
  const path = out ?? join(reportFolder(config.reports.directory, channel.key), name)
  const content = await rfqWorkbook(report, options)
  const written = await writeFileAtomically(path, content, { mustBeNew: out !== undefined })
  return { ...written, recommendation: [...awardLines(report.award), ...decisionLines(report.decision)] }
}

/** Whether another RFQ has, or had, the same number: the marketplace may reuse one. */
async function isAmbiguous({ store, channel, asOf, rfqId }: RfqReportSource, number: number | null): Promise<boolean> {
  if (number === null) return false
  const match = { text: String(number), kind: 'number', former: true } as const
  const found = await store.rfqs({ channel: channel.key, asOf, match, withoutResponses: true })
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
    const answer = await views.list(name, { now, parameters: { ...filter, ...period }, ...(limit && { limit }) })
    if ('problem' in answer) throw new RangeError(answer.problem.message)
    rows[name] = answer.rows
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
