import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { DocumentKind } from '../../core/documents/documents.js'
import { IdMap } from '../../core/documents/identifier.js'
import type { ReadDocument } from '../../core/documents/observation.js'
import { DatabaseUnavailableError, RunLostError } from '../errors.js'
import { writeEvents } from '../events/event-writer.js'
import { eventsOf } from '../events/observed-events.js'
import type { FigureWriter } from '../figures/figures.js'
import { fence } from '../runs/channel-lock.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { type ChangeContext, DocumentChanges, later, type RecordedChange } from './document-changes.js'
import { documentKey } from './document-rows.js'
import { createPollStates } from './queries/poll-states.js'
import { loadRows, saveChanges, seeDocuments } from './save-documents.js'

/** An RFQ with its responses, stored in one transaction. */
export interface RfqSnapshot {
  rfq: ReadDocument
  responses: readonly ReadDocument[]
  /** False if `responses` of the RFQ was unusable: then no response is marked missing. */
  responsesComplete: boolean
  /** Just before its first request was sent, so that all values are at least this recent. */
  readAt: Date
  /** Whether it shows all its documents as they are stored, so that only times are recorded. Default false. */
  isSame?: boolean
}

/** The maximum number of documents of a list in a transaction, and of RFQs and characters. */
const LISTED_PER_TRANSACTION = 500
const RFQS_PER_TRANSACTION = 24
const MAX_CHARACTERS = 2 ** 20
/** The pause between two transactions, in which RFQs gather to share the costs of the next, in milliseconds. */
const GATHER_MS = 25

interface RfqWrite {
  run: LiveRun
  snapshot: RfqSnapshot
  now: Date
  resolve: (result: RecordedChange[]) => void
  reject: (error: unknown) => void
}

/**
 * Records observations (docs/ARCHITECTURE.md, docs/DATABASE.md) within a step of a run: rejects with `RunLostError` if it does not hold the
 * lock of its channel.
 */
export function createRecorder(database: SqlDatabase, figures: FigureWriter) {
  /**
   * Makes changes in one transaction.
   * @param ids of the documents, or of the RFQs of responses
   * @param readAt of RFQs that were read, whose figures are written; null for a list
   */
  const record = <T>(
    run: LiveRun,
    { kinds, ids, readAt }: { kinds: readonly DocumentKind[]; ids: readonly string[]; readAt: Date | null },
    change: (changes: DocumentChanges, tx: Transaction) => T | Promise<T>,
  ): Promise<T> =>
    database.write(async (tx) => {
      await fence(tx, run)
      const changes = new DocumentChanges(await loadRows(tx, run, kinds, ids))
      const result = await change(changes, tx)
      const problems = await saveChanges(tx, run, changes)
      const { channel } = run
      const { rfqs, listings } = changes.dirty
      const recommended =
        readAt === null
          ? await figures.outdateFigures(tx, { channel, rfqs, listings })
          : await figures.writeFigures(
              tx,
              channel,
              [...rfqs].map((id) => changes.rfqWithResponses(run, id)),
              readAt,
            )
      const events = [...(await eventsOf(tx, run, changes, problems)), ...(recommended ?? [])]
      // In the order of the documents, whichever share a transaction.
      const at = (each: { ofId?: string; rfqId?: string | null }) => ids.indexOf(each.ofId ?? each.rfqId ?? '')
      await writeEvents(
        tx,
        events.toSorted((a, b) => at(a) - at(b)),
      )
      return result
    })

  const recordRfqs = (run: LiveRun, writes: readonly RfqWrite[]): Promise<RecordedChange[][]> => {
    const ids = writes.flatMap(({ snapshot }) => (snapshot.isSame ? [] : snapshot.rfq.id))
    const readAt = writes.at(-1)?.now ?? null
    return record(run, { kinds: ['rfq', 'rfq-entry', 'response'], ids, readAt }, async (changes, tx) => {
      const results: RecordedChange[][] = []
      for (const { snapshot, now } of writes) {
        const context = contextOf(run, now, snapshot.readAt)
        results.push(snapshot.isSame ? await seeRfq(tx, snapshot, context) : recordRfq(changes, snapshot, context))
      }
      return results
    })
  }

  // No Set: one that entries pass through keeps them until the next collection of all memory.
  let queue: RfqWrite[] = []
  const oneAtATime = pLimit(1)
  let writtenAt = Number.NEGATIVE_INFINITY
  /** Writes RFQs that wait in one transaction; while it is written, others gather. Never rejects. */
  const writeBatch = async () => {
    const left = writtenAt + GATHER_MS - performance.now()
    if (left > 0 && queue.length > 0 && queue.length < RFQS_PER_TRANSACTION) await wait(left)
    const batch = takeBatch(queue)
    queue = queue.filter((each) => !batch.includes(each))
    const run = batch[0]?.run
    if (run === undefined) return
    try {
      const results = await recordRfqs(run, batch)
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] ?? [])
    } catch (error) {
      // An error of one RFQ does not affect the others.
      const isOfAll = error instanceof RunLostError || error instanceof DatabaseUnavailableError
      for (const each of batch)
        if (isOfAll || batch.length === 1) each.reject(error)
        else await recordRfqs(run, [each]).then(([result = []]) => each.resolve(result), each.reject)
    }
    writtenAt = performance.now()
  }

  return {
    /**
     * Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing.
     * @returns what became of each
     */
    recordRfq: (run: LiveRun, snapshot: RfqSnapshot, now: Date): Promise<RecordedChange[]> =>
      new Promise((resolve, reject) => {
        queue.push({ run, snapshot, now, resolve, reject })
        void oneAtATime(writeBatch)
      }),

    /**
     * Stores a list of listings, or of entries of RFQs, in several transactions.
     * @param list.whole what it does not have is missing
     * @param list.readAt just before the list was requested
     * @returns the changed ones
     */
    async recordList(
      run: LiveRun,
      kind: 'listing' | 'rfq-entry',
      entries: readonly ReadDocument[],
      { whole, readAt }: { whole: boolean; readAt: Date },
      now: Date,
    ): Promise<RecordedChange[]> {
      const context = contextOf(run, now, readAt)
      const stored = await createPollStates(database).listedDocuments(run.channel, kind)
      const known = new Map(stored.map((each) => [each.id, each.textHash]))
      const listed = new Map<string, ReadDocument | null>(entries.map((entry) => [entry.id, entry]))
      for (const id of whole ? known.keys() : []) if (!listed.has(id)) listed.set(id, null)
      const isSame = ([id, entry]: [string, ReadDocument | null]) =>
        known.get(id) === (entry === null ? null : entry.hash)
      const all = [...listed]
      const kinds: DocumentKind[] = kind === 'listing' ? [kind] : [kind, 'rfq']
      const changed: RecordedChange[] = []
      for (let start = 0; start === 0 || start < all.length; start += LISTED_PER_TRANSACTION) {
        const batch = all.slice(start, start + LISTED_PER_TRANSACTION)
        const others = batch.filter((each) => !isSame(each))
        const ids = others.map(([id]) => id)
        const recorded = await record(run, { kinds, ids, readAt: null }, async (changes, tx) => {
          await seeDocuments(tx, context, { kinds, ids: batch.filter(isSame).map(([id]) => id) })
          return others
            .map(([id, entry]) => changes.observe(documentKey(run, kind, id), entry, context))
            .map((row) => changes.changeOf(row))
        })
        changed.push(...recorded.filter(({ change }) => change !== 'unchanged'))
      }
      return changed
    },
  }
}

const contextOf = (run: LiveRun, now: Date, readAt: Date): ChangeContext => ({
  ...{ run, stamp: now.toISOString(), readAt: readAt.toISOString() },
})

/** RFQs of the first run that fit in a transaction. */
function takeBatch(queue: readonly RfqWrite[]): RfqWrite[] {
  const batch: RfqWrite[] = []
  let characters = 0
  for (const each of queue) {
    const { run, snapshot } = each
    if (batch.length === RFQS_PER_TRANSACTION || run.id !== (batch[0] ?? each).run.id) continue
    characters += [snapshot.rfq, ...snapshot.responses].reduce((sum, { text }) => sum + text.length, 0)
    if (characters > MAX_CHARACTERS && batch.length > 0) continue
    batch.push(each)
  }
  return batch
}

/** Computes the changes of an RFQ and its responses, which were read together. */
function recordRfq(
  changes: DocumentChanges,
  { rfq, responses, responsesComplete }: RfqSnapshot,
  context: ChangeContext,
): RecordedChange[] {
  const stored = changes.responsesOf(rfq.id)
  const storedIds = new IdMap(stored.map(({ id }) => [id, id]))
  const keyOf = (id: string) => documentKey(context.run, 'response', storedIds.get(id) ?? id, rfq.id)
  const rows = new Set([
    changes.observe(documentKey(context.run, 'rfq', rfq.id), rfq, context),
    ...responses.map((response) => changes.observe(keyOf(response.id), response, context)),
  ])
  // After those that are stored, because offers are numbered in the order of their first observation.
  const first = stored.reduce((at, row) => later(at, after(row.first_observed_at)), context.stamp)
  for (const row of rows)
    if (row.kind === 'response' && changes.observed.get(row) === null) row.first_observed_at = first
  for (const row of responsesComplete ? stored : []) {
    if (rows.has(row) || row.missing_since !== null) continue
    changes.miss(row, context)
    rows.add(row)
  }
  return [...rows].map((row) => changes.changeOf(row))
}

/** Records when an RFQ and its responses, of which nothing has changed, were seen: as `DocumentChanges.observe` would. */
async function seeRfq(
  tx: Transaction,
  { rfq, responses }: RfqSnapshot,
  context: ChangeContext,
): Promise<RecordedChange[]> {
  const [full, listed] = [[], []] as [string[], string[]]
  for (const { shape, id } of responses) (shape === 'full' ? full : listed).push(id)
  await seeDocuments(tx, context, { kinds: ['rfq'], ids: [rfq.id], wereRead: true })
  await seeDocuments(tx, context, { kinds: ['response'], rfqId: rfq.id, ids: full, wereRead: true })
  await seeDocuments(tx, context, { kinds: ['response'], rfqId: rfq.id, ids: listed })
  const unchanged = (kind: DocumentKind, { id }: ReadDocument) => ({ kind, id, change: 'unchanged' as const })
  return [unchanged('rfq', rfq), ...responses.map((each) => unchanged('response', each))]
}

const after = (time: string) => new Date(Date.parse(time) + 1).toISOString()
