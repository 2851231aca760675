import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DocumentKind } from '../../core/documents/documents.js'
import { IdMap } from '../../core/documents/identifier.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { DatabaseUnavailableError, RunLostError } from '../errors.js'
import { writeEvents } from '../events/event-writer.js'
import { eventsOf } from '../events/observed-events.js'
import type { FigureWriter } from '../figures/figures.js'
import { fence } from '../runs/channel-lock.js'
import type { LiveRun } from '../runs/run-contract.js'
import { allOf, type SqlDatabase, storableJson, type Transaction } from '../sql/sql-database.js'
import { type ChangeContext, DocumentChanges, type FoundProblem, problemName } from './document-changes.js'
import {
  CHANGING_COLUMNS,
  DOCUMENT_COLUMNS,
  type DocumentRow,
  documentKey,
  KEY_COLUMNS,
  ROW_COLUMNS,
  SEEN_COLUMNS,
  sameDocument,
  VERSION_COLUMNS,
} from './document-rows.js'
import type { ListChange, ListedDocument, Recorder, RecordResult, RfqSnapshot } from './recorder-contract.js'

/** The maximum number of documents of a list in a transaction, of rows touched by a statement, and of RFQs and characters in a transaction. */
const LISTED_PER_TRANSACTION = 200
const TOUCHED_PER_TRANSACTION = 2000
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

/** Selects documents of a channel by their ids, or responses by their RFQs. */
interface Selection {
  kind: DocumentKind
  ids: readonly string[]
}

/** What was read at a moment, and what it changes. */
interface Recording<T> {
  now: Date
  readAt: Date
  change: (changes: DocumentChanges, context: ChangeContext) => Promise<T>
}

/** Records observations (docs/ARCHITECTURE.md, docs/DATABASE.md). */
export function createRecorder(database: SqlDatabase, figures: FigureWriter): Recorder {
  /** Makes changes in one transaction; of RFQs that were read, with their figures. */
  const record = <T>(
    run: LiveRun,
    selections: readonly Selection[],
    all: readonly Recording<T>[],
    areRead: boolean,
  ): Promise<T[]> =>
    database.write(async (tx) => {
      await fence(tx, run)
      const changes = new DocumentChanges(await loadRows(tx, run, selections))
      const results: T[] = []
      for (const { now, readAt, change } of all)
        results.push(await change(changes, { run, stamp: now.toISOString(), readAt: readAt.toISOString() }))
      const problems = await saveChanges(tx, run, changes)
      const { channel } = run
      const { rfqs, listings } = changes.dirty
      const recommended = areRead
        ? await figures.writeFigures(tx, { channel, ids: rfqs }, all.at(-1)?.now ?? new Date(0))
        : await figures.outdateFigures(tx, { channel, rfqs, listings })
      await writeEvents(tx, [...(await eventsOf(tx, run, changes.observed, problems)), ...(recommended ?? [])])
      return results
    })

  const recordRfqs = (run: LiveRun, writes: readonly Pick<RfqWrite, 'snapshot' | 'now'>[]): Promise<RecordResult[]> => {
    const ids = writes.map(({ snapshot }) => snapshot.rfq.id)
    const selections = (['rfq', 'rfq-entry', 'response'] as const).map((kind) => ({ kind, ids }))
    const slice = new TimeSlice()
    return record(
      run,
      selections,
      writes.map(({ snapshot, now }) => ({
        ...{ now, readAt: snapshot.readAt },
        change: (changes, context) => recordRfq(changes, snapshot, context, slice),
      })),
      true,
    )
  }

  const queue: RfqWrite[] = []
  let isWriting = false
  let writtenAt = Number.NEGATIVE_INFINITY
  /** Writes what waits, one transaction after another; while one is written, others gather. Never rejects. */
  const writeQueue = async () => {
    if (isWriting) return
    isWriting = true
    // RFQs that arrive in the same tick share a transaction.
    await null
    while (queue.length > 0) {
      const left = writtenAt + GATHER_MS - performance.now()
      if (left > 0 && queue.length < RFQS_PER_TRANSACTION) await wait(left)
      const batch = takeBatch(queue)
      const [{ run }] = batch as [RfqWrite]
      try {
        const results = await recordRfqs(run, batch)
        for (const [at, { resolve }] of batch.entries()) resolve(results[at] as RecordResult)
      } catch (error) {
        // An error of one RFQ does not affect the others.
        const isOfAll = error instanceof RunLostError || error instanceof DatabaseUnavailableError
        for (const { snapshot, now, resolve, reject } of batch)
          if (isOfAll || batch.length === 1) reject(error)
          else await recordRfqs(run, [{ snapshot, now }]).then(([result]) => resolve(result as RecordResult), reject)
      }
      writtenAt = performance.now()
    }
    isWriting = false
  }

  return {
    recordRfq: (run, snapshot, now) =>
      new Promise((resolve, reject) => {
        queue.push({ run, snapshot, now, resolve, reject })
        void writeQueue()
      }),

    async recordList(run, kind, entries, { whole, readAt }, now) {
      const { channel } = run
      const known = await database.all<KnownListed>(SELECT_LISTED, { channel, kind })
      const { same, others } = compareList(kind, entries, known, whole)
      for (let start = 0; start === 0 || start < same.length; start += TOUCHED_PER_TRANSACTION) {
        const ids = same.slice(start, start + TOUCHED_PER_TRANSACTION)
        await database.write(async (tx) => {
          await fence(tx, run)
          const touched = { channel, kind, ids, stamp: now.toISOString(), readAt: readAt.toISOString() }
          for (const sql of kind === 'listing' ? [TOUCH] : [TOUCH, TOUCH_RFQS])
            await tx.run(`${sql} and ${tx.dialect.anyOf('id', '@ids')}`, touched)
        })
      }
      const changed: ListChange[] = []
      for (let start = 0; start < others.length; start += LISTED_PER_TRANSACTION) {
        const batch = others.slice(start, start + LISTED_PER_TRANSACTION)
        const ids = batch.map(({ id }) => id)
        const selections = (kind === 'listing' ? [kind] : ([kind, 'rfq'] as const)).map((each) => ({ kind: each, ids }))
        const change = (changes: DocumentChanges, context: ChangeContext) => recordListed(changes, kind, batch, context)
        changed.push(...(await record(run, selections, [{ now, readAt, change }], false)).flat())
      }
      return changed
    },
  }
}

/** Takes RFQs of the first run that fit in a transaction; those of one RFQ stay in the order in which they were added. */
function takeBatch(queue: RfqWrite[]): RfqWrite[] {
  const [first] = queue
  const batch: RfqWrite[] = []
  const left = new Set<string>()
  let characters = 0
  for (const each of queue.splice(0)) {
    const { rfq, responses } = each.snapshot
    characters += [rfq, ...responses].reduce((sum, { text, same }) => sum + (same ? 0 : text.length), 0)
    const fits = batch.length === 0 || (batch.length < RFQS_PER_TRANSACTION && characters <= MAX_CHARACTERS)
    const isOther =
      each.run.id !== first?.run.id || left.has(rfq.id) || batch.some(({ snapshot }) => snapshot.rfq.id === rfq.id)
    if (fits && !isOther) batch.push(each)
    else {
      left.add(rfq.id)
      queue.push(each)
    }
  }
  return batch
}

/** Computes the changes of an RFQ and its responses, which were read together. */
async function recordRfq(
  changes: DocumentChanges,
  snapshot: RfqSnapshot,
  context: ChangeContext,
  slice: TimeSlice,
): Promise<RecordResult> {
  const { run } = context
  const { shape, observed: summaries = [], responsesComplete } = snapshot
  const document = { ...snapshot.rfq, shape }
  const key = documentKey(run, 'rfq', document.id)
  const stored = changes.responsesOf(document.id).map((each) => ({ id: each.id, row: each }))
  const storedIds = new IdMap(stored.map(({ id }) => [id, id]))
  const keyOf = (id: string) => documentKey(run, 'response', storedIds.get(id) ?? id, document.id)
  const rfq = changes.upsert(key, document, context)
  const row = changes.find(key)
  const result = { rfq, rfqVersion: row?.version ?? 0, rfqHash: row?.content_hash ?? '' }
  if (shape === 'full') changes.readRfq(document.id, context)
  changes.compareWithEntry(document.id, context)
  const responses: RecordResult['responses'] = []
  for (const response of snapshot.responses) {
    responses.push({ id: response.id, change: changes.upsert(keyOf(response.id), response, context) })
    if (slice.isOver) await slice.next()
  }
  for (const { id, summaryHash } of summaries) {
    changes.seeResponse(keyOf(id), summaryHash, context)
    responses.push({ id, change: 'unchanged' })
  }
  const listed = new IdMap(responses.map(({ id }) => [id, true]))
  const missing = responsesComplete
    ? stored.filter((each) => each.row.missing_since === null && !listed.has(each.id))
    : []
  for (const each of missing) changes.missResponse(each.row, context)
  return { ...result, responses, missing: missing.map(({ id }) => id) }
}

// --- lists ----------------------------------------------------------------------------------------------------------

interface KnownListed extends Pick<DocumentRow, 'id' | 'missing_since' | 'text_hash'> {
  content_hash: string
}
const SELECT_LISTED = `
select e.id, e.missing_since, e.text_hash, n.content_hash from documents e
join versions n on ${sameDocument('n', 'e')} and n.version = e.newest_version
where e.channel = @channel and e.kind = @kind and e.rfq_id = ''`

/** Records that a list shows, or still does not have, what is stored. */
const TOUCH = `update documents set last_read_at = @readAt, full_read_at = case kind when 'listing' then @readAt end,
  last_observed_at = case when missing_since is null then @stamp else last_observed_at end
where channel = @channel and kind = @kind and rfq_id = ''`
const TOUCH_RFQS = `update documents set last_observed_at = @stamp
where channel = @channel and kind = 'rfq' and rfq_id = '' and missing_since is null`

/** A document of a list; null if the list does not have it. */
interface Listed {
  id: string
  entry: ListedDocument | null
}

/** The ids of a list that need only be touched, and everything else that it shows. */
function compareList(
  kind: 'listing' | 'rfq-entry',
  entries: readonly ListedDocument[],
  known: readonly KnownListed[],
  whole: boolean,
): { same: string[]; others: Listed[] } {
  const stored = new Map(known.map((row) => [row.id, row]))
  const isSame = (entry: ListedDocument) => {
    const row = stored.get(entry.id)
    if (row === undefined || row.missing_since !== null) return false
    // The newest text of a listing is shown, and its problems are counted.
    return kind === 'listing' ? row.text_hash === entry.textHash : row.content_hash === entry.hash
  }
  const changed = entries.filter((entry) => !isSame(entry))
  const listed = new Set(entries.map(({ id }) => id))
  const absent = whole ? [...stored].filter(([id]) => !listed.has(id)) : []
  const others = [
    ...changed.map((entry) => ({ id: entry.id, entry })),
    ...absent.flatMap(([id, row]) => (row.missing_since === null ? [{ id, entry: null }] : [])),
  ]
  const isOther = new Set(others.map(({ id }) => id))
  const same = [...listed, ...absent.map(([id]) => id)].filter((id) => !isOther.has(id))
  return { same, others }
}

async function recordListed(
  changes: DocumentChanges,
  kind: 'listing' | 'rfq-entry',
  batch: readonly Listed[],
  context: ChangeContext,
): Promise<ListChange[]> {
  const shape = kind === 'listing' ? 'full' : 'list'
  const changed: ListChange[] = []
  const slice = new TimeSlice()
  for (const { id, entry } of batch) {
    const key = documentKey(context.run, kind, id)
    const change = entry && changes.upsert(key, { ...entry, shape }, context)
    if (change === null) changes.miss(key, context)
    if (change === null || change === 'inserted' || change === 'changed')
      changed.push({ id, change: change ?? 'missing' })
    if (kind === 'rfq-entry') changes.compareWithEntry(id, context)
    if (slice.isOver) await slice.next()
  }
  return changed
}

// --- rows -----------------------------------------------------------------------------------------------------------

async function loadRows(tx: Transaction, { channel }: LiveRun, all: readonly Selection[]): Promise<DocumentRow[]> {
  const rows: DocumentRow[] = []
  const newest = tx.dialect.joinOne('versions', 'n', `${sameDocument('n', 'e')} and n.version = e.newest_version`)
  for (const { kind, ids } of all) {
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
  const { inserted, changed, seen, versions } = changes
  await tx.insertAll('documents', DOCUMENT_COLUMNS, inserted)
  await tx.insertAll('versions', VERSION_COLUMNS, versions)
  const onlySeen = [...seen].filter((row) => !inserted.has(row) && !changed.has(row))
  await tx.updateAll('documents', KEY_COLUMNS, SEEN_COLUMNS, onlySeen)
  const updated = [...changed].filter((row) => !inserted.has(row))
  await tx.updateAll('documents', KEY_COLUMNS, CHANGING_COLUMNS, updated)
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
    const stored = await tx.all<Omit<FoundProblem, 'message' | 'stamp'>>(
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
