import type { ReportRecord } from '../core/report-record.js'
import type { ReportRecords } from '../store/contract.js'
import type { MadeReport, MakeReport, ReportRequest } from './make-report.js'
import { reportFile, reportName } from './report-folder.js'

interface RecordedReportsDeps {
  store: Pick<ReportRecords, 'addReportRecord'>
  /** Called when a report was written, but could not be recorded. */
  onError: (error: unknown, name: string) => void
}

/** Makes reports as `make` does, and records those that are written to the report folder. */
export const recordReports =
  (make: MakeReport, { store, onError }: RecordedReportsDeps): MakeReport =>
  async (request, options) => {
    const made = await make(request, options)
    const name = reportName(request.config.reports.directory, made.path)
    // A report with an expected hash is a regenerated one, which is recorded already.
    if (name === null || request.sha256 !== undefined) return made
    const record = toRecord(request, made, name)
    // Retried, because a file without a matching record is not served.
    await store
      .addReportRecord(record)
      .catch(() => store.addReportRecord(record))
      .catch((error: unknown) => onError(error, name))
    return made
  }

function toRecord(
  request: ReportRequest,
  { sha256, bytes, readTimes, settings }: MadeReport,
  name: string,
): ReportRecord {
  const { channel, rfqId = null, format = 'xlsx', asOf, now, madeBy = null, version } = request
  return {
    ...{ name, channel: channel.key, rfqId, format, asOf: asOf.toISOString(), madeAt: now.toISOString(), madeBy },
    ...{ programVersion: version, timeZone: channel.timeZone, settings },
    ...{ readTimes, sha256, bytes },
  }
}

/**
 * The request that regenerates a recorded report with the same bytes, in the report folder of this process.
 * @returns null if its name cannot be a file in that folder
 */
export function requestOf(record: ReportRecord, directory: string): ReportRequest | null {
  const out = reportFile(directory, record.name)
  if (out === null) return null
  const { channel, timeZone, rfqId, format, asOf, madeAt, madeBy, programVersion, settings, readTimes, sha256 } = record
  return {
    config: { reports: { directory, settings, settingsGiven: true } },
    channel: { key: channel, timeZone },
    ...{ asOf: new Date(asOf), now: new Date(madeAt), version: programVersion, format, out, sha256, readTimes },
    ...(rfqId !== null && { rfqId }),
    ...(madeBy !== null && { madeBy }),
  }
}
