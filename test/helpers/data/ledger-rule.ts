import Database from 'better-sqlite3'
import type { StartClaim, StartGrant } from '../../../src/core/requests/request-ledger.js'
import { CREATE_LIMITS } from '../../../src/store/sql/claim-starts.js'
import { CLAIM } from '../../../src/store/sqlite/request-ledger.js'

/** A request ledger in memory, by the statements of the store. Applies a claim at a time of its clock, in milliseconds. */
export function memoryLedger(): (claim: StartClaim, now: number) => StartGrant {
  const db = new Database(':memory:')
  db.exec(CREATE_LIMITS)
  const statement = db.prepare(CLAIM)
  return (claim, now) => statement.get({ ...claim, origin: '', now }) as StartGrant
}
