import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** What a file is made of; a stream is written as it comes. */
export type FileContent = Buffer | string | Readable

/** Where a report goes: into a folder under its own name, or to exactly this file. */
export type Destination = { directory: string } | { file: string }

/** The file a report was written to. */
export interface WrittenFile {
  /** Absolute path. */
  path: string
  bytes: number
}

/**
 * The absolute path of a report.
 * @param name a name made by file-names.ts; used where only a directory is given
 * @throws RangeError where the name would leave the directory
 */
export function destinationPath(destination: Destination, name: string): string {
  if ('file' in destination) return resolve(destination.file)
  if (name !== basename(name) || name.startsWith('.')) throw new RangeError(`not a plain file name: ${name}`)
  return join(resolve(destination.directory), name)
}

/**
 * Writes a file so that a reader sees the old one or the whole new one, never a part: a temporary file in the same
 * folder, flushed to the disk, then renamed. The file can be read by its owner only, and so can folders made for it.
 * @param path absolute
 * @returns how many bytes were written
 * @throws the error of the file system or of the stream; the temporary file is gone then
 */
export async function writeFileAtomically(path: string, content: FileContent): Promise<number> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const bytes = await writeFlushed(temporary, content)
    await rename(temporary, path)
    await flushFolder(folder)
    return bytes
  } catch (error) {
    await rm(temporary, { force: true })
    throw located(error, path)
  }
}

/** An error of writing, as where the disk is full, names no file. */
function located(error: unknown, path: string): unknown {
  const named = error as NodeJS.ErrnoException
  return error instanceof Error && named.code !== undefined && named.path === undefined
    ? Object.assign(error, { path })
    : error
}

async function writeFlushed(path: string, content: FileContent): Promise<number> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    await writeFile(handle, content)
    await handle.chmod(FILE_MODE)
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** The renaming itself survives a power cut only once the folder is on the disk. Not every system can do that. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
