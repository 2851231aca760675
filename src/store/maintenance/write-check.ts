import { randomUUID } from 'node:crypto'
import { access, constants, lstat, open, readlink, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { tryToMakeFolder } from '../../make-folder.js'
import { StoreError } from '../errors.js'
import type { Connection } from '../sqlite/connection.js'

/** The minimum free space, in bytes; with less, the next large poll may not fit. */
const MIN_FREE_BYTES = 32 * 2 ** 20
/** How long another process may hold the write lock, in milliseconds. */
const MAX_LOCK_WAIT_MS = 1000

/**
 * Tests whether the database can be written: a small file in its folder, the free space, and a write transaction that is
 * rolled back.
 */
export async function checkWritable(connection: Connection): Promise<{ ok: boolean; message: string }> {
  const folder = dirname(connection.path)
  try {
    await requireWritable(folder)
    await connection.probeWrite(MAX_LOCK_WAIT_MS)
    return { ok: true, message: 'writable, enough free space' }
  } catch (error) {
    return { ok: false, message: (error as Error).message }
  }
}

/**
 * Tests whether a database file that does not exist, or is empty, can be created, without creating it.
 * @throws the error of creating it, or a StoreError
 */
export async function assertCanCreateFile(path: string): Promise<void> {
  const file = await lstat(path).catch(() => null)
  // The folder that a link points to would not be created, so it must exist.
  if (file?.isSymbolicLink()) return requireWritable(dirname(resolve(dirname(path), await readlink(path))))
  if (file !== null) await access(path, constants.W_OK)
  const existing = tryToMakeFolder(dirname(path))
  if (existing === dirname(resolve(path))) await probeFolder(existing)
  await requireFreeSpace(existing)
}

async function requireWritable(folder: string): Promise<void> {
  await probeFolder(folder)
  await requireFreeSpace(folder)
}

async function requireFreeSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free < MIN_FREE_BYTES)
    throw new StoreError(`disk almost full: ${Math.floor(free / 2 ** 20)} MiB free in ${folder}; free some space`)
}

/**
 * Writes a small file in a folder, flushes it to disk and removes it.
 * @throws StoreError with the reason if nothing can be written there
 */
export async function probeFolder(folder: string): Promise<void> {
  const file = join(folder, `.quotekeeper-write-test-${randomUUID()}`)
  try {
    const handle = await open(file, 'w', 0o600)
    try {
      await handle.writeFile('test')
      await handle.sync()
    } finally {
      await handle.close()
      await rm(file, { force: true })
    }
  } catch (error) {
    throw new StoreError(`Nothing can be written to the folder ${folder}: ${reasonOf(error)}.`, { cause: error })
  }
}

const REASONS: Record<string, string> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of this user is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is a file',
}

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
