import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import pLimit from 'p-limit'
import type { ReportRecord } from '../../core/report-record.js'
import type { MakeReport, ReportRequest } from '../../report-files/make-report.js'
import { requestOf } from '../../report-files/recorded-reports.js'
import { findReport, listReports } from '../../report-files/report-folder.js'
import type { ReportRecords } from '../../store/contract.js'
import { VERSION } from '../../version.js'
import { HttpError } from '../../web/http/errors.js'
import type { ReportFile, ReportsDeps } from '../../web/pages/operation/reports-page.js'

interface ReportFilesDeps {
  /** The report folder of this process; absolute. */
  directory: string
  store: Pick<ReportRecords, 'reportRecord' | 'listReports'>
  makeReport: MakeReport
}

/** Records that are listed, the newest ones. */
const MAX_RECORDS = 5_000
/** Reports that wait while another one is regenerated. */
const MAX_WAITING = 10

/**
 * The reports of all processes on the database: those in the report folder of this one, and those that another one made, on
 * another machine, which are regenerated here when they are requested.
 */
export function createReportFiles({
  directory,
  store,
  makeReport,
}: ReportFilesDeps): Pick<ReportsDeps, 'files' | 'find'> {
  const oneAtATime = pLimit(1)
  /** Those that are being regenerated or wait, by name and hash. */
  const remaking = new Map<string, Promise<string>>()

  /** @throws HttpError 503 if too many wait already */
  function makeAgain(record: ReportRecord, request: ReportRequest): Promise<string> {
    const key = `${record.name} ${record.sha256}`
    const running = remaking.get(key)
    if (running !== undefined) return running
    if (remaking.size > MAX_WAITING)
      throw new HttpError(503, `${MAX_WAITING} reports wait to be regenerated; try again in a minute`, {
        'retry-after': 60,
      })
    const made = oneAtATime(make, record, request).finally(() => remaking.delete(key))
    remaking.set(key, made)
    return made
  }

  async function make(record: ReportRecord, request: ReportRequest): Promise<string> {
    try {
      return (await makeReport(request)).path
    } catch (error) {
      if (!CANNOT_BE_MADE.has((error as Error).name)) throw error
      throw new HttpError(
        409,
        `the file ${record.name} is not here, and Quotekeeper ${VERSION} cannot make the same as ${record.programVersion} did; take it from the machine that made it, or make a new report as of ${record.asOf}`,
      )
    }
  }

  /** The file of the newest record of its name, which the list shows; a file without a record as it is. */
  async function find(name: string): Promise<string | null> {
    const [path, record] = await Promise.all([findReport(directory, name), store.reportRecord(name)])
    if (record === null) return path
    const sha256 = path && (await hashOf(path))
    if (sha256 === record.sha256) return path
    // Of another machine's report, there may be an older file of that name here.
    if (sha256 !== null && (await store.reportRecord(name, sha256)) === null)
      throw new HttpError(
        409,
        `the file ${name} in the report folder differs from its record (SHA-256 ${sha256}, recorded ${record.sha256}); move it elsewhere, and the recorded one is regenerated`,
      )
    const request = requestOf(record, directory)
    return request && makeAgain(record, request)
  }

  return {
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
    find,
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest('hex')
}

/** By name, because errors of the worker thread are copies. */
const CANNOT_BE_MADE = new Set(['ReportDiffersError', 'UnknownRfqError'])
