import { SELECT_ID } from '../meta.js'
import type { Sqlite } from './connection.js'

/** The UUID of a migrated database. */
export const readIdentity = (db: Sqlite): string => db.prepare(SELECT_ID).pluck().get() as string
