import type { ReportRecord } from '../core/report-record.js'
import type { ReportRecords } from '../store/contract.js'
import type { MadeReport, MakeReport, ReportRequest } from './make-report.js'
import { reportName } from './report-folder.js'

interface RecordedReportsDeps {
  /** The report folder. */
  directory: string
  store: Pick<ReportRecords, 'addReportRecord'>
  /** Called when a report was written, but could not be recorded. */
  onError: (error: unknown, name: string) => void
}

/** Makes reports as `make` does, and records those that are written to the report folder. */
export const recordReports =
  (make: MakeReport, { directory, store, onError }: RecordedReportsDeps): MakeReport =>
  async (request, options) => {
    const made = await make(request, options)
    const name = reportName(directory, made.path)
    if (name === null) return made
    const record = toRecord(request, made, name)
    // Retried, because a file without a matching record is not served.
    await store
      .addReportRecord(record)
      .catch(() => store.addReportRecord(record))
      .catch((error: unknown) => onError(error, name))
    return made
  }

function toRecord(request: ReportRequest, { sha256, bytes }: MadeReport, name: string): ReportRecord {
  const { channel, rfqId = null, now, asOf = now, madeBy = null } = request
  return {
    ...{ name, channel: channel ?? '', rfqId, asOf: asOf.toISOString(), madeAt: now.toISOString(), madeBy },
    ...{ sha256, bytes },
  }
}
