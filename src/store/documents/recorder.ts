import type { DocumentKind } from '../../core/documents/documents.js'
import { IdMap } from '../../core/documents/identifier.js'
import type { Timestamp } from '../../core/time/clock.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { DatabaseUnavailableError, RunLostError } from '../errors.js'
import { MAX_BODIES_BEFORE, type Observed, type ObservedEvents } from '../events/observed-events.js'
import { markDirty } from '../recommendations/dirty-rfqs.js'
import type { LiveRun } from '../runs/run-contract.js'
import { assertLive } from '../runs/run-leases.js'
import { allOf, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { Batches } from './batches.js'
import { type ChangeContext, DocumentChanges } from './changes.js'
import { type DocumentState, documentKey, STATE_COLUMNS } from './document-state.js'
import { CURRENT_VERSION } from './queries/history-queries.js'
import {
  BEGIN_RECORDING,
  isNewerRead,
  NEWEST_RECORDING,
  type RecordingRow,
  recordingParameters,
  recordingTime,
} from './read-order.js'
import type { Recorder, RecordResult, RfqSnapshot, UpsertResult } from './recorder-contract.js'
import { fromStoredText, toStoredText } from './stored-text.js'

const DOCUMENTS_PER_TRANSACTION = 200
/** The assumed size of a document whose text is not known, in bytes. */
const UNKNOWN_BYTES = 4096

/** The operations of the recorder that differ between engines. They contain no rules of the history. */
export interface DocumentEngine {
  database: SqlDatabase
  /** Writes changes of documents of a channel, and reads the texts that they replace. */
  save(tx: Transaction, channel: string, changes: DocumentChanges): Promise<void>
}

interface RfqWrite {
  snapshot: RfqSnapshot
  now: Date
}

/** Selects documents of a channel by their ids, or responses by their RFQs. */
type Selection = { kind: DocumentKind; ids: readonly string[] } | { kind: 'response'; rfqIds: readonly string[] }

/**
 * Records observations (docs/DATABASE.md). A transaction reads the state of all documents that may change, computes the changes in memory, and
 * writes them. RFQs that wait at the same time share a transaction.
 */
export function createRecorder({ database, save }: DocumentEngine, events: ObservedEvents): Recorder {
  const batches = new Map<number, Batches<RfqWrite, RecordResult>>()

  const batchesOf = (run: LiveRun): Batches<RfqWrite, RecordResult> => {
    const known = batches.get(run.id)
    if (known) return known
    for (const [id, each] of batches) if (each.isIdle) batches.delete(id)
    const added = new Batches<RfqWrite, RecordResult>({
      write: (items) => database.write((tx) => recordRfqs(tx, run, items)),
      nameOf: ({ snapshot }) => snapshot.rfq.id,
      weightOf: ({ snapshot: { rfq, responses } }) =>
        [rfq, ...responses].reduce((sum, { text }) => sum + (text?.length ?? UNKNOWN_BYTES), 0),
      concernsAll: (error) => error instanceof RunLostError || error instanceof DatabaseUnavailableError,
    })
    batches.set(run.id, added)
    return added
  }

  const recordRfqs = async (tx: Transaction, run: LiveRun, items: readonly RfqWrite[]): Promise<RecordResult[]> => {
    const { recording, timestamps } = await beginWriting(
      tx,
      run,
      items.map(({ now }) => now),
    )
    const ids = items.map(({ snapshot }) => snapshot.rfq.id)
    const changes = await loadChanges(tx, run, [
      { kind: 'rfq', ids },
      { kind: 'rfq-entry', ids },
      { kind: 'response', rfqIds: ids },
    ])
    const all: Observed[] = []
    const results: RecordResult[] = []
    const slice = new TimeSlice()
    for (const [at, { snapshot }] of items.entries()) {
      const { shape, readAt } = snapshot
      // Not a copy, because the body may not be parsed yet.
      const rfq = Object.assign(snapshot.rfq, { shape })
      const observed: Observed['observations'] = { rfq, changes: [], problems: [] }
      const stamp = timestamps[at] as Timestamp
      all.push({ observations: observed, stamp })
      const context = { run, stamp, recording, readAt: readAt.toISOString(), observed }
      results.push(await recordRfq(changes, snapshot, context, slice))
    }
    await save(tx, run.channel, changes)
    await markDirty(tx, run.channel, changes.dirty)
    await events.write(tx, run, all)
    return results
  }

  /** Changes some documents in one transaction. */
  const record = <T>(
    run: LiveRun,
    { readAt, now }: { readAt: Date; now: Date },
    load: (tx: Transaction) => Promise<readonly Selection[]>,
    work: (changes: DocumentChanges, context: ChangeContext) => Promise<T>,
  ): Promise<T> =>
    database.write(async (tx) => {
      const { recording, stamp } = await beginWriting(tx, run, [now])
      const changes = await loadChanges(tx, run, await load(tx))
      const observed: Observed['observations'] = { rfq: null, changes: [], problems: [] }
      const result = await work(changes, { run, stamp, recording, readAt: readAt.toISOString(), observed })
      await save(tx, run.channel, changes)
      await markDirty(tx, run.channel, changes.dirty)
      await events.write(tx, run, [{ observations: observed, stamp }])
      return result
    })

  return {
    async newestRecording(channel) {
      return (await database.get<Pick<RecordingRow, 'recordings'>>(NEWEST_RECORDING, { channel }))?.recordings ?? 0
    },

    async recordListings(run, listings, readAt, now) {
      const results: UpsertResult[] = []
      for (const batch of inBatches(listings)) {
        const selected = [{ kind: 'listing' as const, ids: batch.map(({ id }) => id) }]
        const recorded = await record(
          run,
          { readAt, now },
          async () => selected,
          async (changes, context) => {
            const slice = new TimeSlice()
            const made: UpsertResult[] = []
            for (const listing of batch) {
              // Not a copy, because the body may not be parsed yet.
              const snapshot = Object.assign(listing, { shape: 'full' as const })
              made.push(changes.upsert(documentKey(run, 'listing', listing.id), snapshot, context))
              if (slice.isOver) await slice.next()
            }
            return made
          },
        )
        results.push(...recorded)
      }
      return results
    },

    async recordEntries(run, entries, { readAt, sentAfter }, now) {
      for (const batch of inBatches(entries)) {
        const ids = batch.map(({ id }) => id)
        const selected = (['rfq', 'rfq-entry'] as const).map((kind) => ({ kind, ids }))
        await record(
          run,
          { readAt, now },
          async () => selected,
          async (changes, context) => {
            const slice = new TimeSlice()
            for (const entry of batch) {
              const rfq = changes.find(documentKey(run, 'rfq', entry.id))
              const snapshot = Object.assign(entry, { shape: 'list' as const })
              changes.upsert(documentKey(run, 'rfq-entry', entry.id), snapshot, context)
              // It is not known which of the two is newer, but a contradiction is recorded.
              if (rfq !== undefined && !isNewerRead(sentAfter, rfq.recording)) changes.follow(entry.id, context)
              changes.compareWithEntry(entry.id, context)
              if (slice.isOver) await slice.next()
            }
          },
        )
      }
    },

    recordRfq: (run, snapshot, now) => batchesOf(run).add({ snapshot, now }),

    touchRfqs(run, rfqIds, now) {
      return database.write(async (tx) => {
        const { stamp } = await beginWriting(tx, run, [now])
        await tx.run(
          `update documents set last_observed_at = @stamp
          where channel = @channel and kind = 'rfq' and rfq_id = '' and ${tx.dialect.anyOf('id', '@ids')}`,
          { channel: run.channel, stamp, ids: rfqIds.map(toStoredText) },
        )
      })
    },

    updatePresence(run, kind, listedIds, { sentAfter }, now) {
      let found: Presence = { missing: [], returned: [] }
      const load = async (tx: Transaction): Promise<readonly Selection[]> => {
        const rows = await tx.all<PresenceRow>(SELECT_PRESENCE, { channel: run.channel, kind })
        found = presenceOf(rows, new Set(listedIds), sentAfter)
        return [{ kind, ids: [...found.missing, ...found.returned] }]
      }
      return record(run, { readAt: now, now }, load, async (changes, context) => {
        for (const id of found.missing) {
          changes.markMissing(documentKey(run, kind, id), context)
          changes.observe(documentKey(run, kind, id), 'missing', null, null, context)
        }
        for (const id of found.returned) {
          changes.clearMissing(documentKey(run, kind, id), context)
          changes.observe(documentKey(run, kind, id), 'returned', null, null, context)
        }
        return found
      })
    },
  }
}

const SELECT_PRESENCE = `select id, missing_since, recording from documents
where channel = @channel and kind = @kind and rfq_id = '' order by id`
type PresenceRow = Pick<DocumentState, 'id' | 'missing_since' | 'recording'>
interface Presence {
  missing: string[]
  returned: string[]
}

/** The documents that a list no longer has, or has again. A document recorded after the list was requested does not become missing. */
function presenceOf(rows: readonly PresenceRow[], listed: ReadonlySet<string>, sentAfter: number): Presence {
  const presence: Presence = { missing: [], returned: [] }
  for (const row of rows) {
    const id = fromStoredText(row.id)
    if (row.missing_since !== null) {
      if (listed.has(id)) presence.returned.push(id)
    } else if (!listed.has(id) && isNewerRead(sentAfter, row.recording)) presence.missing.push(id)
  }
  return presence
}

async function loadChanges(tx: Transaction, { channel }: LiveRun, all: readonly Selection[]): Promise<DocumentChanges> {
  const rows: DocumentState[] = []
  for (const { kind, ...selected } of all) {
    const [column, ids] = 'ids' in selected ? (['id', selected.ids] as const) : (['rfq_id', selected.rfqIds] as const)
    const where = allOf(column === 'id' && `e.rfq_id = ''`, tx.dialect.anyOf(`e.${column}`, '@ids'))
    const found = await tx.all<DocumentState>(
      `select ${STATE_COLUMNS} from documents e ${tx.dialect.joinOne('versions', 'v', CURRENT_VERSION)}
      where e.channel = @channel and e.kind = @kind and ${where} order by e.id`,
      { channel, kind, ids: ids.map(toStoredText) },
    )
    rows.push(...found)
  }
  return new DocumentChanges(rows)
}

/** Computes the changes of an RFQ and its responses, which were read together. */
async function recordRfq(
  changes: DocumentChanges,
  snapshot: RfqSnapshot,
  context: ChangeContext,
  slice: TimeSlice,
): Promise<RecordResult> {
  const { run } = context
  const { rfq: document, shape, sentAfter } = snapshot
  const key = documentKey(run, 'rfq', document.id)
  const recordings = [key, documentKey(run, 'rfq-entry', document.id)].map((each) => changes.find(each)?.recording ?? 0)
  const isStale = shape === 'full' && !isNewerRead(sentAfter, Math.max(...recordings))
  const rfq = isStale ? 'stale' : changes.upsert(key, Object.assign(document, { shape }), context)
  const known = changes.find(key)
  const result = { rfq, rfqVersion: known?.version ?? 0, rfqHash: known?.content_hash ?? '' }
  if (isStale) return { ...result, responses: [], missing: [] }
  if (shape === 'full') changes.recordRead(document.id, context)
  changes.compareWithEntry(document.id, context)
  const stored = new IdMap(changes.responsesOf(document.id).map(({ id }) => [id, id]))
  const keyOf = (id: string) => documentKey(run, 'response', stored.get(id) ?? id, document.id)
  const responses: RecordResult['responses'] = []
  for (const response of snapshot.responses) {
    responses.push({ id: response.id, change: changes.upsert(keyOf(response.id), response, context) })
    if (slice.isOver) await slice.next()
  }
  for (const observed of snapshot.observed ?? []) {
    changes.recordObserved(keyOf(observed.id), observed, context)
    responses.push({ id: observed.id, change: 'unchanged' })
  }
  const missing = snapshot.responsesComplete ? findMissing(changes, snapshot) : []
  for (const id of missing) {
    changes.markMissing(keyOf(id), context)
    const row = context.observed.changes.length < MAX_BODIES_BEFORE ? changes.find(keyOf(id)) : undefined
    changes.observe(keyOf(id), 'missing', row ?? null, null, context)
  }
  return { ...result, responses, missing }
}

/** Responses that the RFQ no longer lists. */
function findMissing(changes: DocumentChanges, { rfq, responses, observed = [] }: RfqSnapshot): string[] {
  const listed = new IdMap([...responses, ...observed].map(({ id }) => [id, true]))
  return changes.responsesOf(rfq.id).flatMap(({ id, isMissing }) => (isMissing || listed.has(id) ? [] : [id]))
}

function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += DOCUMENTS_PER_TRANSACTION)
    yield all.slice(start, start + DOCUMENTS_PER_TRANSACTION)
}

/**
 * Locks the documents of the channel until the transaction ends.
 * @param moments at least one
 * @returns the number of the recording, a timestamp for each moment, and the first of them
 * @throws RunLostError if another process has taken over the run
 */
async function beginWriting(
  tx: Transaction,
  run: LiveRun,
  [first, ...others]: readonly Date[],
): Promise<{ recording: number; timestamps: Timestamp[]; stamp: Timestamp }> {
  const row = await tx.get<RecordingRow>(BEGIN_RECORDING, recordingParameters(run.channel, first as Date))
  // After the lock of the channel: transactions that wait for it must not lock the run, which would delay the renewal of its lease.
  await assertLive(tx, run)
  const { newest_at: stamp, recordings: recording } = row as RecordingRow
  const timestamps = [stamp]
  for (const moment of others) timestamps.push(recordingTime(moment, timestamps.at(-1) as Timestamp))
  const newest = timestamps.at(-1) as Timestamp
  if (newest !== stamp) {
    await tx.run('update channels set newest_at = @newest where channel = @channel', { newest, channel: run.channel })
  }
  return { recording, timestamps, stamp }
}
