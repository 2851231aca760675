import type { Timestamp } from '../../core/clock.js'
import { TimeSlice } from '../../core/time-slice.js'
import type { LiveRun, Recorder, RecordResult, RfqSnapshot, Snapshot, UpsertResult } from '../contract.js'
import { entityKey, listedColumns } from '../document-values.js'
import { RunLostError } from '../errors.js'
import { conflictText } from '../list-conflicts.js'
import { MAX_BODIES_BEFORE, type Observed, type ObservedEvents } from '../observed-events.js'
import {
  BEGIN_RECORDING,
  IS_NEWER_READ,
  isNewerRead,
  NEWEST_RECORDING,
  type RecordingRow,
  recordingParameters,
  recordingTime,
} from '../read-order.js'
import { assertLive } from '../run-leases.js'
import type { Transaction } from '../sql-database.js'
import { fromStoredText, toStoredText } from '../stored-text.js'
import { Batches } from './batches.js'
import { inParts, loadDocuments, writeChanges } from './change-writer.js'
import { DocumentChanges } from './document-changes.js'
import type { ChangeContext } from './document-columns.js'
import type { PostgresDatabase } from './postgres-database.js'
import { isUnavailable } from './postgres-errors.js'

const LISTINGS_PER_TRANSACTION = 200
const RECORD_LISTED = `
update entities e set listed_hash = d.hash, listed_at = d.at, listed_body = d.text,
  recording = case when d.hash is null then recording else @recording end
from json_to_recordset(@rows) as d (id text, hash text, at text, text text)
where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and e.id = d.id and e.full_read_at is not null
  and ${IS_NEWER_READ}`
/** One that was found when only the list was read ends as well when the RFQ is read, to begin as one that was found then. */
const END_CONFLICTS = `
update list_conflicts f set ended_at = d.stamp
from json_to_recordset(@rows) as d (id text, stamp text, said text, "rfqReadAt" text)
where f.channel = @channel and f.id = d.id and f.ended_at is null
  and (f.said is distinct from d.said or (d."rfqReadAt" is null and f.rfq_read_at is not null))`
const BEGIN_CONFLICTS = `
insert into list_conflicts (channel, id, since, said, rfq_read_at, run_id)
select @channel, d.id, d.stamp, d.said, d."rfqReadAt", @runId
from json_to_recordset(@rows) as d (id text, stamp text, said text, "rfqReadAt" text)
where d.said is not null and not exists (select 1 from list_conflicts f where f.channel = @channel and f.id = d.id and f.ended_at is null)
on conflict (channel, md5(id), since) do update set said = excluded.said, rfq_read_at = excluded.rfq_read_at, ended_at = null`
const READ_BEFORE = `
select id from entities
where channel = @channel and kind = 'rfq' and rfq_id = '' and id = any(@ids) and full_read_at is not null and ${IS_NEWER_READ}`
/** Bytes of a document whose text is not known. */
const UNKNOWN_BYTES = 4096

interface RfqWrite {
  snapshot: RfqSnapshot
  now: Date
}

/**
 * Records observations (docs/DATABASE.md). A transaction reads the state of all documents it concerns with one statement, computes
 * what becomes of them in memory, and writes it with one statement for each table. RFQs that wait at the same time share one.
 */
export function createRecorder(database: PostgresDatabase, events: ObservedEvents): Recorder {
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
      concernsAll: (error) => error instanceof RunLostError || isUnavailable((error as Error).cause),
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
    const ids = items.map(({ snapshot }) => toStoredText(snapshot.rfq.id))
    const changes = new DocumentChanges(
      await loadDocuments(
        tx,
        `(e.kind = 'rfq' and e.rfq_id = '' and e.id = any(@ids) or e.kind = 'response' and e.rfq_id = any(@ids))`,
        { channel: run.channel, ids },
      ),
    )
    const all: Observed[] = []
    const results: RecordResult[] = []
    const readRfqs: ReadRfq[] = []
    const slice = new TimeSlice()
    for (const [at, { snapshot }] of items.entries()) {
      const { shape, readAt } = snapshot
      // Not a copy: its content may not be parsed yet.
      const rfq = Object.assign(snapshot.rfq, { shape })
      const observations: Observed['observations'] = { rfq, changes: [], problems: [] }
      const stamp = timestamps[at] as Timestamp
      all.push({ observations, stamp })
      const context = { run, stamp, recording, readAt: readAt.toISOString(), observed: observations }
      const result = await recordRfq(changes, snapshot, context, slice)
      results.push(result)
      if (shape === 'full' && result.rfq !== 'stale' && run.kind !== 'close')
        readRfqs.push({ id: toStoredText(rfq.id), stamp, said: conflictText(rfq.listConflict ?? null) })
    }
    await writeChanges(tx, run.channel, changes)
    await writeConflicts(tx, run, readRfqs)
    await events.write(tx, run, all)
    return results
  }

  /** Makes changes of documents that one statement finds. */
  const writeDocuments = <T>(
    run: LiveRun,
    { readAt, now }: { readAt: Date; now: Date },
    load: (tx: Transaction) => ReturnType<typeof loadDocuments>,
    work: (changes: DocumentChanges, context: ChangeContext) => T,
  ): Promise<T> =>
    database.write(async (tx) => {
      const { recording, stamp } = await beginWriting(tx, run, [now])
      const changes = new DocumentChanges(await load(tx))
      const observations: Observed['observations'] = { rfq: null, changes: [], problems: [] }
      const result = work(changes, { run, stamp, recording, readAt: readAt.toISOString(), observed: observations })
      await writeChanges(tx, run.channel, changes)
      await events.write(tx, run, [{ observations, stamp }])
      return result
    })

  return {
    async newestRecording(channel) {
      return (await database.get<Pick<RecordingRow, 'recordings'>>(NEWEST_RECORDING, { channel }))?.recordings ?? 0
    },

    async recordListings(run, listings, readAt, now) {
      const results: UpsertResult[] = []
      for (let start = 0; start < listings.length; start += LISTINGS_PER_TRANSACTION) {
        const part = listings.slice(start, start + LISTINGS_PER_TRANSACTION)
        const ids = part.map(({ id }) => toStoredText(id))
        const recorded = await writeDocuments(
          run,
          { readAt, now },
          (tx) => loadDocuments(tx, `e.kind = 'listing' and e.id = any(@ids)`, { channel: run.channel, ids }),
          (changes, context) =>
            part.map((listing) =>
              changes.upsert(entityKey(run, 'listing', listing.id), { ...listing, shape: 'full' }, context),
            ),
        )
        results.push(...recorded)
      }
      return results
    },

    recordRfq: (run, snapshot, now) => batchesOf(run).add({ snapshot, now }),

    touchRfqs(run, rfqIds, now) {
      return database.write(async (tx) => {
        const { stamp } = await beginWriting(tx, run, [now])
        await tx.run(
          `update entities set last_observed_at = @stamp
          where channel = @channel and kind = 'rfq' and rfq_id = '' and id = any(@ids)`,
          { channel: run.channel, stamp, ids: rfqIds.map(toStoredText) },
        )
      })
    },

    async recordListed(run, { changed, asRead }, { readAt, sentAfter }, now) {
      for (const rows of inParts(listedRows([...changed, ...asRead], readAt.toISOString()))) {
        await database.write(async (tx) => {
          const { recording } = await beginWriting(tx, run, [now])
          await tx.run(RECORD_LISTED, { channel: run.channel, recording, sentAfter, rows })
        })
      }
    },

    async recordListConflicts(run, conflicts, { sentAfter }, now) {
      if (conflicts.length === 0) return
      await database.write(async (tx) => {
        const { stamp } = await beginWriting(tx, run, [now])
        const ids = conflicts.map(({ rfqId }) => toStoredText(rfqId))
        const before = { channel: run.channel, ids, sentAfter }
        const readBefore = new Set((await tx.all<{ id: string }>(READ_BEFORE, before)).map(({ id }) => id))
        const rows = conflicts.map(({ rfqId, conflict, rfqReadAt }) => ({
          ...{ id: toStoredText(rfqId), stamp, said: conflictText(conflict), rfqReadAt },
        }))
        await writeConflicts(
          tx,
          run,
          rows.filter(({ id }) => readBefore.has(id)),
        )
      })
    },

    updatePresence(run, kind, listedIds, { sentAfter }, now) {
      const ids = listedIds.map(toStoredText)
      return writeDocuments(
        run,
        { readAt: now, now },
        // A document that was recorded since the list was requested must not be marked missing by it.
        (tx) =>
          loadDocuments(
            tx,
            `e.kind = @kind and e.rfq_id = '' and case when e.missing_since is null
              then ${IS_NEWER_READ} and e.id not in (select unnest(cast(@ids as text[])))
              else e.id in (select unnest(cast(@ids as text[]))) end`,
            { channel: run.channel, kind, sentAfter, ids },
          ),
        (changes, context) => {
          const missing: string[] = []
          const returned: string[] = []
          for (const row of changes.documents()) (row.missing_since === null ? missing : returned).push(row.id)
          const keyOf = (id: string) => entityKey(run, kind, fromStoredText(id))
          for (const id of missing) {
            changes.markMissing(keyOf(id), context)
            changes.observe(keyOf(id), 'missing', null, null, context)
          }
          for (const id of returned) {
            changes.clearMissing(keyOf(id), context)
            changes.observe(keyOf(id), 'returned', null, null, context)
          }
          return { missing: missing.map(fromStoredText), returned: returned.map(fromStoredText) }
        },
      )
    },
  }
}

/** An RFQ that was read, and what contradicts it (list-conflicts.ts). */
interface ReadRfq {
  id: string
  stamp: string
  said: string | null
  rfqReadAt?: string | null
}

async function writeConflicts(tx: Transaction, run: LiveRun, rfqs: readonly ReadRfq[]): Promise<void> {
  for (const rows of inParts(rfqs)) {
    await tx.run(END_CONFLICTS, { channel: run.channel, rows })
    if (rfqs.some(({ said }) => said !== null))
      await tx.run(BEGIN_CONFLICTS, { channel: run.channel, runId: run.id, rows })
  }
}

function* listedRows(entries: readonly (Snapshot | string)[], readAt: string) {
  for (const entry of entries) {
    yield { id: toStoredText(typeof entry === 'string' ? entry : entry.id), ...listedColumns(entry, readAt) }
  }
}

/** The same rules as those of ../recorder.ts. */
async function recordRfq(
  changes: DocumentChanges,
  snapshot: RfqSnapshot,
  context: ChangeContext,
  slice: TimeSlice,
): Promise<RecordResult> {
  const { run } = context
  const key = entityKey(run, 'rfq', snapshot.rfq.id)
  const isStale = snapshot.shape === 'full' && !isNewerRead(snapshot.sentAfter, changes.find(key)?.recording ?? null)
  const rfq = isStale ? 'stale' : changes.upsert(key, Object.assign(snapshot.rfq, { shape: snapshot.shape }), context)
  const known = changes.find(key)
  const result = { rfq, rfqVersion: known?.version ?? 0, rfqHash: known?.content_hash ?? '' }
  if (isStale) return { ...result, responses: [], missing: [] }
  if (snapshot.shape === 'full') changes.setRead(key, snapshot.listHash, context)
  const keyOf = (id: string) => entityKey(run, 'response', id, snapshot.rfq.id)
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
function findMissing(changes: DocumentChanges, { rfq, responses, observed = [] }: RfqSnapshot) {
  const listed = new Set([...responses, ...observed].map(({ id }) => id))
  return changes.presentResponses(rfq.id).filter((id) => !listed.has(id))
}

/**
 * Stops a writer whose run was taken over, and lets no other one write documents of the channel before the end of the transaction.
 * @param moments at least one
 * @returns the number of the recording, a timestamp for each moment, and the first of them
 */
async function beginWriting(
  tx: Transaction,
  run: LiveRun,
  [first, ...others]: readonly Date[],
): Promise<{ recording: number; timestamps: Timestamp[]; stamp: Timestamp }> {
  const row = await tx.get<RecordingRow>(BEGIN_RECORDING, recordingParameters(run.channel, first as Date))
  // Afterwards: a lock of the run that is held by all who wait, in turns, would keep its lease from being renewed.
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
