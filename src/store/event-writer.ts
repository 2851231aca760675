import { createHash, randomUUID } from 'node:crypto'
import type { EventData, EventKind } from '../domain/events.js'
import type { Connection, Sqlite } from './connection.js'
import { readIdentity } from './identity.js'
import { toStoredText } from './stored-text.js'

/** Something that happened, to be written as an event. */
export interface EventDraft {
  kind: EventKind
  at: string
  channel: string | null
  rfqId?: string | null
  offerId?: string | null
  /** How many changes it is; default 1. */
  count?: number
  /** The details; called only if they are stored. */
  describe: () => EventData
}

/** Writes events. Call it within a transaction, the one that records what the events are about. */
export interface EventWriter {
  /** Writes an event unless one with the same key was written before. Returns whether it was written. */
  writeOnce(key: readonly string[], draft: EventDraft & { runId?: number | null }): boolean
  /**
   * Writes the events of a run. If a run has more than a few of one kind, one summary takes their place; it grows in later
   * transactions of the run. Events of a run are not delivered before it has ended, so no receiver sees both.
   */
  writeForRun(runId: number, drafts: readonly EventDraft[]): void
  /**
   * Writes events of one transaction outside a run, each once only. If there are many, all are kept, so that none is
   * written again, but only their summary is delivered.
   */
  writeNotices(notices: readonly (EventDraft & { key: readonly string[] })[]): void
  /** Adds to the event that stands for the whole first poll of a channel. */
  addToFirstPoll(run: { id: number; channel: string }, at: string, found: FirstPollCounts): void
  /** For each key, whether no event was written with it yet. Reads; needs no transaction. */
  areNew(keys: readonly (readonly string[])[]): boolean[]
}

type FirstPollCounts = NonNullable<EventData['found']>

/** Single events of one kind and run; more become a summary. */
export const MAX_SINGLE_EVENTS = 20
/** Items described in a summary. */
const MAX_ITEMS = 20
/** Kinds of which a run always has one event at most. */
const ALWAYS_SUMMARIZED = new Set<EventKind>(['problems.found'])

interface Row {
  sequence: number
  count: number
  data: string
}
interface StoredEvent extends Omit<EventDraft, 'describe'> {
  id: string
  runId: number | null
  summary: boolean
  data: EventData
  routedAt?: string
}

const storedRfqId = (id: string | null | undefined) => (id == null ? null : toStoredText(id))
/** The RFQ that all are about, or null. */
const commonRfqId = (drafts: readonly EventDraft[]): string | null => {
  const id = drafts[0]?.rfqId ?? null
  return drafts.every((draft) => draft.rfqId === id) ? id : null
}

const newId = () => `evt_${randomUUID().replaceAll('-', '')}`

/** Contains the id of the database, so that two installations never send equal ids for different events. */
function keyedIdIn(db: Sqlite, key: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([readIdentity(db), ...key]))
  return `evt_${hash.digest('hex').slice(0, 32)}`
}

export function createEventWriter(connection: Connection): EventWriter {
  const sql = (text: string) => connection.statement(text)

  const keyedId = (key: readonly string[]) => keyedIdIn(connection.reader, key)

  const insert = (event: StoredEvent): boolean => {
    const { changes } = sql(
      `insert into events (id, kind, at, channel, rfq_id, offer_id, run_id, count, summary, data, routed_at)
      values (@id, @kind, @at, @channel, @rfqId, @offerId, @runId, @count, @summary, @data, @routedAt)
      on conflict (id) do nothing`,
    ).run({
      id: event.id,
      kind: event.kind,
      at: event.at,
      channel: event.channel,
      rfqId: storedRfqId(event.rfqId),
      offerId: event.offerId == null ? null : toStoredText(event.offerId),
      runId: event.runId,
      count: event.count ?? 1,
      summary: event.summary ? 1 : 0,
      data: JSON.stringify(event.data),
      routedAt: event.routedAt ?? null,
    })
    return changes > 0
  }

  const insertSingle = ({ describe, ...draft }: EventDraft, runId: number | null, more: Partial<StoredEvent> = {}) =>
    insert({ ...draft, id: newId(), runId, summary: false, data: describe(), ...more })

  const UNROUTED_OF_RUN = 'run_id = @runId and kind = @kind and routed_at is null'

  const writeKind = (runId: number, kind: EventKind, drafts: readonly EventDraft[]): void => {
    const count = drafts.reduce((sum, draft) => sum + (draft.count ?? 1), 0)
    const summary = sql(`select sequence, count, data from events where ${UNROUTED_OF_RUN} and summary = 1`).get({
      runId,
      kind,
    }) as Row | undefined
    if (summary) {
      const known = JSON.parse(summary.data) as EventData
      const data = { ...known, items: withItems(known.items ?? [], drafts) }
      sql(
        `update events set count = count + @count, data = @data, rfq_id = case when rfq_id = @rfqId then rfq_id end
        where sequence = @sequence`,
      ).run({ count, data: JSON.stringify(data), rfqId: storedRfqId(commonRfqId(drafts)), sequence: summary.sequence })
      return
    }
    const singles = sql(`select sequence, count, data from events where ${UNROUTED_OF_RUN} order by sequence`).all({
      runId,
      kind,
    }) as Row[]
    if (!ALWAYS_SUMMARIZED.has(kind) && singles.length + drafts.length <= MAX_SINGLE_EVENTS) {
      for (const draft of drafts) insertSingle(draft, runId)
      return
    }
    sql(`delete from events where ${UNROUTED_OF_RUN}`).run({ runId, kind })
    const items = singles.map(({ data }) => JSON.parse(data) as EventData)
    insert({
      ...summaryOf(drafts, items),
      id: newId(),
      runId,
      count: singles.reduce((sum, each) => sum + each.count, count),
    })
  }

  const FIND = 'select 1 from events where id = ?'
  const isKnown = (key: readonly string[]) => sql(FIND).get(keyedId(key)) !== undefined

  return {
    areNew: (keys) =>
      connection.read((db) => {
        const find = db.prepare(FIND)
        return keys.map((key) => find.get(keyedIdIn(db, key)) === undefined)
      }),

    writeOnce: (key, { describe, runId = null, ...draft }) =>
      !isKnown(key) && insert({ ...draft, id: keyedId(key), runId, summary: false, data: describe() }),

    writeForRun(runId, drafts) {
      for (const [kind, ofKind] of byKind(drafts)) writeKind(runId, kind, ofKind)
    },

    writeNotices(notices) {
      for (const [, ofKind] of byKind(notices)) {
        const fresh = ofKind.filter(({ key }) => !isKnown(key))
        const isMany = fresh.length > MAX_SINGLE_EVENTS
        for (const { key, ...draft } of fresh) {
          insertSingle(draft, null, { id: keyedId(key), ...(isMany && { routedAt: draft.at }) })
        }
        if (isMany) insert({ ...summaryOf(fresh, []), id: newId(), runId: null, count: fresh.length })
      }
    },

    addToFirstPoll({ id: runId, channel }, at, found) {
      const row = sql(
        `select sequence, count, data from events
        where channel = ? and kind = 'channel.first-poll' and routed_at is null order by sequence desc`,
      ).get(channel) as Row | undefined
      if (!row) {
        const event = { kind: 'channel.first-poll' as const, at, channel, id: newId(), runId, summary: true }
        insert({ ...event, count: found.rfqs + found.offers, data: { found } })
        return
      }
      const before = (JSON.parse(row.data) as EventData).found ?? { rfqs: 0, offers: 0, lateOffers: 0, problems: 0 }
      const sum: FirstPollCounts = {
        rfqs: before.rfqs + found.rfqs,
        offers: before.offers + found.offers,
        lateOffers: before.lateOffers + found.lateOffers,
        problems: before.problems + found.problems,
      }
      // The run that continues a first poll that was killed delivers it.
      sql('update events set run_id = ?, at = ?, count = ?, data = ? where sequence = ?').run(
        runId,
        at,
        sum.rfqs + sum.offers,
        JSON.stringify({ found: sum }),
        row.sequence,
      )
    },
  }
}

function byKind<T extends EventDraft>(drafts: readonly T[]): Map<EventKind, T[]> {
  const groups = new Map<EventKind, T[]>()
  for (const draft of drafts) {
    const group = groups.get(draft.kind)
    if (group) group.push(draft)
    else groups.set(draft.kind, [draft])
  }
  return groups
}

const withItems = (items: readonly EventData[], drafts: readonly EventDraft[]): EventData[] =>
  items.length >= MAX_ITEMS
    ? [...items]
    : [...items, ...drafts.slice(0, MAX_ITEMS - items.length).map((draft) => draft.describe())]

/** A summary of changes of one kind. It is about an RFQ if all of them are. */
function summaryOf(drafts: readonly EventDraft[], items: readonly EventData[]) {
  const [first] = drafts as [EventDraft]
  const described = withItems(items, drafts)
  const rfqId = commonRfqId(drafts)
  return {
    kind: first.kind,
    at: first.at,
    channel: first.channel,
    rfqId: items.every(({ rfq }) => rfq?.id === rfqId) ? rfqId : null,
    summary: true,
    data: { items: described },
  }
}
