import { realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreError } from '../errors.js'

/**
 * Creates the function that flushes the write-ahead log of an open database. `synchronous = full` would do so within the commit and block the
 * thread. Earlier commits survive a power failure: they are in the log or, because SQLite flushes checkpoints, in the database file.
 */
export function createLogFlush(database: string): () => Promise<void> {
  const log = `${realpathSync(database)}-wal`
  let isListed = false
  const flush = async () => {
    await flushFile(log, 'r+')
    // The log may have been created when the database was opened; it exists until the database is closed.
    if (!isListed) await flushFile(dirname(log), 'r')
    isListed = true
  }
  return () =>
    flush().catch((cause: NodeJS.ErrnoException) => {
      const todo = 'Check the disk; the last commits may be lost in a power failure.'
      throw new StoreError(`The disk of the database reported an error: ${log} (${cause.code}). ${todo}`, { cause })
    })
}

/** Opens the file for each flush. This is safe because SQLite has no locks on the log; closing a file that it locks would release its locks. */
async function flushFile(path: string, flags: string): Promise<void> {
  const file = await open(path, flags)
  await file.datasync().finally(() => file.close())
}
