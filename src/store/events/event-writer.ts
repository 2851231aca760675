import { createHash, randomUUID } from 'node:crypto'
import { awardTerms, describeMove, eventSentence } from '../../core/events/event-text.js'
import type { EventData, EventKind } from '../../core/events/events.js'
import { findIdentity } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'

/** SQL: the sequence of the newest event, which is never pruned. All events up to it are committed. */
export const NEWEST_SEQUENCE = '(select coalesce(max(sequence), 0) from events)'

/** An event to be written. */
export interface EventDraft {
  kind: EventKind
  at: string
  channel: string | null
  rfqId?: string | null
  offerId?: string | null
  /** The version of the offer, or otherwise of the RFQ. */
  version?: number | null
  /** Identifies what happened: only one event with a kind and key is ever written. Default: the event is always written. */
  key?: readonly string[]
  data: EventData
}

const COLUMNS = ['sequence', 'id', 'kind', 'at', 'channel', 'rfq_id', 'offer_id', 'version', 'text', 'data'] as const

/** Writes events in the transaction that records their subject. */
export function createEventWriter(database: SqlDatabase) {
  let identity: string | undefined

  /** The id of an event. A hash includes the id of the database, so that two installations never use the same id for different events. */
  const idOf = async (db: Queries, { kind, key }: Pick<EventDraft, 'kind' | 'key'>): Promise<string> => {
    if (key === undefined) return `evt_${randomUUID().replaceAll('-', '')}`
    identity ??= await findIdentity(db)
    const hash = createHash('sha256').update(JSON.stringify([identity, kind, ...key]))
    return `evt_${hash.digest('hex').slice(0, 32)}`
  }

  const knownIds = async (db: Queries, ids: readonly string[]): Promise<Set<string>> => {
    if (ids.length === 0) return new Set()
    const rows = await db.all<{ id: string }>(`select id from events where ${db.dialect.anyOf('id', '@ids')}`, { ids })
    return new Set(rows.map(({ id }) => id))
  }

  const rowOf = async (tx: Transaction, draft: EventDraft) => ({
    id: await idOf(tx, draft),
    kind: draft.kind,
    at: draft.at,
    channel: draft.channel,
    rfq_id: draft.rfqId ?? null,
    offer_id: draft.offerId ?? null,
    version: draft.version ?? null,
    ...(await describe(tx, draft)),
  })

  return {
    /**
     * Writes events, except those whose key is known. The last statement of a transaction: other transactions that write events wait for the
     * commit, so that sequences are in the order of commits, without gaps.
     */
    async write(tx: Transaction, drafts: readonly EventDraft[]): Promise<void> {
      if (drafts.length === 0) return
      const all: Awaited<ReturnType<typeof rowOf>>[] = []
      for (const draft of drafts) all.push(await rowOf(tx, draft))
      const keyed = all.flatMap(({ id }, at) => (drafts[at]?.key === undefined ? [] : id))
      await tx.lock('events')
      const known = await knownIds(tx, keyed)
      const { newest } = (await tx.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`)) as { newest: number }
      const rows = all.filter(({ id }) => !known.has(id)).map((row, at) => ({ sequence: newest + 1 + at, ...row }))
      await tx.insertAll('events', COLUMNS, rows)
    },

    /** Whether an event with its kind and key was not written yet, for each. */
    async areNew(events: readonly Pick<EventDraft, 'kind' | 'key'>[]): Promise<boolean[]> {
      const ids: string[] = []
      for (const event of events) ids.push(await idOf(database, event))
      const known = await knownIds(database, ids)
      return ids.map((id) => !known.has(id))
    },
  }
}

export type EventWriter = ReturnType<typeof createEventWriter>

/** The text and the data of an event. Of a changed recommendation, with what it moved: nothing if an award stands, or an offer was accepted. */
async function describe(tx: Transaction, { kind, channel, rfqId, data }: EventDraft) {
  const full = data.recommendation === undefined ? data : { ...data, ...(await moveOf(tx, channel, rfqId, data)) }
  return { text: eventSentence(kind, full), data: JSON.stringify(full) }
}

async function moveOf(
  tx: Transaction,
  channel: string | null,
  rfqId: string | null | undefined,
  { recommendation, reason }: EventData,
): Promise<EventData> {
  const messages = reason === undefined ? [] : [`${reason}.`]
  const { before, after } = recommendation ?? {}
  const standing = await tx.get(
    `select 1 as found from awards a where a.channel = @channel and a.rfq_id = @rfqId and a.withdraws is null
      and not exists (select 1 from awards w where w.withdraws = a.id)`,
    { channel, rfqId: rfqId ?? null },
  )
  if (!before || !after || standing || before.status === 'accepted' || after.status === 'accepted') return { messages }
  const moved = {
    before: awardTerms({ ...before, total: before.cost }),
    after: awardTerms({ ...after, total: after.cost }),
  }
  return { moved, messages: [...messages, ...describeMove(moved)] }
}
