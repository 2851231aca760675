import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Where a report goes: into a folder under its own name, or to exactly this file. */
export type Destination = { directory: string } | { file: string }

/** The file a report was written to. */
export interface Written {
  /** Absolute path. */
  path: string
  bytes: number
}

/**
 * The absolute path of a report.
 * @param name a name made by names.ts; used where only a directory is given
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
 * @throws the error of the file system; the temporary file is gone then
 */
export async function writeWhole(path: string, content: Buffer | string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeFlushed(temporary, content)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await flushFolder(folder)
}

async function writeFlushed(path: string, content: Buffer | string): Promise<void> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(path, FILE_MODE)
}

/** The renaming itself survives a power cut only once the folder is on the disk. Not every system can do that. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
