import { compareDocuments, type ReadBody } from '../../core/changes/compare-documents.js'
import { changesOfVersion } from '../../core/changes/describe-changes.js'
import type { DocumentShape } from '../../core/documents/documents.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import { changeData, offerFacts, rfqFacts } from '../../core/events/event-facts.js'
import type { EventData, EventKind, RfqFacts } from '../../core/events/events.js'
import { createCalendar, isLate } from '../../core/time/expiry.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { RunRow } from '../runs/run-queries.js'
import { newestHash } from '../sql/hash-chain.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft, EventWriter } from './event-writer.js'

/** A document that a transaction of a poll or closing round found new, changed, missing or returned. */
export interface ObservedChange {
  kind: 'rfq' | 'response'
  /** The RFQ itself, or the RFQ of the response. */
  rfqId: string
  id: string
  change: 'inserted' | 'changed' | 'missing' | 'returned'
  /** Of the document after the change. */
  version: number
  /** The text is read after the change was observed. */
  before: { text: string | null; shape: DocumentShape } | null
  /** Null if it is missing. */
  after: ReadBody | null
}

/** The observations of a transaction. */
export interface Observations {
  /** The RFQ that it recorded, if any. */
  rfq: (ReadBody & { id: string }) | null
  changes: ObservedChange[]
  problems: { kind: string; id: string; problem: Problem }[]
}

/** Observations, and the timestamp of their recording. */
export interface Observed {
  observations: Observations
  stamp: string
}

/** Writes events for the observations of a transaction. */
export function createObservedEvents(writer: EventWriter) {
  return {
    /**
     * Call it at the end of the transaction.
     * @param all in the order in which they were made, for example the RFQs of one transaction
     * @param more events of these RFQs, each to be written after its observations
     */
    async write(tx: Transaction, run: LiveRun, all: readonly Observed[], more: readonly EventDraft[]): Promise<void> {
      const countedBy = await firstPollAt(tx, run.channel)
      const drafts: EventDraft[] = []
      for (const { observations, stamp } of all) {
        const { rfq, changes, problems } = observations
        if (changes.length > 0) drafts.push(...(await draftsOf(tx, run, observations, { stamp, countedBy })))
        if (countedBy !== null) drafts.push(...problems.map((each) => problemDraft(each, run, stamp)))
        drafts.push(...more.filter(({ rfqId }) => rfqId === rfq?.id))
      }
      await writer.write(tx, drafts)
    },
  }
}

async function draftsOf(
  tx: Transaction,
  run: LiveRun,
  observations: Observations,
  at: { stamp: string; countedBy: string | null },
): Promise<EventDraft[]> {
  const context = await contextOf(tx, run, observations, at)
  return observations.changes.flatMap((change) => {
    const event = context.isCounted(change) ? null : toEvent(change, context)
    if (event === null) return []
    const { kind, rfqId, id, version } = change
    return {
      ...{ kind: event.kind, at: at.stamp, channel: run.channel, rfqId, version },
      offerId: kind === 'response' ? id : null,
      data: { ...factsOf(change, context), ...event.data },
    }
  })
}

export type ObservedEvents = ReturnType<typeof createObservedEvents>

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

/** The RFQs that were listed before the first poll ended, which counted them with their offers. */
async function countedRfqs(
  tx: Transaction,
  channel: string,
  rfqIds: readonly string[],
  countedBy: string | null,
): Promise<Set<string>> {
  if (rfqIds.length === 0 || countedBy === null) return new Set()
  const rows = await tx.all<{ id: string }>(
    `select id from documents where channel = @channel and kind = 'rfq' and rfq_id = ''
      and ${tx.dialect.anyOf('id', '@ids')} and first_observed_at <= @countedBy`,
    { channel, ids: rfqIds, countedBy },
  )
  return new Set(rows.map(({ id }) => id))
}

// --- what the events of a transaction have in common ----------------------------------------------------------------

interface Context {
  stamp: string
  timeZone: string
  /** The facts of an RFQ as it is now stored. */
  rfq: (rfqId: string) => RfqFacts | null
  /** Whether an RFQ was not read before. */
  isFirstRead: (rfqId: string) => boolean
  /** Whether the event of the first poll stands for a change. */
  isCounted: (change: ObservedChange) => boolean
  beingClosed: ReadonlySet<string>
  /** The newest hash of the chain of decisions, if Quotekeeper closes one of the RFQs. */
  head: string | null
}

async function contextOf(
  tx: Transaction,
  run: LiveRun,
  { rfq, changes }: Observations,
  { stamp, countedBy }: { stamp: string; countedBy: string | null },
): Promise<Context> {
  const idsOf = (isMeant: (change: ObservedChange) => boolean) =>
    new Set(changes.flatMap((change) => (isMeant(change) ? change.rfqId : [])))
  const firstRead = idsOf(
    ({ kind, before, after }) => kind === 'rfq' && after !== null && before?.shape !== after.shape,
  )
  const counted = await countedRfqs(tx, run.channel, [...firstRead], countedBy)
  const beingClosed = await rfqsBeingClosed(tx, run, [
    ...idsOf(({ kind, change }) => kind === 'rfq' && change === 'changed'),
  ])
  const others = await storedRfqs(tx, run.channel, [...idsOf(({ rfqId }) => rfqId !== rfq?.id)])
  const own = rfq === null || changes.length === 0 ? null : rfqFacts(rfq.id, rfq)
  return {
    ...{ stamp, timeZone: run.timeZone, beingClosed },
    head: beingClosed.size > 0 ? await newestHash(tx) : null,
    rfq: (rfqId) => (rfqId === own?.id ? own : (others.get(rfqId)?.facts ?? null)),
    isFirstRead: (rfqId) => firstRead.has(rfqId),
    isCounted: ({ change, rfqId }) => change === 'inserted' && (countedBy === null || counted.has(rfqId)),
  }
}

async function rfqsBeingClosed(tx: Transaction, run: LiveRun, rfqIds: readonly string[]): Promise<Set<string>> {
  if (rfqIds.length === 0) return new Set()
  const rows = await tx.all<{ rfq_id: string }>(
    `select rfq_id from close_intents
    where channel = @channel and state = 'sending' and ${tx.dialect.anyOf('rfq_id', '@rfqIds')}`,
    { channel: run.channel, rfqIds },
  )
  return new Set(rows.map(({ rfq_id }) => rfq_id))
}

// --- events ---------------------------------------------------------------------------------------------------------

interface FoundEvent {
  kind: EventKind
  data?: EventData
}

const parsedBefore = ({ before }: ObservedChange): ReadBody | null =>
  before?.text == null ? null : { body: JSON.parse(before.text), shape: before.shape }

function factsOf(change: ObservedChange, context: Context): EventData {
  const { kind, rfqId, id, after } = change
  const rfq = context.rfq(rfqId)
  const offer = kind === 'response' ? (after ?? parsedBefore(change)) : null
  return { ...(rfq && { rfq }), ...(offer && { offer: offerFacts(id, offer) }) }
}

const listed = (before: boolean): EventData => ({
  changes: [{ field: 'listed', before, after: !before }],
  messages: [before ? 'No longer listed.' : 'Listed again.'],
})

function toEvent(change: ObservedChange, context: Context): FoundEvent | null {
  const isRfq = change.kind === 'rfq'
  if (change.change === 'missing') return { kind: isRfq ? 'rfq.changed' : 'offer.withdrawn', data: listed(true) }
  if (change.change === 'returned') return { kind: isRfq ? 'rfq.changed' : 'offer.changed', data: listed(false) }
  if (change.after === null) return null
  if (change.change !== 'inserted') return changedDocument(change, change.after, context)
  const { kind, data } = isRfq ? { kind: 'rfq.new' as const } : newOffer(change, change.after, context)
  const version = { kind: change.kind, observedAt: context.stamp, ...change.after }
  return { kind, data: { ...data, messages: changesOfVersion(null, version) } }
}

/** Two versions of other shapes do not differ: a summary has fewer fields than the response itself. */
function changedDocument(change: ObservedChange, after: ReadBody, context: Context): FoundEvent | null {
  const before = parsedBefore(change)
  if (before === null || before.shape !== after.shape) return null
  const changes = compareDocuments(before, after)
  if (changes.length === 0) return null
  const byUs = change.kind === 'rfq' && context.beingClosed.has(change.rfqId)
  const data = changeData([before, after], changes, context.stamp, byUs)
  if (change.kind === 'response') return { kind: 'offer.changed', data }
  if (!changes.some(({ field, after: state }) => field === 'state' && state === 'closed'))
    return { kind: 'rfq.changed', data }
  const { head } = context
  const reason = byUs ? 'closed by Quotekeeper' : 'closed on the marketplace'
  return { kind: 'rfq.closed', data: { reason, ...(byUs && head !== null && { head }), ...data } }
}

/** An offer is late if it was submitted, or without a submission time first seen, after the response due date. */
function newOffer({ rfqId, id }: ObservedChange, after: ReadBody, context: Context): FoundEvent {
  const due = context.rfq(rfqId)?.responseDueDate ?? null
  const calendar = createCalendar(context.timeZone)
  if (due === null || calendar.dateAt(new Date(context.stamp)) <= due) return { kind: 'offer.new' }
  const sent = offerFacts(id, after).submittedAt
  if (sent !== null && !Number.isNaN(Date.parse(sent)))
    return isLate(sent, due, calendar)
      ? { kind: 'offer.late', data: { reason: 'submitted after the response due date' } }
      : { kind: 'offer.new' }
  // All offers of a new RFQ are seen late.
  if (context.isFirstRead(rfqId)) return { kind: 'offer.new' }
  return { kind: 'offer.late', data: { reason: 'first seen after the response due date' } }
}

const problemDraft = (
  { kind, id, problem: { path, code, message } }: Observations['problems'][number],
  run: LiveRun,
  at: string,
): EventDraft => ({
  ...{ kind: 'problems.found', at, channel: run.channel },
  data: { problem: { kind, id, path, code, message } },
})
