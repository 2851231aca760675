import { createHash } from 'node:crypto'
import { join, relative, sep } from 'node:path'
import { rfqFileName } from '../../reporting/file-names.js'
import type { MakeReport, ReportRequest } from '../../reporting/make-report.js'
import { reportDestination } from '../../reporting/report-destination.js'
import type { MakeReportFile, ReportOrder } from '../../web/reports/report-jobs.js'
import type { App } from '../app.js'
import { createReportOrder } from '../report-request.js'

/** Makes the reports that are asked for on the page, in the worker thread that makes all reports. */
export const createReportMaker =
  ({ config, makeReport }: Pick<App, 'config'> & { makeReport: MakeReport }, now: () => Date): MakeReportFile =>
  async (order, onProgress) => {
    const { channel, asOf, rfq, format, settings } = order
    const request: ReportRequest = {
      ...createReportOrder(config, { channel, asOf, now: now() }),
      config: { reports: { ...config.reports, settings } },
      ...(rfq && { rfqId: rfq.id }),
      format,
    }
    const out = whatIfFile(order, config)
    const { path } = await makeReport(
      { ...request, ...(out !== null && { out }) },
      { onProgress: ({ done, total }) => onProgress(done / total) },
    )
    return relative(config.reports.directory, path).split(sep).join('/')
  }

/** A name of its own for a report with other settings, so that it does not replace that of the configuration. */
function whatIfFile(
  { channel, rfq, asOf, format, settings, isWhatIf }: ReportOrder,
  config: App['config'],
): string | null {
  const destination = reportDestination(config, channel)
  if (!isWhatIf || rfq === null || !('directory' in destination)) return null
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 8)
  const number = /^\d+$/.test(rfq.name) ? Number(rfq.name) : null
  const name = rfqFileName({ id: rfq.id, number }, asOf, format)
  return join(destination.directory, name.replace(/(\.\w+)$/, `_what-if-${hash}$1`))
}
