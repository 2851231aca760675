import { realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreError } from '../errors.js'

/**
 * Makes the function that flushes the write-ahead log of an open database, as `synchronous = full` does within the commit, which
 * would block the thread. What was committed before survives a power failure then: it is in the log or, because SQLite flushes
 * what it moves from there, in the database itself.
 */
export function createLogFlush(database: string): () => Promise<void> {
  const log = `${realpathSync(database)}-wal`
  let isListed = false
  const flush = async () => {
    await flushFile(log, 'r+')
    // The log may have been created when the database was opened, and stays until it is closed.
    if (!isListed) await flushFile(dirname(log), 'r')
    isListed = true
  }
  return () =>
    flush().catch((cause: NodeJS.ErrnoException) => {
      const todo = 'Check the disk; what was recorded last may be lost at a power failure.'
      throw new StoreError(`The disk of the database reported an error: ${log} (${cause.code}). ${todo}`, { cause })
    })
}

/** Opens the log anew: SQLite holds its locks on other files, and closing one of those here would release them. */
async function flushFile(path: string, flags: string): Promise<void> {
  const file = await open(path, flags)
  await file.datasync().finally(() => file.close())
}
