import { lstat, readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { byCodeUnit } from '../core/numbers.js'

/** A report that was written to the report folder. */
export interface ReportFile {
  /** `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`: relative, with `/`. */
  name: string
  bytes: number
  /** When it was written. */
  writtenAt: string
}

/** A file that is not hidden, in the report folder or in a folder of it. */
const REPORT_NAME = /^(?:(?!\.{1,2}\/)[^/\\]+\/)?[^./\\][^/\\]*\.xlsx$/
/** Files examined concurrently. */
const BATCH_SIZE = 64

/** The reports in the report folder and the folders of its channels, newest first; none if it does not exist. */
export async function listReports(directory: string): Promise<ReportFile[]> {
  const entries = await readEntries(directory)
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  for (const folder of entries.filter((entry) => entry.isDirectory())) {
    const nested = await readEntries(join(directory, folder.name))
    names.push(...nested.filter((entry) => entry.isFile()).map(({ name }) => `${folder.name}/${name}`))
  }
  const reports = names.filter((name) => REPORT_NAME.test(name))
  const files: ReportFile[] = []
  for (let start = 0; start < reports.length; start += BATCH_SIZE) {
    const batch = reports.slice(start, start + BATCH_SIZE)
    files.push(...(await Promise.all(batch.map((name) => describe(directory, name)))).flatMap((file) => file ?? []))
  }
  return files.sort((a, b) => byCodeUnit(b.writtenAt, a.writtenAt) || byCodeUnit(a.name, b.name))
}

/** The name of a file in the report folder; null for a file elsewhere. */
export function reportName(directory: string, file: string): string | null {
  const name = relative(directory, file).split(sep).join('/')
  return REPORT_NAME.test(name) ? name : null
}

/** The path of a report; null for any other name, so that it cannot lead outside the folder. */
export const reportFile = (directory: string, name: string): string | null =>
  REPORT_NAME.test(name) ? join(directory, name) : null

/** The path of an existing report, as `listReports` names it; null for any other name. */
export async function findReport(directory: string, name: string): Promise<string | null> {
  const path = reportFile(directory, name)
  if (path === null) return null
  if (name.includes('/') && !(await isFolder(dirname(path)))) return null
  return (await describe(directory, name)) === null ? null : path
}

/** Links are not followed. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false
  }
}

async function readEntries(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Null if it does not exist or is not a file: links are not followed. */
async function describe(directory: string, name: string): Promise<ReportFile | null> {
  try {
    const found = await lstat(join(directory, name))
    return found.isFile() ? { name, bytes: found.size, writtenAt: found.mtime.toISOString() } : null
  } catch {
    return null
  }
}
