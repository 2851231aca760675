import { compareDocuments, type ReadBody } from '../../core/changes/compare-documents.js'
import { changesOfVersion } from '../../core/changes/describe-changes.js'
import { bodyOf } from '../../core/documents/observation.js'
import { changeData, eventOffer } from '../../core/events/event-facts.js'
import type { EventData } from '../../core/events/events.js'
import { isCalendarDate } from '../../core/time/calendar-days.js'
import type { Timestamp } from '../../core/time/clock.js'
import { createCalendar, isLate } from '../../core/time/expiry.js'
import type { DocumentChanges, FoundProblem } from '../documents/document-changes.js'
import { type DocumentRow, documentKey } from '../documents/document-rows.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { RunRow } from '../runs/run-queries.js'
import { newestHash } from '../sql/hash-chain.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft } from './event-writer.js'

/** The events of what a transaction of a run recorded: none for what the first poll of a channel finds, which is one event. */
export async function eventsOf(
  tx: Transaction,
  run: LiveRun,
  changes: DocumentChanges,
  problems: readonly FoundProblem[],
): Promise<(EventDraft & { ofId?: string })[]> {
  const all = [...changes.observed].flatMap(([row, before]) => changesOf(row, before))
  if (all.length === 0 && problems.length === 0) return []
  const { channel } = run
  const firstPoll = await firstPollAt(tx, channel)
  const found = all.flatMap(({ before, ...change }) =>
    firstPoll === null && before === null
      ? []
      : { before: before && asRead(before), after: asRead(change.row), ...change },
  )
  const closing = await findClosing(tx, channel, found)
  const context: Context = {
    calendar: createCalendar(run.timeZone),
    firstPoll,
    firstRead: new Set(found.filter(isFirstRead).map(({ row }) => row.id)),
    closing,
    head: closing.size > 0 ? await newestHash(tx) : null,
    rfqOf: (row) => changes.find(documentKey(run, 'rfq', row.rfq_id || row.id)),
  }
  return [
    ...found.flatMap((document): EventDraft[] => {
      const event = toEvent(document, context)
      if (event === null) return []
      const { row, at, after } = document
      const { rfq_id, id, version } = row
      if (row.kind === 'rfq') return [{ ...event, at, channel, rfqId: id, version }]
      const data = { offer: eventOffer(id, after), ...event.data }
      return [{ kind: event.kind, at, channel, rfqId: rfq_id, offerId: id, version, data }]
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

// --- what changed ---------------------------------------------------------------------------------------------------

/** An RFQ or response that is new, changed, missing or has returned. */
interface Change {
  row: DocumentRow
  what: 'inserted' | 'changed' | 'missing' | 'returned'
  at: Timestamp
  /** As it was stored; null for a new one. */
  before: DocumentRow | null
}

function changesOf(row: DocumentRow, before: DocumentRow | null): Change[] {
  const { kind, missing_since: missing, last_observed_at: at } = row
  if (kind !== 'rfq' && kind !== 'response') return []
  if (before === null) return [{ row, what: 'inserted', at, before }]
  const changes: Change[] = []
  if (missing !== null && before.missing_since === null) changes.push({ row, what: 'missing', at: missing, before })
  if (missing === null && before.missing_since !== null) changes.push({ row, what: 'returned', at, before })
  if (row.version !== before.version) changes.push({ row, what: 'changed', at, before })
  return changes
}

interface ChangedDocument extends Omit<Change, 'before'> {
  /** The version that was stored. */
  before: ReadBody | null
  after: ReadBody
}

const asRead = (row: DocumentRow): ReadBody => ({ shape: row.shape, body: bodyOf(row) })

/** The RFQs that Quotekeeper closes. */
async function findClosing(tx: Transaction, channel: string, changes: readonly ChangedDocument[]) {
  const ids = changes.flatMap(({ row }) => (row.kind === 'rfq' ? row.id : []))
  const rows = await tx.all<{ id: string }>(
    `select rfq_id as id from close_intents where channel = @channel and state = 'sending' and ${tx.dialect.anyOf('rfq_id', '@ids')}`,
    { channel, ids },
  )
  return new Set(rows.map(({ id }) => id))
}

// --- events ---------------------------------------------------------------------------------------------------------

interface Context {
  calendar: ReturnType<typeof createCalendar>
  firstPoll: Timestamp | null
  /** RFQs that were not read before. */
  firstRead: ReadonlySet<string>
  /** RFQs that Quotekeeper closes. */
  closing: ReadonlySet<string>
  /** The newest hash of the chain of decisions, if it closes one. */
  head: string | null
  /** An RFQ, or that of a response. */
  rfqOf: (row: DocumentRow) => DocumentRow | undefined
}

type FoundEvent = Pick<EventDraft, 'kind' | 'data'>

const isFirstRead = ({ row, what, before, after }: ChangedDocument): boolean =>
  row.kind === 'rfq' && (what === 'inserted' || what === 'changed') && before?.shape !== after.shape

function toEvent(document: ChangedDocument, context: Context): FoundEvent | null {
  const { row, what } = document
  if (what === 'inserted') return newDocument(document, context)
  if (what === 'changed') return changedDocument(document, context)
  const isMissing = what === 'missing'
  const kind = row.kind === 'rfq' ? 'rfq.changed' : isMissing ? 'offer.withdrawn' : 'offer.changed'
  const changes = [{ field: 'listed', before: isMissing, after: !isMissing }]
  return { kind, data: { changes, messages: [isMissing ? 'No longer listed.' : 'Listed again.'] } }
}

function newDocument({ row, at, after }: ChangedDocument, context: Context): FoundEvent | null {
  const { firstPoll, firstRead } = context
  const rfq = context.rfqOf(row)
  // The first poll counted the offers of the RFQs that it listed.
  if (rfq && firstRead.has(rfq.id) && rfq.first_observed_at <= (firstPoll ?? '')) return null
  const kind = row.kind === 'rfq' ? 'rfq' : 'response'
  const messages = changesOfVersion(null, { kind, observedAt: at, ...after })
  if (kind === 'rfq') return { kind: 'rfq.new', data: { messages } }
  const reason = lateReason(row, after, context)
  return reason === null
    ? { kind: 'offer.new', data: { messages } }
    : { kind: 'offer.late', data: { reason, messages } }
}

/** Two versions of other shapes do not differ: a summary has fewer fields than the response itself. */
function changedDocument({ row, at, before, after }: ChangedDocument, { closing, head }: Context): FoundEvent | null {
  if (before?.shape !== after.shape) return null
  const changes = compareDocuments(before, after)
  if (changes.length === 0) return null
  const byUs = row.kind === 'rfq' && closing.has(row.id)
  const data = changeData([before, after], changes, at, byUs)
  if (row.kind !== 'rfq') return { kind: 'offer.changed', data }
  if (!changes.some(({ field, after: state }) => field === 'state' && state === 'closed'))
    return { kind: 'rfq.changed', data }
  const reason = byUs ? 'closed by Quotekeeper' : 'closed on the marketplace'
  return { kind: 'rfq.closed', data: { reason, ...(byUs && head !== null && { head }), ...data } }
}

/** Why a new offer is late: it was submitted, or without a submission time first seen, after the response due date. Null if it is not. */
function lateReason(row: DocumentRow, after: ReadBody, { calendar, firstRead, rfqOf }: Context): string | null {
  const due = rfqOf(row)?.due_date ?? null
  if (due === null || !isCalendarDate(due) || calendar.dateAt(new Date(row.last_observed_at)) <= due) return null
  const { submittedAt: sent } = eventOffer(row.id, after)
  if (sent !== null && !Number.isNaN(Date.parse(sent)))
    return isLate(sent, due, calendar) ? 'submitted after the response due date' : null
  // All offers of a new RFQ are seen late.
  return firstRead.has(row.rfq_id) ? null : 'first seen after the response due date'
}
