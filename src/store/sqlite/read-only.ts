import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { MissingDatabaseError, UnusableDatabaseError } from '../errors.js'
import { connect, type Sqlite } from './sqlite.js'

/** A connection for reading, and how to release what it uses. */
export interface ReadOnlyConnection {
  reader: Sqlite
  release: () => void
}

/** @throws MissingDatabaseError if there is no database, or only an empty file */
export function requireFile(path: string): void {
  const size = existsSync(path) ? statSync(path).size : null
  if (size !== null && size > 0) return
  const found = size === null ? `There is no database at ${path}` : `The file ${path} is empty`
  throw new MissingDatabaseError(`${found}. Create the database with: quotekeeper sync (or quotekeeper start).`)
}

/**
 * Checks the type of the file, because the error of SQLite says only that it cannot be opened.
 * @throws UnusableDatabaseError if the path is a folder, a device or a pipe
 */
export function rejectOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.isFile()) return
  const what = found.isDirectory() ? 'a folder' : 'a device or a pipe'
  throw new UnusableDatabaseError(`${path} is ${what}, but a file is needed: choose another path`)
}

type Prepare = (db: Sqlite) => Promise<void>

/** Whether an error means that the database cannot be written, because of a read-only or full disk or missing permissions. */
export function isNotWritable(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Database.SqliteError && /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH|FULL|IOERR)/.test(cause.code)
}

/**
 * Opens a database that cannot be written. In a read-only folder, SQLite opens a WAL database only if its `-shm` file
 * exists, or with the URI parameter `immutable`, which this build does not support
 * (https://www.sqlite.org/wal.html#read_only_databases). If it cannot be opened in place, this opens a temporary copy of
 * the database and its write-ahead log.
 * @param prepare checks the database
 */
export async function openReadOnly(path: string, prepare: Prepare): Promise<ReadOnlyConnection> {
  let reader: Sqlite | undefined
  try {
    reader = new Database(path, { readonly: true, fileMustExist: true })
    await prepare(reader)
    const direct = reader
    return { reader: direct, release: () => direct.close() }
  } catch (error) {
    reader?.close()
    if (!isNotWritable(error)) throw error
    return openCopy(path, prepare)
  }
}

async function openCopy(path: string, prepare: Prepare): Promise<ReadOnlyConnection> {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-read-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  let reader: Sqlite | undefined
  try {
    const copy = join(folder, basename(path))
    for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix)
    reader = connect(copy)
    await prepare(reader)
    reader.pragma('query_only = on')
    const db = reader
    return {
      reader: db,
      release: () => {
        db.close()
        remove()
      },
    }
  } catch (error) {
    reader?.close()
    remove()
    throw error
  }
}
