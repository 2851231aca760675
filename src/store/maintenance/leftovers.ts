import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isProcessAlive } from '../runs/process-holder.js'

/**
 * A file that was written to more recently may belong to a process that this one cannot see, such as one in another container, in
 * milliseconds.
 */
const MIN_AGE_MS = 60_000
const COMPANIONS = '(?:-wal|-shm|-journal)?'

/** Removes temporary files of backups into a folder whose process was killed. */
export function removeBackupLeftovers(folder: string): void {
  removeLeftovers(folder, new RegExp(`^\\..+\\.(\\d+)\\.partial${COMPANIONS}$`))
}

/**
 * Removes temporary files beside a database whose process was killed: of a restore, of an upgrade and of the write test.
 * @param except a file to keep
 */
export function removeDatabaseLeftovers(database: string, except?: string): void {
  const name = basename(database).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  removeLeftovers(
    dirname(database),
    new RegExp(`^${name}\\.(?:restoring|upgrading-[0-9a-f]+)-(\\d+)${COMPANIONS}$`),
    except,
  )
  removeLeftovers(dirname(database), /^\.quotekeeper-write-test-(\d+)$/)
}

/** @param pattern captures the id of the process */
function removeLeftovers(folder: string, pattern: RegExp, except?: string): void {
  for (const name of namesIn(folder)) {
    const pid = Number(pattern.exec(name)?.[1])
    const path = join(folder, name)
    if (!pid || path === except || !isOld(path)) continue
    // This process has written no such file yet: a file with its id is from another one, for example in an earlier container.
    if (pid === process.pid || !isProcessAlive(pid)) remove(path)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && Date.now() - stats.mtimeMs > MIN_AGE_MS
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A leftover is harmless.
  }
}
