import { createHash, randomUUID } from 'node:crypto'
import type { EventData, EventKind } from '../../core/events/events.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { toStoredText } from '../documents/stored-text.js'
import { findIdentity } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'
import { NEWEST_SEQUENCE } from './event-feed.js'

/** An event to be written. */
export interface EventDraft {
  kind: EventKind
  at: string
  channel: string | null
  rfqId?: string | null
  offerId?: string | null
  /** The version of the offer, or otherwise of the RFQ. */
  version?: number | null
  runId?: number | null
  /** Identifies what happened: only one event with a key is ever written. Default: the event is always written. */
  key?: readonly string[]
  /** The details. */
  describe: () => EventData
}

/** Writes events in the transaction that records their subject. */
export interface EventWriter {
  /**
   * Writes events, except those whose key is known. Call it at the end of a transaction: other transactions that write events wait for the
   * commit, so that sequences are in the order of commits.
   * @returns how many events were written
   */
  write(tx: Transaction, drafts: readonly EventDraft[]): Promise<number>
  /** Whether no event was written yet, for each key. */
  areNew(keys: readonly (readonly string[])[]): Promise<boolean[]>
}

/** Events written by one statement. */
const EVENTS_PER_STATEMENT = 500

const COLUMNS = ['sequence', 'id', 'kind', 'at', 'channel', 'rfq_id', 'offer_id', 'version', 'run_id', 'data'] as const
const NUMBERS = new Set<string>(['sequence', 'version', 'run_id'])
const VALUES = COLUMNS.map((name) =>
  NUMBERS.has(name) ? `cast(value ->> '${name}' as bigint)` : `value ->> '${name}'`,
)

const storedOrNull = (id: string | null | undefined) => (id == null ? null : toStoredText(id))

export function createEventWriter(database: SqlDatabase): EventWriter {
  let identity: string | undefined

  /** The id of an event. A hash includes the id of the database, so that two installations never use the same id for different events. */
  const idOf = async (db: Queries, key: readonly string[] | undefined): Promise<string> => {
    if (key === undefined) return `evt_${randomUUID().replaceAll('-', '')}`
    identity ??= await findIdentity(db)
    const hash = createHash('sha256').update(JSON.stringify([identity, ...key]))
    return `evt_${hash.digest('hex').slice(0, 32)}`
  }

  const knownIds = async (db: Queries, ids: readonly string[]): Promise<Set<string>> => {
    if (ids.length === 0) return new Set()
    const rows = await db.all<{ id: string }>(`select id from events where ${db.dialect.anyOf('id', '@ids')}`, { ids })
    return new Set(rows.map(({ id }) => id))
  }

  const rowOf = async (tx: Transaction, draft: EventDraft) => ({
    id: await idOf(tx, draft.key),
    kind: draft.kind,
    at: draft.at,
    channel: draft.channel,
    rfq_id: storedOrNull(draft.rfqId),
    offer_id: storedOrNull(draft.offerId),
    version: draft.version ?? null,
    run_id: draft.runId ?? null,
    data: JSON.stringify(draft.describe()),
  })

  return {
    async write(tx, drafts) {
      if (drafts.length === 0) return 0
      const all: Awaited<ReturnType<typeof rowOf>>[] = []
      const keyed: string[] = []
      const slice = new TimeSlice()
      for (const draft of drafts) {
        const row = await rowOf(tx, draft)
        all.push(row)
        if (draft.key !== undefined) keyed.push(row.id)
        if (slice.isOver) await slice.next()
      }
      await tx.lock('events')
      const known = await knownIds(tx, keyed)
      const { newest } = (await tx.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`)) as { newest: number }
      const rows = all.filter(({ id }) => !known.has(id)).map((row, at) => ({ sequence: newest + 1 + at, ...row }))
      for (let start = 0; start < rows.length; start += EVENTS_PER_STATEMENT) {
        await tx.run(
          `insert into events (${COLUMNS.join(', ')}) select ${VALUES.join(', ')} from ${tx.dialect.elementsOf('@rows')}`,
          { rows: JSON.stringify(rows.slice(start, start + EVENTS_PER_STATEMENT)) },
        )
        if (slice.isOver) await slice.next()
      }
      return rows.length
    },

    async areNew(keys) {
      const ids: string[] = []
      for (const key of keys) ids.push(await idOf(database, key))
      const known = await knownIds(database, ids)
      return ids.map((id) => !known.has(id))
    },
  }
}
