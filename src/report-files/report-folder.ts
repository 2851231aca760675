import { lstat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Store } from '../store/contract.js'
import type { MakeReport } from './make-report.js'

/** A file that is not hidden, in the report folder or in a folder of it. */
const REPORT_NAME = /^(?:(?!\.{1,2}\/)[^/\\]+\/)?[^./\\][^/\\]*\.xlsx$/
/** The name of a file in the report folder, such as `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`; null for a file elsewhere. */
export function reportName(directory: string, file: string): string | null {
  const name = relative(directory, file).split(sep).join('/')
  return REPORT_NAME.test(name) ? name : null
}

/** The path of an existing report; null for any other name. Links are not followed. */
export async function findReport(directory: string, name: string): Promise<string | null> {
  if (!REPORT_NAME.test(name)) return null
  const path = join(directory, name)
  try {
    if (name.includes('/') && !(await lstat(dirname(path))).isDirectory()) return null
    return (await lstat(path)).isFile() ? path : null
  } catch {
    return null
  }
}

/** Makes reports as `make` does, and records those that are written to the report folder: others are not served. */
export const recordReports =
  (make: MakeReport, directory: string, store: Pick<Store, 'addReportRecord'>): MakeReport =>
  async (request, options) => {
    const made = await make(request, options)
    const name = reportName(directory, made.path)
    const { channel, rfqId = null, now, asOf = now, madeBy = null } = request
    if (name !== null)
      await store.addReportRecord({
        ...{ name, channel: channel ?? '', rfqId, asOf: asOf.toISOString(), madeAt: now.toISOString(), madeBy },
        ...{ sha256: made.sha256, bytes: made.bytes },
      })
    return made
  }
