import { compareDocuments, type ReadBody } from '../../core/changes/compare-documents.js'
import { changesOfVersion } from '../../core/changes/describe-changes.js'
import type { DocumentShape } from '../../core/documents/documents.js'
import { changeData, eventOffer } from '../../core/events/event-facts.js'
import type { EventData, EventKind } from '../../core/events/events.js'
import { isCalendarDate } from '../../core/time/calendar-days.js'
import type { Timestamp } from '../../core/time/clock.js'
import { createCalendar, isLate } from '../../core/time/expiry.js'
import { KEY_COLUMNS } from '../documents/document-rows.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { RunRow } from '../runs/run-queries.js'
import { newestHash } from '../sql/hash-chain.js'
import { storableJson, type Transaction } from '../sql/sql-database.js'
import type { EventDraft } from './event-writer.js'

/** A document that a transaction of a poll or closing round found new, changed, missing or returned. */
export interface ObservedChange {
  kind: 'rfq' | 'response'
  /** The RFQ itself, or the RFQ of the response. */
  rfqId: string
  id: string
  change: 'inserted' | 'changed' | 'missing' | 'returned'
  /** Of the document after the change. */
  version: number
  at: Timestamp
}

/** A row of `problems`, with how often it was found. */
export interface FoundProblem {
  /** Of an offer, its RFQ; otherwise the document itself. */
  ofId: string
  kind: string
  entity_id: string
  path: string
  code: string
  message: string
  stamp: Timestamp
  times: number
}

/** The events of what a transaction of a run recorded: none for what the first poll of a channel finds, which is one event. */
export async function eventsOf(
  tx: Transaction,
  run: LiveRun,
  all: readonly ObservedChange[],
  problems: readonly FoundProblem[],
): Promise<(EventDraft & { ofId?: string })[]> {
  if (all.length === 0 && problems.length === 0) return []
  const { channel } = run
  const firstPoll = await firstPollAt(tx, channel)
  const isCounted = ({ change }: ObservedChange) => firstPoll === null && change === 'inserted'
  const found = await readDocuments(
    tx,
    channel,
    all.filter((each) => !isCounted(each)),
  )
  const firstRead = new Set(found.filter(isFirstRead).map(({ rfqId }) => rfqId))
  const context: Context = {
    calendar: createCalendar(run.timeZone),
    firstRead,
    // The first poll counted the offers of the RFQs that it listed.
    counted: new Set(found.flatMap(({ rfqId, rfq }) => (rfq && rfq.firstAt <= (firstPoll ?? '') ? rfqId : []))),
    head: found.some(({ rfq }) => rfq?.sending) ? await newestHash(tx) : null,
  }
  return [
    ...found.flatMap((document): EventDraft[] => {
      const event = toEvent(document, context)
      if (event === null) return []
      const { kind, rfqId, id, version, at, after } = document
      const offer = kind === 'response' && after !== null && { offer: eventOffer(id, after) }
      const data = { ...offer, ...event.data }
      return [{ kind: event.kind, at, channel, rfqId, offerId: kind === 'response' ? id : null, version, data }]
    }),
    ...(firstPoll === null ? [] : problems).map(({ ofId, kind, entity_id: id, path, code, message, stamp: at }) => ({
      ...{ kind: 'problems.found' as const, at, channel, ofId, data: { problem: { kind, id, path, code, message } } },
    })),
  ]
}

// --- the first poll, which is one event -----------------------------------------------------------------------------

/** When the first poll of a channel had ended; null if none has. */
async function firstPollAt(tx: Transaction, channel: string): Promise<string | null> {
  const event = await tx.get<{ at: string }>(
    `select at from events where channel = @channel and rfq_id is null and kind = 'channel.first-poll' order by sequence limit 1`,
    { channel },
  )
  return event?.at ?? null
}

/** Returns the event of a first poll, which counts what is stored, if the run that ends in this transaction is the first to succeed. */
export async function endFirstPoll(tx: Transaction, run: RunRow): Promise<EventDraft[]> {
  const { channel, kind, outcome } = run
  if (kind !== 'rfqs' || (outcome !== 'complete' && outcome !== 'partial')) return []
  if ((await firstPollAt(tx, channel)) !== null) return []
  const found = (await tx.get<NonNullable<EventData['found']>>(
    `select (select count(distinct id) from documents where channel = @channel and kind in ('rfq', 'rfq-entry')) as rfqs,
      (select count(*) from documents where channel = @channel and kind = 'response') as offers,
      (select count(*) from problems where channel = @channel and kind in ('rfq', 'response')) as problems`,
    { channel },
  )) as NonNullable<EventData['found']>
  return [{ kind: 'channel.first-poll', at: run.finishedAt ?? run.startedAt, channel, data: { found } }]
}

// --- what is stored of changed documents ----------------------------------------------------------------------------

interface ChangedDocument extends ObservedChange {
  /** The previous version of a document that changed. */
  before: ReadBody | null
  /** Null for an RFQ that is missing or has returned. */
  after: ReadBody | null
  rfq: RfqRow | undefined
}

interface RfqRow {
  id: string
  due: string | null
  firstAt: Timestamp
  /** Whether Quotekeeper closes it. */
  sending: number
}

async function readDocuments(
  tx: Transaction,
  channel: string,
  changes: readonly ObservedChange[],
): Promise<ChangedDocument[]> {
  const { anyOf, elementsOf, joinOne } = tx.dialect
  const rfqs = await tx.all<RfqRow>(
    `select id, due_date as due, first_observed_at as "firstAt", (select count(*) from close_intents i
      where i.channel = @channel and i.rfq_id = documents.id and i.state = 'sending') as sending
    from documents where channel = @channel and kind = 'rfq' and rfq_id = '' and ${anyOf('id', '@ids')}`,
    { channel, ids: [...new Set(changes.map(({ rfqId }) => rfqId))] },
  )
  const keys = changes.flatMap(({ kind, rfqId, id, change, version }, at) => {
    const versions = change === 'changed' ? [version - 1, version] : [version]
    if (kind === 'rfq' && (change === 'missing' || change === 'returned')) return []
    const key = { at, channel, kind, rfq_id: kind === 'rfq' ? '' : rfqId, id }
    return versions.map((each) => ({ ...key, version: each }))
  })
  const isVersion = KEY_COLUMNS.map((column) => `v.${column} = value ->> '${column}'`).join(' and ')
  const rows = await tx.all<{ at: number; version: number; body: string; shape: DocumentShape }>(
    `select cast(value ->> 'at' as integer) as at, v.version, v.body, v.shape from ${elementsOf('@keys')}
    ${joinOne('versions', 'v', `${isVersion} and v.version = cast(value ->> 'version' as integer)`)}`,
    { keys: storableJson(keys) },
  )
  const bodies = new Map(
    rows.map(({ at, version, body, shape }) => [`${at} ${version}`, { shape, body: JSON.parse(body) as unknown }]),
  )
  return changes.map((each, at) => ({
    ...each,
    before: bodies.get(`${at} ${each.version - 1}`) ?? null,
    after: bodies.get(`${at} ${each.version}`) ?? null,
    rfq: rfqs.find(({ id }) => id === each.rfqId),
  }))
}

// --- events ---------------------------------------------------------------------------------------------------------

interface Context {
  calendar: ReturnType<typeof createCalendar>
  /** RFQs that were not read before. */
  firstRead: ReadonlySet<string>
  /** RFQs that the event of the first poll counts. */
  counted: ReadonlySet<string>
  /** The newest hash of the chain of decisions, if Quotekeeper closes one of the RFQs. */
  head: string | null
}

interface FoundEvent {
  kind: EventKind
  data: EventData
}

const isFirstRead = ({ kind, before, after }: ChangedDocument): boolean =>
  kind === 'rfq' && after !== null && before?.shape !== after.shape

const listed = (before: boolean): EventData => ({
  changes: [{ field: 'listed', before, after: !before }],
  messages: [before ? 'No longer listed.' : 'Listed again.'],
})

function toEvent(document: ChangedDocument, context: Context): FoundEvent | null {
  const { kind, change, rfqId, before, after, at } = document
  const isRfq = kind === 'rfq'
  if (change === 'missing') return { kind: isRfq ? 'rfq.changed' : 'offer.withdrawn', data: listed(true) }
  if (change === 'returned') return { kind: isRfq ? 'rfq.changed' : 'offer.changed', data: listed(false) }
  if (after === null) return null
  if (change === 'changed') return before && changedDocument(document, before, after, context.head)
  if (context.firstRead.has(rfqId) && context.counted.has(rfqId)) return null
  const messages = changesOfVersion(null, { kind, observedAt: at, ...after })
  if (isRfq) return { kind: 'rfq.new', data: { messages } }
  const reason = lateReason(document, after, context)
  return reason === null
    ? { kind: 'offer.new', data: { messages } }
    : { kind: 'offer.late', data: { reason, messages } }
}

/** Two versions of other shapes do not differ: a summary has fewer fields than the response itself. */
function changedDocument(
  { kind, at, rfq }: ChangedDocument,
  before: ReadBody,
  after: ReadBody,
  head: string | null,
): FoundEvent | null {
  if (before.shape !== after.shape) return null
  const changes = compareDocuments(before, after)
  if (changes.length === 0) return null
  const byUs = kind === 'rfq' && rfq !== undefined && rfq.sending > 0
  const data = changeData([before, after], changes, at, byUs)
  if (kind === 'response') return { kind: 'offer.changed', data }
  if (!changes.some(({ field, after: state }) => field === 'state' && state === 'closed'))
    return { kind: 'rfq.changed', data }
  const reason = byUs ? 'closed by Quotekeeper' : 'closed on the marketplace'
  return { kind: 'rfq.closed', data: { reason, ...(byUs && head !== null && { head }), ...data } }
}

/** Why a new offer is late: it was submitted, or without a submission time first seen, after the response due date. Null if it is not. */
function lateReason({ rfqId, id, rfq, at }: ChangedDocument, after: ReadBody, context: Context): string | null {
  const { calendar, firstRead } = context
  const due = rfq?.due ?? null
  if (due === null || !isCalendarDate(due) || calendar.dateAt(new Date(at)) <= due) return null
  const { submittedAt: sent } = eventOffer(id, after)
  if (sent !== null && !Number.isNaN(Date.parse(sent)))
    return isLate(sent, due, calendar) ? 'submitted after the response due date' : null
  // All offers of a new RFQ are seen late.
  return firstRead.has(rfqId) ? null : 'first seen after the response due date'
}
