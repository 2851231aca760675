import pLimit from 'p-limit'
import type { MakeReport } from '../../reporting/make-report.js'
import { requestOf } from '../../reporting/recorded-reports.js'
import { findReport, listReports } from '../../reporting/report-folder.js'
import type { ReportRecords } from '../../store/contract.js'
import { VERSION } from '../../version.js'
import { HttpError } from '../../web/errors.js'
import type { ReportFile, ReportsDeps } from '../../web/pages/reports-page.js'

interface ReportFilesDeps {
  /** The report folder of this process; absolute. */
  directory: string
  store: Pick<ReportRecords, 'reportRecord' | 'listReports'>
  makeReport: MakeReport
}

/** Records that are listed, the newest ones. */
const MAX_RECORDS = 5_000

/**
 * The reports of all processes on the database: those in the report folder of this one, and those that another one made, on
 * another machine, which are made again here when they are asked for.
 */
export function createReportFiles({
  directory,
  store,
  makeReport,
}: ReportFilesDeps): Pick<ReportsDeps, 'files' | 'find'> {
  const oneAtATime = pLimit(1)

  async function makeAgain(name: string): Promise<string | null> {
    const record = await store.reportRecord(name)
    const request = record && requestOf(record, directory)
    if (!request) return null
    // Somebody may have asked for it at the same time.
    const found = await findReport(directory, name)
    if (found !== null) return found
    try {
      return (await makeReport(request)).path
    } catch (error) {
      if (!CANNOT_BE_MADE.has((error as Error).name)) throw error
      const made = `was made by Quotekeeper ${record.programVersion} on another machine`
      throw new HttpError(
        409,
        `this report ${made}, and this one (${VERSION}) cannot make the same file; take it from there, or make a new report as of ${record.asOf}`,
      )
    }
  }

  return {
    async files() {
      const [files, records] = await Promise.all([listReports(directory), store.listReports(MAX_RECORDS)])
      const known = new Map(records.map((record) => [record.name, record]))
      const rows: ReportFile[] = files.map((file) => {
        const { madeBy = null, sha256 = null } = known.get(file.name) ?? {}
        known.delete(file.name)
        return { ...file, madeBy, sha256, isHere: true }
      })
      for (const { name, bytes, madeAt, madeBy, sha256 } of known.values())
        rows.push({ name, bytes, writtenAt: madeAt, madeBy, sha256, isHere: false })
      return rows.sort((a, b) => Date.parse(b.writtenAt) - Date.parse(a.writtenAt))
    },
    find: async (name) => (await findReport(directory, name)) ?? (await oneAtATime(makeAgain, name)),
  }
}

/** By name, because errors of the worker thread are copies. */
const CANNOT_BE_MADE = new Set(['ReportDiffersError', 'UnknownRfqError'])
