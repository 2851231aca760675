import { createHash, randomBytes } from 'node:crypto'
import { constants, copyFile, link, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../make-folder.js'

const FILE_MODE = 0o600

/** The file a report was written to. */
export interface WrittenFile {
  /** Absolute path. */
  path: string
  bytes: number
  /** In lower-case hexadecimal digits. */
  sha256: string
}

/**
 * Writes a file atomically: readers see the old file or the whole new one. Writes a temporary file in the same directory,
 * flushes it to disk and renames it. Only the owner can read the file and any directories created for it.
 * @param path absolute
 * @param options.mustBeNew fail with EEXIST if the file exists, also if it was created meanwhile
 * @throws the error of the file system; the temporary file is then removed
 */
export async function writeFileAtomically(
  path: string,
  content: Buffer | string,
  { mustBeNew = false } = {},
): Promise<WrittenFile> {
  const directory = dirname(path)
  makeFolder(directory)
  const temporary = join(directory, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const written = await writeFlushed(temporary, content)
    await (mustBeNew ? moveToNewName(temporary, path) : rename(temporary, path))
    await flushDirectory(directory)
    return { path, ...written }
  } catch (error) {
    await rm(temporary, { force: true })
    throw Object.assign(error as Error, { path })
  }
}

/** `rename` would replace an existing file; `link` fails. Not every file system has links. */
async function moveToNewName(temporary: string, path: string): Promise<void> {
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error
    return copyFile(temporary, path, constants.COPYFILE_EXCL)
  })
  await rm(temporary)
}

async function writeFlushed(path: string, content: Buffer | string): Promise<Omit<WrittenFile, 'path'>> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    await handle.writeFile(content)
    await handle.sync()
    return { bytes: (await handle.stat()).size, sha256: createHash('sha256').update(content).digest('hex') }
  } finally {
    await handle.close()
  }
}

/** The rename survives a power failure only once the directory is on disk. Not every system supports this. */
async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
