import { createHash, randomUUID } from 'node:crypto'
import type { EventData, EventKind } from '../core/events.js'
import { findIdentity } from './meta.js'
import type { Queries, SqlDatabase, Transaction } from './sql-database.js'
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

/** Writes events, in the transaction that records what they are about. */
export interface EventWriter {
  /** Writes an event of which there may be any number. */
  write(tx: Transaction, draft: EventDraft): Promise<void>
  /** Writes an event unless one with the same key was written before. Returns whether it was written. */
  writeOnce(tx: Transaction, key: readonly string[], draft: EventDraft & { runId?: number | null }): Promise<boolean>
  /**
   * Writes the events of a run. If a run has more than a few of one kind, one summary takes their place; it grows in later
   * transactions of the run. Events of a run are not delivered before it has ended, so no receiver sees both.
   */
  writeForRun(tx: Transaction, runId: number, drafts: readonly EventDraft[]): Promise<void>
  /**
   * Writes events of one transaction outside a run, each once only. If there are many, all are kept, so that none is
   * written again, but only their summary is delivered.
   */
  writeNotices(tx: Transaction, notices: readonly (EventDraft & { key: readonly string[] })[]): Promise<void>
  /** Adds to the event that stands for the whole first poll of a channel. */
  addToFirstPoll(
    tx: Transaction,
    run: { id: number; channel: string },
    at: string,
    found: FirstPollCounts,
  ): Promise<void>
  /** For each key, whether no event was written with it yet. */
  areNew(keys: readonly (readonly string[])[]): Promise<boolean[]>
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

export function createEventWriter(database: SqlDatabase): EventWriter {
  let identity: string | undefined

  /** Contains the id of the database, so that two installations never send equal ids for different events. */
  const keyedId = async (db: Queries, key: readonly string[]): Promise<string> => {
    identity ??= await findIdentity(db)
    const hash = createHash('sha256').update(JSON.stringify([identity, ...key]))
    return `evt_${hash.digest('hex').slice(0, 32)}`
  }

  const insert = async (tx: Transaction, event: StoredEvent): Promise<boolean> => {
    const inserted = await tx.run(
      `insert into events (id, kind, at, channel, rfq_id, offer_id, run_id, count, summary, data, routed_at)
      values (@id, @kind, @at, @channel, @rfqId, @offerId, @runId, @count, @summary, @data, @routedAt)
      on conflict (id) do nothing`,
      {
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
      },
    )
    return inserted > 0
  }

  const insertSingle = (
    tx: Transaction,
    { describe, ...draft }: EventDraft,
    runId: number | null,
    more: Partial<StoredEvent> = {},
  ) => insert(tx, { ...draft, id: newId(), runId, summary: false, data: describe(), ...more })

  const UNROUTED_OF_RUN = 'run_id = @runId and kind = @kind and routed_at is null'

  const writeKind = async (tx: Transaction, runId: number, kind: EventKind, drafts: readonly EventDraft[]) => {
    const count = drafts.reduce((sum, draft) => sum + (draft.count ?? 1), 0)
    const summary = await tx.get<Row>(
      `select sequence, count, data from events where ${UNROUTED_OF_RUN} and summary = 1`,
      { runId, kind },
    )
    if (summary) {
      const known = JSON.parse(summary.data) as EventData
      const data = { ...known, items: withItems(known.items ?? [], drafts) }
      await tx.run(
        `update events set count = count + @count, data = @data, rfq_id = case when rfq_id = @rfqId then rfq_id end
        where sequence = @sequence`,
        { count, data: JSON.stringify(data), rfqId: storedRfqId(commonRfqId(drafts)), sequence: summary.sequence },
      )
      return
    }
    const singles = await tx.all<Row>(
      `select sequence, count, data from events where ${UNROUTED_OF_RUN} order by sequence`,
      { runId, kind },
    )
    if (!ALWAYS_SUMMARIZED.has(kind) && singles.length + drafts.length <= MAX_SINGLE_EVENTS) {
      for (const draft of drafts) await insertSingle(tx, draft, runId)
      return
    }
    await tx.run(`delete from events where ${UNROUTED_OF_RUN}`, { runId, kind })
    const items = singles.map(({ data }) => JSON.parse(data) as EventData)
    await insert(tx, {
      ...summaryOf(drafts, items),
      id: newId(),
      runId,
      count: singles.reduce((sum, each) => sum + each.count, count),
    })
  }

  /** For each key, whether an event was written with it. */
  const areKnown = async (db: Queries, keys: readonly (readonly string[])[]): Promise<boolean[]> => {
    const ids: string[] = []
    for (const key of keys) ids.push(await keyedId(db, key))
    const rows = await db.all<{ id: string }>(`select id from events where ${db.dialect.anyOf('id', '@ids')}`, { ids })
    const known = new Set(rows.map(({ id }) => id))
    return ids.map((id) => known.has(id))
  }

  return {
    areNew: async (keys) => (await areKnown(database, keys)).map((known) => !known),

    async write(tx, draft) {
      await insertSingle(tx, draft, null)
    },

    async writeOnce(tx, key, { describe, runId = null, ...draft }) {
      const [known] = await areKnown(tx, [key])
      return !known && insert(tx, { ...draft, id: await keyedId(tx, key), runId, summary: false, data: describe() })
    },

    async writeForRun(tx, runId, drafts) {
      if (drafts.length > 0) await tx.lock('events of run', runId)
      for (const [kind, ofKind] of byKind(drafts)) await writeKind(tx, runId, kind, ofKind)
    },

    async writeNotices(tx, notices) {
      await tx.lock('notices')
      for (const [, ofKind] of byKind(notices)) {
        const known = await areKnown(
          tx,
          ofKind.map(({ key }) => key),
        )
        const fresh = ofKind.filter((_, at) => !known[at])
        const isMany = fresh.length > MAX_SINGLE_EVENTS
        for (const { key, ...draft } of fresh) {
          await insertSingle(tx, draft, null, {
            id: await keyedId(tx, key),
            ...(isMany && { routedAt: draft.at }),
          })
        }
        if (isMany) await insert(tx, { ...summaryOf(fresh, []), id: newId(), runId: null, count: fresh.length })
      }
    },

    async addToFirstPoll(tx, { id: runId, channel }, at, found) {
      await tx.lock('first poll', channel)
      const row = await tx.get<Row>(
        `select sequence, count, data from events
        where channel = @channel and kind = 'channel.first-poll' and routed_at is null order by sequence desc`,
        { channel },
      )
      if (!row) {
        const event = { kind: 'channel.first-poll' as const, at, channel, id: newId(), runId, summary: true }
        await insert(tx, { ...event, count: found.rfqs + found.offers, data: { found } })
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
      await tx.run(
        `update events set run_id = @runId, at = @at, count = @count, data = @data
        where sequence = @sequence`,
        { runId, at, count: sum.rfqs + sum.offers, data: JSON.stringify({ found: sum }), sequence: row.sequence },
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
