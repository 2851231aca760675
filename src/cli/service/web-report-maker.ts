import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { JobObserver, Log } from '../../../jobs/contract.js'
import { observeReport, recordReport } from '../../../jobs/report-jobs.js'
import type { Clock } from '../../core/time/clock.js'
import { reportFolder, rfqFileName } from '../../report-files/file-names.js'
import type { MakeReport, ReportRequest } from '../../report-files/make-report.js'
import { reportName } from '../../report-files/report-folder.js'
import type { Store } from '../../store/contract.js'
import type { MakeReportFile, ReportJobRequest } from '../../web/reports/report-jobs.js'
import type { App } from '../app.js'
import { createReportRequest } from '../input/report-request.js'

interface WebReportMakerDeps extends Pick<App, 'config'> {
  log: Pick<Log, 'warn'>
  makeReport: MakeReport
  store: Pick<Store, 'recordEvent'>
  now: Clock
  observer?: Pick<JobObserver, 'reportEnded'> | undefined
}

/**
 * Makes the reports that users request on web pages, in the same worker thread as all other reports. Like those of report jobs, they
 * count in the metrics and record an event; what-if reports record none.
 */
export const createWebReportMaker =
  (deps: WebReportMakerDeps): MakeReportFile =>
  async (job, onProgress) => {
    const { config, now, makeReport } = deps
    const { channel, asOf, rfq, settings, requestedBy, isWhatIf } = job
    const request: ReportRequest = {
      ...createReportRequest(config, { channel, asOf, now: now(), madeBy: requestedBy }),
      config: { reports: { ...config.reports, settings, settingsGiven: isWhatIf } },
      ...(rfq && { rfqId: rfq.id }),
    }
    const out = whatIfPath(job, config)
    const { path } = await observeReport(deps.observer, rfq === null ? 'channel' : 'rfq', () =>
      makeReport(
        { ...request, ...(out !== null && { out }) },
        { onProgress: ({ done, total }) => onProgress(done / total) },
      ),
    )
    const name = reportName(config.reports.directory, path) ?? path
    if (!isWhatIf) await recordReport(deps, { channel, ...(rfq && { rfqId: rfq.id }) }, { name, by: requestedBy })
    return name
  }

/** The path of a what-if report, so that it does not overwrite the report with the configured settings; null for other reports. */
function whatIfPath(
  { channel, rfq, asOf, settings, isWhatIf }: ReportJobRequest,
  config: App['config'],
): string | null {
  if (!isWhatIf || rfq === null) return null
  const hash = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 8)
  const number = /^\d+$/.test(rfq.name) ? Number(rfq.name) : null
  const name = rfqFileName({ id: rfq.id, number }, asOf)
  return join(reportFolder(config, channel), name.replace(/(\.\w+)$/, `_what-if-${hash}$1`))
}
