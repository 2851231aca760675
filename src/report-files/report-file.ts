import { createHash, randomBytes } from 'node:crypto'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../make-folder.js'

const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/** What was written. */
interface Written {
  bytes: number
  /** In lower-case hexadecimal digits. */
  sha256: string
}

/** The file a report was written to. */
export interface WrittenFile extends Written {
  /** Absolute path. */
  path: string
}

interface WriteOptions {
  /** Fail with EEXIST if the file exists, also if it was created meanwhile. */
  mustBeNew?: boolean
}

export interface WriteObserver {
  /** Called with the path of the temporary file before it is written: a thread that dies does not remove it. */
  onTemporary?: (path: string) => void
}

/**
 * Writes a file atomically: readers see the old file or the whole new one. Writes a temporary file in the same directory,
 * flushes it to disk and renames it. Only the owner can read the file and any directories created for it.
 * @param path absolute
 * @throws the error of the file system; the temporary file is then removed
 */
export async function writeFileAtomically(
  path: string,
  content: Buffer | string,
  { mustBeNew = false, onTemporary }: WriteOptions & WriteObserver = {},
): Promise<Written> {
  const directory = dirname(path)
  makeFolder(directory, DIRECTORY_MODE)
  const temporary = join(directory, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  onTemporary?.(temporary)
  try {
    const written = await writeFlushed(temporary, content)
    await (mustBeNew ? moveToNewName(temporary, path) : rename(temporary, path))
    await flushDirectory(directory)
    return written
  } catch (error) {
    await rm(temporary, { force: true })
    throw withPath(error, path)
  }
}

/** `rename` would replace an existing file; `link` fails. Not every file system has links. */
async function moveToNewName(temporary: string, path: string): Promise<void> {
  const failure = await link(temporary, path).then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  )
  if (failure === null) return rm(temporary)
  const exists = failure.code === 'EEXIST' || (await lstat(path).catch(() => null)) !== null
  if (exists) throw Object.assign(failure, { code: 'EEXIST', path })
  await rename(temporary, path)
}

/** Adds the path to errors that lack it, such as a full disk. */
function withPath(error: unknown, path: string): unknown {
  const systemError = error as NodeJS.ErrnoException
  return error instanceof Error && systemError.code !== undefined && systemError.path === undefined
    ? Object.assign(error, { path })
    : error
}

async function writeFlushed(path: string, content: Buffer | string): Promise<Written> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    await handle.writeFile(content)
    await handle.chmod(FILE_MODE)
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
