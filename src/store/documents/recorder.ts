import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DocumentKind } from '../../core/documents/documents.js'
import { IdMap } from '../../core/documents/identifier.js'
import { DatabaseUnavailableError, RunLostError } from '../errors.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { eventsOf, type FoundProblem } from '../events/observed-events.js'
import type { FigureWriter } from '../figures/figures.js'
import { fence } from '../runs/channel-lock.js'
import type { LiveRun } from '../runs/run-contract.js'
import { allOf, type SqlDatabase, storableJson, type Transaction } from '../sql/sql-database.js'
import { type ChangeContext, DocumentChanges, problemName } from './document-changes.js'
import {
  CHANGING_COLUMNS,
  DOCUMENT_COLUMNS,
  type DocumentRow,
  documentKey,
  KEY_COLUMNS,
  ROW_COLUMNS,
  sameDocument,
  VERSION_COLUMNS,
} from './document-rows.js'
import type { ListChange, ListedDocument, RecordResult, RfqSnapshot } from './recorder-contract.js'

/** The maximum number of documents of a list in a transaction, and of RFQs and characters. */
const LISTED_PER_TRANSACTION = 200
const RFQS_PER_TRANSACTION = 24
const MAX_CHARACTERS = 2 ** 20
const PROBLEMS_PER_STATEMENT = 500
/** The pause between two transactions, in which RFQs gather to share the costs of the next, in milliseconds. */
const GATHER_MS = 25

interface RfqWrite {
  run: LiveRun
  snapshot: RfqSnapshot
  now: Date
  resolve: (result: RecordResult) => void
  reject: (error: unknown) => void
}

/** A document of a list; null if the list does not have it. */
interface Listed {
  id: string
  entry: ListedDocument | null
}

const SELECT_IDS = `select id from documents where channel = @channel and kind = @kind and rfq_id = ''`

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
    change: (changes: DocumentChanges) => T,
  ): Promise<T> =>
    database.write(async (tx) => {
      await fence(tx, run)
      const changes = new DocumentChanges(await loadRows(tx, run, kinds, ids))
      const result = change(changes)
      const problems = await saveChanges(tx, run, changes)
      const { channel } = run
      const { rfqs, listings } = changes.dirty
      const recommended =
        readAt === null
          ? await figures.outdateFigures(tx, { channel, rfqs, listings })
          : await figures.writeFigures(tx, { channel, ids: rfqs }, readAt)
      const events = [...(await eventsOf(tx, run, changes.observed, problems)), ...(recommended ?? [])]
      // In the order of the documents, whichever share a transaction.
      const at = (each: EventDraft & { ofId?: string }) => ids.indexOf(each.ofId ?? each.rfqId ?? '')
      await writeEvents(
        tx,
        events.toSorted((a, b) => at(a) - at(b)),
      )
      return result
    })

  const recordRfqs = (run: LiveRun, writes: readonly [RfqWrite, ...RfqWrite[]]): Promise<RecordResult[]> => {
    const ids = writes.map(({ snapshot }) => snapshot.rfq.id)
    const readAt = (writes.at(-1) as RfqWrite).now
    return record(run, { kinds: ['rfq', 'rfq-entry', 'response'], ids, readAt }, (changes) =>
      writes.map(({ snapshot, now }) => recordRfq(changes, snapshot, contextOf(run, now, snapshot.readAt))),
    )
  }

  const queue = new Set<RfqWrite>()
  let isWriting = false
  let writtenAt = Number.NEGATIVE_INFINITY
  /** Writes what waits, one transaction after another; while one is written, others gather. Never rejects. */
  const writeQueue = async () => {
    if (isWriting) return
    isWriting = true
    // RFQs that arrive in the same tick share a transaction.
    await null
    while (queue.size > 0) {
      const left = writtenAt + GATHER_MS - performance.now()
      if (left > 0 && queue.size < RFQS_PER_TRANSACTION) await wait(left)
      const batch = takeBatch(queue)
      const [{ run }] = batch
      try {
        const results = await recordRfqs(run, batch)
        for (const [at, { resolve }] of batch.entries()) resolve(results[at] as RecordResult)
      } catch (error) {
        // An error of one RFQ does not affect the others.
        const isOfAll = error instanceof RunLostError || error instanceof DatabaseUnavailableError
        for (const each of batch)
          if (isOfAll || batch.length === 1) each.reject(error)
          else await recordRfqs(run, [each]).then(([result]) => each.resolve(result as RecordResult), each.reject)
      }
      writtenAt = performance.now()
    }
    isWriting = false
  }

  return {
    /** Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing. */
    recordRfq: (run: LiveRun, snapshot: RfqSnapshot, now: Date): Promise<RecordResult> =>
      new Promise((resolve, reject) => {
        queue.add({ run, snapshot, now, resolve, reject })
        void writeQueue()
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
      entries: readonly ListedDocument[],
      { whole, readAt }: { whole: boolean; readAt: Date },
      now: Date,
    ): Promise<ListChange[]> {
      const context = contextOf(run, now, readAt)
      const listed = new Set(entries.map(({ id }) => id))
      const known = whole ? await database.all<{ id: string }>(SELECT_IDS, { channel: run.channel, kind }) : []
      const all: Listed[] = [
        ...entries.map((entry) => ({ id: entry.id, entry })),
        ...known.flatMap(({ id }) => (listed.has(id) ? [] : [{ id, entry: null }])),
      ]
      const kinds: DocumentKind[] = kind === 'listing' ? [kind] : [kind, 'rfq']
      const changed: ListChange[] = []
      for (let start = 0; start === 0 || start < all.length; start += LISTED_PER_TRANSACTION) {
        const batch = all.slice(start, start + LISTED_PER_TRANSACTION)
        const ids = batch.map(({ id }) => id)
        const change = (changes: DocumentChanges) =>
          batch.flatMap((each) => recordListed(changes, kind, each, context) ?? [])
        changed.push(...(await record(run, { kinds, ids, readAt: null }, change)))
      }
      return changed
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>

const contextOf = (run: LiveRun, now: Date, readAt: Date): ChangeContext => ({
  ...{ run, stamp: now.toISOString(), readAt: readAt.toISOString() },
})

/** Takes RFQs of the first run that fit in a transaction. */
function takeBatch(queue: Set<RfqWrite>): [RfqWrite, ...RfqWrite[]] {
  const [first, ...others] = queue as Iterable<RfqWrite> as [RfqWrite, ...RfqWrite[]]
  const batch: [RfqWrite, ...RfqWrite[]] = [first]
  let characters = lengthOf(first)
  for (const each of others) {
    if (each.run.id !== first.run.id || batch.length === RFQS_PER_TRANSACTION) continue
    characters += lengthOf(each)
    if (characters <= MAX_CHARACTERS) batch.push(each)
  }
  for (const each of batch) queue.delete(each)
  return batch
}

const lengthOf = ({ snapshot: { rfq, responses } }: RfqWrite): number =>
  [rfq, ...responses].reduce((sum, { text, same }) => sum + (same ? 0 : text.length), 0)

/** Computes the changes of an RFQ and its responses, which were read together. */
function recordRfq(changes: DocumentChanges, snapshot: RfqSnapshot, context: ChangeContext): RecordResult {
  const { shape, observed: summaries = [], responsesComplete } = snapshot
  const { id: rfqId } = snapshot.rfq
  const key = documentKey(context.run, 'rfq', rfqId)
  const stored = changes.responsesOf(rfqId)
  const storedIds = new IdMap(stored.map(({ id }) => [id, id]))
  const keyOf = (id: string) => documentKey(context.run, 'response', storedIds.get(id) ?? id, rfqId)
  const rfq = changes.upsert(key, { ...snapshot.rfq, shape }, context)
  const row = changes.find(key)
  const result = { rfq, rfqVersion: row?.version ?? 0, rfqHash: row?.content_hash ?? '' }
  if (shape === 'full') changes.readRfq(rfqId, context)
  changes.compareWithEntry(rfqId, context)
  const responses: RecordResult['responses'] = []
  for (const response of snapshot.responses)
    responses.push({ id: response.id, change: changes.upsert(keyOf(response.id), response, context) })
  for (const { id, summaryHash } of summaries) {
    changes.seeResponse(keyOf(id), summaryHash, context)
    responses.push({ id, change: 'unchanged' })
  }
  const listed = new IdMap(responses.map(({ id }) => [id, true]))
  const missing = responsesComplete ? stored.filter((each) => each.missing_since === null && !listed.has(each.id)) : []
  for (const each of missing) changes.missResponse(each, context)
  return { ...result, responses, missing: missing.map(({ id }) => id) }
}

/** @returns null if the document is unchanged */
function recordListed(
  changes: DocumentChanges,
  kind: 'listing' | 'rfq-entry',
  { id, entry }: Listed,
  context: ChangeContext,
): ListChange | null {
  const key = documentKey(context.run, kind, id)
  const shape = kind === 'listing' ? 'full' : 'list'
  const isMissing = entry === null && changes.miss(key, context)
  const change = entry === null ? 'unchanged' : changes.upsert(key, { ...entry, shape }, context)
  if (kind === 'rfq-entry') changes.compareWithEntry(id, context)
  if (isMissing) return { id, change: 'missing' }
  return change === 'unchanged' ? null : { id, change }
}

// --- rows -----------------------------------------------------------------------------------------------------------

async function loadRows(
  tx: Transaction,
  { channel }: LiveRun,
  kinds: readonly DocumentKind[],
  ids: readonly string[],
): Promise<DocumentRow[]> {
  const rows: DocumentRow[] = []
  const newest = tx.dialect.joinOne('versions', 'n', `${sameDocument('n', 'e')} and n.version = e.newest_version`)
  for (const kind of kinds) {
    const isResponse = kind === 'response'
    const where = allOf(!isResponse && `e.rfq_id = ''`, tx.dialect.anyOf(isResponse ? 'e.rfq_id' : 'e.id', '@ids'))
    const found = await tx.all<DocumentRow>(
      `select ${ROW_COLUMNS} from documents e ${newest}
      where e.channel = @channel and e.kind = @kind and ${where} order by e.id`,
      { channel, kind, ids },
    )
    rows.push(...found)
  }
  return rows
}

/** @returns the problems that are new */
async function saveChanges(tx: Transaction, { channel }: LiveRun, changes: DocumentChanges): Promise<FoundProblem[]> {
  const { inserted, changed, versions } = changes
  await tx.insertAll('documents', DOCUMENT_COLUMNS, inserted)
  await tx.insertAll('versions', VERSION_COLUMNS, versions)
  await tx.updateAll('documents', KEY_COLUMNS, CHANGING_COLUMNS, changed)
  await tx.updateAll('documents', KEY_COLUMNS, ['latest_body'], changes.newestTexts)
  await tx.updateAll('versions', [...KEY_COLUMNS, 'version'], ['superseded_at', 'valid'], changes.changedVersions)
  return saveProblems(tx, channel, [...changes.problems.values()])
}

/** Adds problems. @returns those that are new */
async function saveProblems(
  tx: Transaction,
  channel: string,
  problems: readonly FoundProblem[],
): Promise<FoundProblem[]> {
  const of = (name: string) => `value ->> '${name}'`
  const found: FoundProblem[] = []
  for (let start = 0; start < problems.length; start += PROBLEMS_PER_STATEMENT) {
    const batch = problems.slice(start, start + PROBLEMS_PER_STATEMENT)
    const stored = await tx.all<Omit<FoundProblem, 'ofId' | 'message' | 'stamp'>>(
      `insert into problems (channel, kind, entity_id, path, code, message, first_seen_at, last_seen_at, times)
      select @channel, ${['kind', 'entity_id', 'path', 'code', 'message', 'stamp', 'stamp'].map(of).join(', ')},
        cast(${of('times')} as integer)
      from ${tx.dialect.elementsOf('@rows')} where true
      on conflict (channel, kind, entity_id, path, code) do update
        set last_seen_at = excluded.last_seen_at, times = problems.times + excluded.times
      returning kind, entity_id, path, code, times`,
      { channel, rows: storableJson(batch) },
    )
    const times = new Map(stored.map((row) => [problemName(row), row.times]))
    found.push(...batch.filter((each) => times.get(problemName(each)) === each.times))
    await yieldToEventLoop()
  }
  return found
}
