import { randomUUID } from 'node:crypto'
import { claimShare, emptyLedger, type LedgerState, type RequestLedger } from '../../domain/request-ledger.js'
import { hasEnded, hostIdentity, isLedgerState } from '../request-ledger.js'
import type { SqlDatabase } from '../sql-database.js'

interface LedgerRow {
  now: number
  state: string | null
}

// The clock of the server, so that the processes need not have the same.
const SELECT_STATE = `
select extract(epoch from clock_timestamp()) * 1000 as now,
  (select state from request_ledgers where origin = @origin) as state`

/** The ledger of a marketplace, in an unlogged table: it costs no flush to disk, and is empty after a crash of the server. */
export function createRequestLedger(database: SqlDatabase, origin: string): RequestLedger {
  const host = hostIdentity()
  const id = `${host}|${process.pid}|${randomUUID()}`
  const isGone = (other: string) => hasEnded(other, host)
  return {
    claim: (report) =>
      database.write(async (tx) => {
        await tx.lock('requests', origin)
        const row = (await tx.get<LedgerRow>(SELECT_STATE, { origin })) as LedgerRow
        const now = Math.floor(row.now)
        const { state, share } = claimShare(parseState(row.state, now), { id, report, now, isGone })
        await tx.run(
          `insert into request_ledgers values (@origin, @state) on conflict (origin) do update set state = excluded.state`,
          { origin, state: JSON.stringify(state) },
        )
        return share
      }),
  }
}

/** What is missing may have been lost, with starts that it granted. */
function parseState(text: string | null, now: number): LedgerState {
  if (text !== null) {
    const state = JSON.parse(text)
    if (isLedgerState(state)) return state
  }
  return emptyLedger(now, { unknownStarts: true })
}
