import Database from 'better-sqlite3'
import { connect, type Sqlite } from './connection.js'
import { META_TABLE } from './migrations.js'

const SELECT_ID = "select value from meta where key = 'database_id'"

/** The UUID of a migrated database. */
export const readIdentity = (db: Sqlite): string => db.prepare(SELECT_ID).pluck().get() as string

/**
 * Gives a restored database the identity of the one it replaced, if its backup is older than identities. Otherwise its
 * migration would make a new one, and the queue would refuse the database.
 * @param restored path of the restored database, which no process has open
 */
export function keepIdentity(restored: string, replaced: string): void {
  let source: Sqlite | undefined
  let target: Sqlite | undefined
  try {
    source = new Database(replaced, { readonly: true, fileMustExist: true })
    const id = readIdentity(source)
    target = connect(restored)
    target.exec(META_TABLE)
    target.prepare("insert or ignore into meta values ('database_id', ?)").run(id)
  } catch (error) {
    // The replaced database is damaged, or older than identities too.
    if (!(error instanceof Database.SqliteError)) throw error
  } finally {
    source?.close()
    target?.close()
  }
}
