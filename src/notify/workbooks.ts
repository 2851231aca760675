import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import type { EventRecord } from '../core/events/events.js'

/** Larger workbooks, and more of them, are not attached; the message has their paths. */
const MAX_BYTES = 15 * 2 ** 20
const MAX_WORKBOOKS = 5

export interface Attachment {
  filename: string
  content: Buffer
}

/** The workbooks of `report.made` events, if they are in the folder of reports. */
export async function workbooksOf(events: readonly EventRecord[], directory: string): Promise<Attachment[]> {
  const paths = events.flatMap(({ kind, data }) => (kind === 'report.made' && data.report ? [data.report.path] : []))
  const found: Attachment[] = []
  let bytes = 0
  for (const path of [...new Set(paths)].slice(0, MAX_WORKBOOKS)) {
    const content = await readWorkbook(path, directory, MAX_BYTES - bytes)
    if (content === null) continue
    bytes += content.length
    found.push({ filename: basename(path), content })
  }
  return found
}

/** Null if it does not exist any more, is too large, or lies elsewhere. */
async function readWorkbook(path: string, directory: string, maxBytes: number): Promise<Buffer | null> {
  try {
    const [file, folder] = [await realpath(path), await realpath(directory)]
    if (!file.startsWith(folder + sep) || !file.endsWith('.xlsx')) return null
    if ((await stat(file)).size > maxBytes) return null
    return await readFile(file)
  } catch {
    return null
  }
}
