import { lstat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/** A file that is not hidden, in the report folder or in a folder of it. */
const REPORT_NAME = /^(?:(?!\.{1,2}\/)[^/\\]+\/)?[^./\\][^/\\]*\.xlsx$/
/** The name of a file in the report folder, such as `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`; null for a file elsewhere. */
export function reportName(directory: string, file: string): string | null {
  const name = relative(directory, file).split(sep).join('/')
  return REPORT_NAME.test(name) ? name : null
}

/** The path of a report; null for any other name, so that it cannot lead outside the folder. */
const reportFile = (directory: string, name: string): string | null =>
  REPORT_NAME.test(name) ? join(directory, name) : null

/** The path of an existing report; null for any other name. Links are not followed. */
export async function findReport(directory: string, name: string): Promise<string | null> {
  const path = reportFile(directory, name)
  if (path === null) return null
  try {
    if (name.includes('/') && !(await lstat(dirname(path))).isDirectory()) return null
    return (await lstat(path)).isFile() ? path : null
  } catch {
    return null
  }
}
