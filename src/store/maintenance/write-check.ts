import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Connection } from '../sqlite/connection.js'

/** The minimum free space, in bytes; with less, the next large poll may not fit. */
const MIN_FREE_BYTES = 32 * 2 ** 20
/** How long another process may hold the write lock, in milliseconds. */
const MAX_LOCK_WAIT_MS = 1000

/** Tests whether the database can be written: the free space of its disk, and a write transaction that is rolled back. */
export async function checkWritable(connection: Connection): Promise<{ ok: boolean; message: string }> {
  const folder = dirname(connection.path)
  try {
    await connection.probeWrite(MAX_LOCK_WAIT_MS)
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    if (free >= MIN_FREE_BYTES) return { ok: true, message: 'writable, enough free space' }
    return {
      ok: false,
      message: `disk almost full: ${Math.floor(free / 2 ** 20)} MiB free in ${folder}; free some space`,
    }
  } catch (error) {
    return { ok: false, message: (error as Error).message }
  }
}
