import type { RequestLedger, StartGrant } from '../../core/requests/request-ledger.js'
import { claimStatement } from '../requests/claim-starts.js'
import type { SqlDatabase } from '../sql-database.js'
import { isServerUnavailable } from './postgres-errors.js'

// The clock of the server, so that the processes need not have the same.
const CLAIM = claimStatement({
  now: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint',
  greatest: 'greatest',
})

/** The ledger of a marketplace. A claim is a statement without a transaction: a process that is stopped keeps no other from claiming. */
export function createRequestLedger(database: SqlDatabase, origin: string): RequestLedger {
  return {
    async claim(claim) {
      const parameters = { origin, ...claim }
      const granted = await database.get<StartGrant>(CLAIM, parameters).catch((error: Error) => {
        if (!isServerUnavailable(error.cause)) throw error
        // Waits for a server that restarts.
        return database.write((tx) => tx.get<StartGrant>(CLAIM, parameters))
      })
      return granted as StartGrant
    },
  }
}
