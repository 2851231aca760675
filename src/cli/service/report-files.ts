import { findReport, listReports } from '../../report-files/report-folder.js'
import type { ReportRecords } from '../../store/contract.js'
import type { ReportFile, ReportsDeps } from '../../web/pages/operation/reports-page.js'

interface ReportFilesDeps {
  /** The report folder of this process; absolute. */
  directory: string
  store: Pick<ReportRecords, 'listReports'>
}

/** Records that are listed, the newest ones. */
const MAX_RECORDS = 5_000

/** The reports of all processes on the database: those in the report folder of this one, and the records of those that are not. */
export const createReportFiles = ({ directory, store }: ReportFilesDeps): Pick<ReportsDeps, 'files' | 'find'> => ({
  async files() {
    const [files, records] = await Promise.all([listReports(directory), store.listReports(MAX_RECORDS)])
    const known = new Map(records.map((record) => [record.name, record]))
    const rows: ReportFile[] = files.map((file) => {
      const { madeBy = null, sha256 = null, madeAt = file.writtenAt } = known.get(file.name) ?? {}
      known.delete(file.name)
      return { ...file, writtenAt: madeAt, madeBy, sha256, isHere: true }
    })
    for (const { name, bytes, madeAt, madeBy, sha256 } of known.values())
      rows.push({ name, bytes, writtenAt: madeAt, madeBy, sha256, isHere: false })
    return rows.sort((a, b) => Date.parse(b.writtenAt) - Date.parse(a.writtenAt))
  },
  find: (name) => findReport(directory, name),
})
