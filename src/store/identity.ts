import Database from 'better-sqlite3'
import { connect, type Sqlite } from './connection.js'
import { SELECT_ID } from './meta.js'
import { META_TABLE } from './migrations.js'

/** The UUID of a migrated database. */
export const readIdentity = (db: Sqlite): string => db.prepare(SELECT_ID).pluck().get() as string

/**
 * Gives a restored database the identity of the one it replaced, if its backup is older than identities. Otherwise its
 * migration would make a new one, and the queue would refuse the database.
 * @param restored path of the restored database, which no process has open
 * @throws SqliteError if the restored database cannot be written
 */
export function keepIdentity(restored: string, replaced: string): void {
  const id = identityOf(replaced)
  if (id === null) return
  const db = connect(restored)
  try {
    db.exec(META_TABLE)
    db.prepare("insert or ignore into meta values ('database_id', ?)").run(id)
  } finally {
    db.close()
  }
}

/** Null if the database is damaged, or older than identities. */
function identityOf(path: string): string | null {
  let db: Sqlite | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true })
    return readIdentity(db)
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    return null
  } finally {
    db?.close()
  }
}
