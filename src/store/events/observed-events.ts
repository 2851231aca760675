import type { DocumentShape } from '../../core/documents/documents.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import { compareVersions, offerFacts, rfqFacts, type ShapedBody } from '../../core/events/event-facts.js'
import type { EventData, EventKind, RfqFacts } from '../../core/events/events.js'
import { type Calendar, createCalendar, isLate } from '../../core/time/expiry.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import type { LiveRun } from '../contract.js'
import { type ListedOffers, listedOffers, NOTHING_LISTED } from '../documents/queries/listed-offers.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { newestHash } from '../sql/hash-chain.js'
import type { Transaction } from '../sql/sql-database.js'
import type { EventDraft, EventWriter } from './event-writer.js'
import { createFirstPolls, type FirstPoll } from './first-polls.js'

/** A document that a transaction of a poll or closing round found new, changed, missing or returned. */
export interface ObservedChange {
  kind: 'rfq' | 'response'
  /** The RFQ itself, or the RFQ of the response. */
  rfqId: string
  id: string
  change: 'inserted' | 'changed' | 'missing' | 'returned'
  /** Of the document after the change. */
  version: number
  before: StoredBody | null
  /** Null if it is missing. */
  after: ShapedBody | null
}
/** The text of a body; null if only its shape is kept, because there are too many. */
export interface StoredBody {
  text: string | null
  shape: DocumentShape
}

/** The observations of a transaction. */
export interface Observations {
  /** The RFQ that it recorded, if any. */
  rfq: (ShapedBody & { id: string }) | null
  changes: ObservedChange[]
  problems: { kind: string; id: string; problem: Problem }[]
}

/** The maximum number of previous bodies kept in a transaction to find the changed fields. */
export const MAX_BODIES_BEFORE = 80

/** Observations, and the timestamp of their recording. */
export interface Observed {
  observations: Observations
  stamp: string
}

/** Writes events for the observations of a transaction. Does nothing if nothing changed. */
export interface ObservedEvents {
  /**
   * Call it at the end of the transaction.
   * @param all in the order in which they were made, for example the RFQs of one transaction
   */
  write(tx: Transaction, run: LiveRun, all: readonly Observed[]): Promise<void>
}

export function createObservedEvents(writer: EventWriter): ObservedEvents {
  const firstPollBefore = createFirstPolls()

  const contextOf = async (
    tx: Transaction,
    run: LiveRun,
    firstPoll: FirstPoll | null,
    { observations, stamp }: Observed,
  ): Promise<DraftContext> => {
    const { changes } = observations
    let today: string | undefined
    return {
      run,
      stamp,
      today: () => (today ??= createCalendar(run.timeZone).dateAt(new Date(stamp))),
      calendar: () => createCalendar(run.timeZone),
      firstPoll,
      rfq: await factsOfRfqs(tx, run, observations),
      listed: await listedBefore(tx, run, observations),
      beingClosed: await rfqsBeingClosed(tx, run, observations),
      head: run.kind === 'close' ? await newestHash(tx, 'close_decisions') : null,
      // The changes of a new RFQ begin with the RFQ itself.
      isNewRfq: (rfqId) => changes[0]?.rfqId === rfqId && isNewRfq(changes[0]),
    }
  }

  return {
    async write(tx, run, all) {
      const found = all.filter(({ observations: { changes, problems } }) => changes.length > 0 || problems.length > 0)
      if (found.length === 0) return
      const firstPoll = await firstPollBefore(tx, run)
      // Its events would name everything that is stored; when it ends, one event says how much that is.
      if (firstPoll === null && run.kind !== 'close') return
      const drafts: EventDraft[] = []
      const problems: EventDraft[] = []
      // So that an RFQ with tens of thousands of offers does not block the event loop.
      const slice = new TimeSlice()
      for (const each of found) {
        const context = await contextOf(tx, run, firstPoll, each)
        for (const change of each.observations.changes) {
          const draft = toDraft(change, context)
          if (draft) drafts.push(draft)
          if (slice.isOver) await slice.next()
        }
        problems.push(...each.observations.problems.map((problem) => problemDraft(problem, context)))
      }
      await writer.write(tx, [...drafts, ...problems])
    },
  }
}

interface DraftContext {
  run: LiveRun
  /** Null in a closing round before the first poll. */
  firstPoll: FirstPoll | null
  stamp: string
  today: () => string
  calendar: () => Calendar
  /** The facts of the RFQ as now stored. */
  rfq: (rfqId: string) => RfqFacts | null
  /** The offers that earlier runs recorded from list entries, if an offer of the RFQ is new. */
  listed: ListedOffers
  beingClosed: ReadonlySet<string>
  /** In a closing round, the newest hash of the closing log. */
  head: string | null
  isNewRfq: (rfqId: string) => boolean
}

const isNewRfq = ({ kind, change }: ObservedChange) => kind === 'rfq' && change === 'inserted'
const isNewOffer = ({ kind, change }: ObservedChange) => kind === 'response' && change === 'inserted'

async function listedBefore(tx: Transaction, run: LiveRun, { rfq, changes }: Observations): Promise<ListedOffers> {
  if (rfq === null || changes.some(isNewRfq)) return NOTHING_LISTED
  return changes.some(isNewOffer) ? await listedOffers(tx, run, rfq.id) : NOTHING_LISTED
}

/** The facts of the RFQs of events: of the recorded RFQ, and of those that are missing or returned. */
async function factsOfRfqs(
  tx: Transaction,
  run: LiveRun,
  { rfq, changes }: Observations,
): Promise<DraftContext['rfq']> {
  const others = new Set<string>()
  for (const { rfqId } of changes) {
    if (rfqId !== rfq?.id) others.add(rfqId)
  }
  const known = await storedRfqs(tx, run.channel, [...others])
  let own: RfqFacts | undefined
  return (rfqId) => {
    if (rfqId !== rfq?.id) return known.get(rfqId)?.facts ?? null
    own ??= rfqFacts(rfqId, rfq)
    return own
  }
}

async function rfqsBeingClosed(tx: Transaction, run: LiveRun, { changes }: Observations): Promise<Set<string>> {
  const rfqIds = changes.flatMap(({ kind, change, rfqId }) => (kind === 'rfq' && change === 'changed' ? [rfqId] : []))
  if (rfqIds.length === 0) return new Set()
  const rows = await tx.all<{ rfq_id: string }>(
    `select rfq_id from close_intents
    where channel = @channel and state = 'sending' and ${tx.dialect.anyOf('rfq_id', '@rfqIds')}`,
    { channel: run.channel, rfqIds: rfqIds.map(toStoredText) },
  )
  return new Set(rows.map(({ rfq_id }) => fromStoredText(rfq_id)))
}

function toDraft(change: ObservedChange, context: DraftContext): EventDraft | null {
  const { kind, rfqId, id } = change
  const found = kind === 'rfq' ? rfqEvent(change, context) : offerEvent(change, context)
  if (found === null) return null
  return {
    kind: found.kind,
    at: context.stamp,
    channel: context.run.channel,
    rfqId,
    offerId: kind === 'response' ? id : null,
    version: change.version,
    runId: context.run.id,
    describe: () => ({ ...factsOf(change, context), ...found.details?.() }),
  }
}

interface FoundEvent {
  kind: EventKind
  details?: () => EventData
}

function factsOf({ kind, rfqId, id, before, after }: ObservedChange, context: DraftContext): EventData {
  const rfq = context.rfq(rfqId)
  const offer = kind === 'response' ? (after ?? parsedBefore(before)) : null
  return { ...(rfq && { rfq }), ...(offer && { offer: offerFacts(id, offer) }) }
}

const parsedBefore = (before: StoredBody | null): ShapedBody | null =>
  before?.text == null ? null : { body: JSON.parse(before.text), shape: before.shape }

const listed =
  (before: boolean): (() => EventData) =>
  () => ({
    changes: [{ field: 'listed', before, after: !before }],
    messages: [before ? 'No longer listed.' : 'Listed again.'],
  })

function rfqEvent({ rfqId, change, before, after }: ObservedChange, context: DraftContext): FoundEvent | null {
  if (change === 'inserted') return { kind: 'rfq.new' }
  if (change === 'missing' || change === 'returned')
    return { kind: 'rfq.changed', details: listed(change === 'missing') }
  const old = parsedBefore(before)
  // A list entry has fewer fields than the RFQ itself, so a change of shape is not a change of the RFQ.
  if (old === null || after === null || old.shape !== after.shape) return null
  const { changes, describe } = compareVersions(old, after)
  if (changes.length === 0) return null
  const byUs = context.beingClosed.has(rfqId)
  const details = () => describe(context.stamp, byUs ? 'Quotekeeper' : null)
  const closed = changes.some(({ field, after: state }) => field === 'state' && state === 'closed')
  if (!closed) return { kind: 'rfq.changed', details }
  const reason = byUs ? 'closed by Quotekeeper' : 'closed on the marketplace'
  const { head } = context
  return { kind: 'rfq.closed', details: () => ({ reason, ...(byUs && head !== null && { head }), ...details() }) }
}

function offerEvent(observed: ObservedChange, context: DraftContext): FoundEvent | null {
  const { change, before, after } = observed
  if (change === 'missing') return { kind: 'offer.withdrawn', details: listed(true) }
  if (change === 'returned') return { kind: 'offer.changed', details: listed(false) }
  if (after === null) return null
  if (change === 'inserted') return newOffer(observed, after, context)
  // A summary has fewer fields than the response itself, so a change of shape is not a change of the offer.
  if (before?.shape !== after.shape) return null
  if (before.text === null) return { kind: 'offer.changed' }
  const { shape } = before
  const { changes, describe } = compareVersions({ shape, body: JSON.parse(before.text) }, after)
  return changes.length === 0 ? null : { kind: 'offer.changed', details: () => describe(context.stamp) }
}

/** Whether an offer is late depends on its submission, or on when it was first listed if that is unknown; not on when it was read. */
function newOffer({ rfqId, id }: ObservedChange, after: ShapedBody, context: DraftContext): FoundEvent | null {
  const { submittedAt: sent = offerFacts(id, after).submittedAt } = after
  const submittedAt = validTime(sent)
  if (isCountedByFirstPoll(id, submittedAt, context)) return null
  const due = context.rfq(rfqId)?.responseDueDate ?? null
  if (due === null || context.today() <= due) return { kind: 'offer.new' }
  const calendar = context.calendar()
  if (isLate(submittedAt, due, calendar)) {
    return { kind: 'offer.late', details: () => ({ reason: 'submitted after the response due date' }) }
  }
  // All offers of a new RFQ are seen late.
  if (submittedAt !== null || context.isNewRfq(rfqId)) return { kind: 'offer.new' }
  const seenOn = calendar.dateAt(new Date(context.listed.first.get(id)?.at ?? context.stamp))
  if (seenOn <= due) return { kind: 'offer.new' }
  return { kind: 'offer.late', details: () => ({ reason: 'first seen after the response due date' }) }
}

/** Whether the event of the first poll already counted an offer that is now read for the first time. */
function isCountedByFirstPoll(id: string, submittedAt: string | null, context: DraftContext): boolean {
  const { firstPoll, listed } = context
  if (firstPoll === null) return false
  const isInFirstPoll = (runId: number | null | undefined) => runId != null && runId <= firstPoll.runId
  if (isInFirstPoll(listed.rfqRunId)) return isInFirstPoll(listed.first.get(id)?.runId)
  return submittedAt !== null && new Date(submittedAt) < firstPoll.startedAt
}

const validTime = (text: string | null) => (text !== null && Number.isNaN(Date.parse(text)) ? null : text)

function problemDraft({ kind, id, problem }: Observations['problems'][number], context: DraftContext): EventDraft {
  const { path, code, message } = problem
  return {
    kind: 'problems.found',
    at: context.stamp,
    channel: context.run.channel,
    runId: context.run.id,
    describe: () => ({ problem: { kind, id, path, code, message } }),
  }
}
