import { randomUUID } from 'node:crypto'
import {
  claimShare,
  emptyLedger,
  isLedgerState,
  type LedgerReport,
  type LedgerShare,
  type LedgerState,
  type RequestLedger,
} from '../../core/request-ledger.js'
import { setMeta } from '../meta.js'
import { hasEnded, hostIdentity } from '../process-alive.js'
import type { Queries, SqlDatabase } from '../sql-database.js'
import { isAway } from './postgres-errors.js'

interface LedgerRow {
  now: number
  state: string | null
  /** The end of the newest pause, as `setMeta` stores it. */
  pause: string | null
}

// The clock of the server, so that the processes need not have the same.
const SELECT_STATE = `
select extract(epoch from clock_timestamp()) * 1000 as now,
  (select state from request_ledgers where origin = @origin) as state,
  (select value from meta where key = @pauseKey) as pause`

// Only if nobody changed it since it was read.
const WRITE_STATE = `
insert into request_ledgers as ledger values (@origin, @state)
on conflict (origin) do update set state = excluded.state where ledger.state = cast(@before as text)
returning origin`

/** How often a claim is made without a lock. */
const MAX_ATTEMPTS = 5

/** A pause that ends less than this after the one that is stored need not be stored again, in milliseconds. */
const SAME_PAUSE_MS = 100

/**
 * The ledger of a marketplace, in an unlogged table: it costs no flush to disk, and is empty after a crash of the server or a fail-over.
 * Only pauses, which are rare, are stored for longer: the process that was asked for one may be gone by then.
 */
export function createRequestLedger(database: SqlDatabase, origin: string): RequestLedger {
  const pauseKey = `requests_paused_until ${origin}`
  const host = hostIdentity()
  const id = `${host}|${process.pid}|${randomUUID()}`
  const isGone = (other: string) => hasEnded(other, host)
  /** @returns null if another process claimed meanwhile */
  const tryClaim = async (
    queries: Queries,
    write: SqlDatabase['write'],
    report: LedgerReport,
  ): Promise<LedgerShare | null> => {
    const {
      now: at,
      state: before,
      pause,
    } = (await queries.get<LedgerRow>(SELECT_STATE, { origin, pauseKey })) as LedgerRow
    const now = Math.floor(at)
    const { state, share } = claimShare(parseState(before, now, Number(pause)), { id, report, now, isGone })
    if (report.pausedFor > 0 && state.pausedUntil > Number(pause) + SAME_PAUSE_MS)
      await write((tx) => setMeta(tx, pauseKey, String(state.pausedUntil)))
    const written = await queries.get(WRITE_STATE, { origin, state: JSON.stringify(state), before })
    return written ? share : null
  }
  return {
    async claim(report) {
      // Two statements without a transaction: a process that waits for a processor keeps no other from claiming.
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        try {
          const share = await tryClaim(database, (work) => database.write(work), report)
          if (share) return share
        } catch (error) {
          if (!isAway((error as Error).cause)) throw error
          break
        }
      }
      // Waits for its turn, and for a server that restarts.
      return database.write(async (tx) => {
        await tx.lock('requests', origin)
        for (;;) {
          const share = await tryClaim(tx, (work) => work(tx), report)
          if (share) return share
        }
      })
    },
  }
}

/** What is missing may have been lost, with starts that it granted. @param pausedUntil by the same clock; 0 without a pause */
function parseState(text: string | null, now: number, pausedUntil: number): LedgerState {
  if (text !== null) {
    const state = JSON.parse(text)
    if (isLedgerState(state)) return state
  }
  return { ...emptyLedger(now, { unknownStarts: true }), pausedUntil: Math.max(now, pausedUntil) }
}
