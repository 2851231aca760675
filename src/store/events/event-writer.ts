import { createHash, randomUUID } from 'node:crypto'
import { eventRfq } from '../../core/events/event-facts.js'
import { eventSentence } from '../../core/events/event-text.js'
import type { EventData, EventKind } from '../../core/events/events.js'
import type { Timestamp } from '../../core/time/clock.js'
import { createHistory } from '../documents/queries/history.js'
import { findIdentity } from '../sql/meta.js'
import { insertMembers, type Queries, type Transaction } from '../sql/sql-database.js'

/** SQL: the sequence of the newest event, which is never pruned. All events up to it are committed. */
export const NEWEST_SEQUENCE = '(select coalesce(max(sequence), 0) from events)'

/** An event to be written. */
export interface EventDraft {
  kind: EventKind
  at: Timestamp
  channel: string | null
  /** The RFQ of the event, whose facts are added to the data. */
  rfqId?: string | null
  offerId?: string | null
  /** Of the offer, or otherwise of the RFQ. Default: the stored version of the RFQ. */
  version?: number | null
  /** Identifies what happened: only one event with a kind and key is ever written. Default: the event is always written. */
  key?: readonly string[]
  data: EventData
}

/**
 * Writes events in the transaction that records their subject, except those whose key is known. The last statement of a transaction: other
 * transactions that write events wait for the commit, so that sequences are in the order of commits, without gaps.
 */
export async function writeEvents(tx: Transaction, drafts: readonly EventDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const withFacts = await addRfqs(tx, drafts)
  await tx.lock('events')
  const events = await unknownEvents(tx, withFacts)
  const { newest } = (await tx.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`)) as { newest: number }
  const rows = events.map(({ id, kind, at, channel, rfqId = null, offerId = null, version = null, data }, index) => ({
    sequence: newest + 1 + index,
    ...{ id, kind, at, channel, rfqId, offerId, version, text: eventSentence(kind, data), data: JSON.stringify(data) },
  }))
  await insertMembers(tx, 'events', rows)
}

/** The events whose keys are not known, with their ids. */
export async function unknownEvents(
  queries: Queries,
  drafts: readonly EventDraft[],
): Promise<(EventDraft & { id: string })[]> {
  const identity = await findIdentity(queries)
  const events = drafts.map((draft) => ({ id: idOf(draft, identity), ...draft }))
  const rows = await queries.all<{ id: string }>(`select id from events where ${queries.dialect.anyOf('id', '@ids')}`, {
    ids: events.map(({ id }) => id),
  })
  const known = new Set(rows.map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id))
}

/** A hash includes the id of the database, so that two installations never use the same id for different events. */
function idOf({ kind, key }: EventDraft, identity: string): string {
  if (key === undefined) return `evt_${randomUUID().replaceAll('-', '')}`
  const hash = createHash('sha256').update(JSON.stringify([identity, kind, ...key]))
  return `evt_${hash.digest('hex').slice(0, 32)}`
}

/** Adds what is stored of the RFQ of each event. */
async function addRfqs(tx: Transaction, drafts: readonly EventDraft[]): Promise<readonly EventDraft[]> {
  const [channel] = drafts.flatMap((draft) => draft.channel ?? [])
  const ids = [...new Set(drafts.flatMap(({ rfqId, data }) => (data.rfq ? [] : (rfqId ?? []))))]
  if (channel === undefined || ids.length === 0) return drafts
  const rfqs = await createHistory(tx).rfqs({ channel, ids, withoutResponses: true })
  const known = new Map(rfqs.map(({ rfq }) => [rfq.id, { facts: eventRfq(rfq.id, rfq), version: rfq.version }]))
  return drafts.map((draft) => {
    const rfq = known.get(draft.rfqId ?? '')
    return rfq ? { ...draft, version: draft.version ?? rfq.version, data: { rfq: rfq.facts, ...draft.data } } : draft
  })
}
