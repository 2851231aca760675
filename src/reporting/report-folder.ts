import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A report that was written to the report folder. */
export interface ReportFile {
  /** `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`: relative, with `/`. */
  name: string
  bytes: number
  /** When it was written. */
  writtenAt: string
}

const REPORT_NAME = /^[^.].*\.(xlsx|html|json|csv)$/

/** The reports in the report folder and the folders of its channels, newest first; none if it does not exist. */
export async function listReports(directory: string): Promise<ReportFile[]> {
  const entries = await readEntries(directory)
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const nested = await Promise.all(
    folders.map(async (folder) =>
      (await readEntries(join(directory, folder))).map((entry) => [folder, entry] as const),
    ),
  )
  const names = [
    ...entries.filter((entry) => entry.isFile()).map(({ name }) => name),
    ...nested.flat().flatMap(([folder, entry]) => (entry.isFile() ? [`${folder}/${entry.name}`] : [])),
  ].filter((name) => REPORT_NAME.test(name.split('/').at(-1) ?? ''))
  const files = await Promise.all(names.map((name) => describe(directory, name)))
  return files.flatMap((file) => file ?? []).sort((a, b) => (a.writtenAt < b.writtenAt ? 1 : -1))
}

/** The path of a report that `listReports` returns; null for any other name, so that it cannot lead elsewhere. */
export async function findReport(directory: string, name: string): Promise<string | null> {
  const known = (await listReports(directory)).some((file) => file.name === name)
  return known ? join(directory, name) : null
}

async function readEntries(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Null if it is gone, or not a file: links are not followed. */
async function describe(directory: string, name: string): Promise<ReportFile | null> {
  try {
    const found = await lstat(join(directory, name))
    return found.isFile() ? { name, bytes: found.size, writtenAt: found.mtime.toISOString() } : null
  } catch {
    return null
  }
}
