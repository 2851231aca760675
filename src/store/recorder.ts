import type { DocumentKind } from '../core/documents.js'
import { TimeSlice } from '../core/time-slice.js'
import { type Connection, yieldToEventLoop } from './connection.js'
import type {
  ListedConflict,
  LiveRun,
  Recorder,
  RecordResult,
  RfqSnapshot,
  Snapshot,
  UpsertResult,
} from './contract.js'
import {
  IN_COLLECTION,
  inOrder,
  millisecondsOf,
  OF_DOCUMENT,
  OF_DOCUMENT_IN_ORDER,
  SET_SUMMARY,
} from './document-columns.js'
import { type EntityKey, entityKey, listedColumns, type WriteContext } from './document-values.js'
import { createDocumentWriter } from './document-writer.js'
import { conflictText } from './list-conflicts.js'
import { MAX_BODIES_BEFORE, type Observations, type ObservedEvents } from './observed-events.js'
import {
  BEGIN_RECORDING,
  IS_NEWER_READ,
  isNewerRead,
  NEWEST_RECORDING,
  type RecordingRow,
  recordingParameters,
} from './read-order.js'
import { assertLive } from './run-leases.js'
import { sqliteTransaction } from './sqlite-database.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** Writes before yielding to the event loop. */
const MAX_WRITES_PER_TURN = 200

/** What a list said since the RFQ was last read ends when it is read. */
const RECORD_READ = `
update documents set list_hash = coalesce(@listHash, list_hash), listed_hash = null, listed_at = null, listed_body = null,
  recording = @recording
where ${OF_DOCUMENT}`

/** One that was found when only the list was read ends as well when the RFQ is read, to begin as one that was found then. */
const END_CONFLICT = `
update list_conflicts set ended_at = @stamp
where channel = @channel and id = @id and ended_at is null
  and (said is not @said or (@rfqReadAt is null and rfq_read_at is not null))`

const BEGIN_CONFLICT = `
insert into list_conflicts (channel, id, since, said, rfq_read_at, run_id)
select @channel, @id, @stamp, @said, @rfqReadAt, @runId
where not exists (select 1 from list_conflicts where channel = @channel and id = @id and ended_at is null)
on conflict (channel, id, since) do update set said = excluded.said, rfq_read_at = excluded.rfq_read_at, ended_at = null`

const READ_BEFORE = `select number from documents where ${OF_DOCUMENT} and full_read_ms is not null and ${IS_NEWER_READ}`

const RECORD_LISTED = `
update documents set listed_hash = @hash, listed_at = @at, listed_body = @text,
  recording = case when @hash is null then recording else @recording end
where ${OF_DOCUMENT} and full_read_ms is not null and ${IS_NEWER_READ}`

const keyOf = (run: LiveRun, entry: Snapshot | string) =>
  entityKey(run, 'rfq', typeof entry === 'string' ? entry : entry.id)

/** Records observations: versions, absences, problems and events (docs/DATABASE.md). */
export function createRecorder(connection: Connection, events: ObservedEvents): Recorder {
  const sql = (text: string) => connection.statement(text)
  const tx = sqliteTransaction(connection)
  const { findCurrent, upsert, touch, markMissing, clearMissing, observe } = createDocumentWriter(connection)

  type Work<T> = (context: WriteContext) => Promise<T>

  const inRun = <T>(run: LiveRun, readAt: Date, now: Date, work: Work<T>): Promise<T> =>
    connection.write(() => observing(run, readAt, now, work))

  const observing = async <T>(run: LiveRun, readAt: Date, now: Date, work: Work<T>): Promise<T> => {
    await assertLive(tx, run)
    const observed: Observations = { rfq: null, changes: [], problems: [] }
    const { newest_at: stamp, recordings: recording } = sql(BEGIN_RECORDING).get(
      recordingParameters(run.channel, now),
    ) as RecordingRow
    const context = { run, stamp, recording, readAt: readAt.toISOString(), isNewRfq: false, observed }
    const result = await work(context)
    await events.write(tx, run, [{ observations: observed, stamp: context.stamp }])
    return result
  }

  const recordingOf = (key: EntityKey): number | null =>
    (sql(`select recording from documents where ${OF_DOCUMENT_IN_ORDER}`)
      .pluck()
      .get(...inOrder(key)) as number | null | undefined) ?? null

  /** Documents that are not missing, and were not recorded since a list was requested: those must not be marked missing by it. */
  const presentIds = (
    { run }: WriteContext,
    kind: DocumentKind,
    { rfqId = '', sentAfter = Number.MAX_SAFE_INTEGER }: { rfqId?: string; sentAfter?: number },
  ) =>
    ids(`select id from documents where ${IN_COLLECTION} and missing_since is null and coalesce(recording, 0) <= ?`, [
      run.channel,
      kind,
      toStoredText(rfqId),
      sentAfter,
    ])

  const ids = (query: string, parameters: readonly (string | number)[]) =>
    (sql(query).pluck().all(parameters) as string[]).map(fromStoredText)

  const upsertResponses = async (snapshot: RfqSnapshot, context: WriteContext) => {
    const results: RecordResult['responses'] = []
    for (const [index, response] of snapshot.responses.entries()) {
      if (index % MAX_WRITES_PER_TURN === MAX_WRITES_PER_TURN - 1) await yieldToEventLoop()
      const key = entityKey(context.run, 'response', response.id, snapshot.rfq.id)
      results.push({ id: response.id, change: upsert(key, response, context) })
    }
    return results
  }

  const recordConflict = (
    key: EntityKey,
    { conflict, rfqReadAt = null }: Pick<ListedConflict, 'conflict'> & { rfqReadAt?: string | null },
    { run, stamp }: WriteContext,
  ) => {
    const said = conflictText(conflict)
    sql(END_CONFLICT).run({ ...key, stamp, said, rfqReadAt })
    if (said !== null) sql(BEGIN_CONFLICT).run({ ...key, stamp, said, rfqReadAt, runId: run.id })
  }

  /** One that is missing, or unknown, stays as it is: the next poll reads it. */
  const recordObserved = async (snapshot: RfqSnapshot, context: WriteContext): Promise<RecordResult['responses']> => {
    const results: RecordResult['responses'] = []
    const [observed, read] = [millisecondsOf(context.stamp), millisecondsOf(context.readAt)]
    for (const [index, { id, summaryHash }] of (snapshot.observed ?? []).entries()) {
      if (index % MAX_WRITES_PER_TURN === MAX_WRITES_PER_TURN - 1) await yieldToEventLoop()
      const key = entityKey(context.run, 'response', id, snapshot.rfq.id)
      sql(
        `update documents set last_observed_ms = ?, last_read_ms = ?, ${SET_SUMMARY}
        where ${OF_DOCUMENT_IN_ORDER} and missing_since is null`,
      ).run(observed, read, summaryHash, summaryHash, ...inOrder(key))
      results.push({ id, change: 'unchanged' })
    }
    return results
  }

  const markMissingResponses = (snapshot: RfqSnapshot, context: WriteContext): string[] => {
    if (!snapshot.responsesComplete || context.isNewRfq) return []
    const listed = new Set([...snapshot.responses, ...(snapshot.observed ?? [])].map((response) => response.id))
    const missing = presentIds(context, 'response', { rfqId: snapshot.rfq.id }).filter((id) => !listed.has(id))
    for (const id of missing) {
      const key = entityKey(context.run, 'response', id, snapshot.rfq.id)
      markMissing(key, context)
      const row = context.observed.changes.length < MAX_BODIES_BEFORE ? findCurrent(key) : undefined
      observe(key, 'missing', row ?? null, null, context)
    }
    return missing
  }

  return {
    async newestRecording(channel) {
      const select = () => connection.readStatement(NEWEST_RECORDING).pluck().get({ channel }) as number | undefined
      return connection.read(select) ?? 0
    },

    async recordListings(run, listings, readAt, now) {
      const changes: UpsertResult[] = []
      for (let start = 0; start < listings.length; start += MAX_WRITES_PER_TURN) {
        const chunk = listings.slice(start, start + MAX_WRITES_PER_TURN)
        await inRun(run, readAt, now, async (context) => {
          const slice = new TimeSlice()
          for (const listing of chunk) {
            const key = entityKey(run, 'listing', listing.id)
            // Not a copy: its content may not be parsed yet.
            changes.push(upsert(key, Object.assign(listing, { shape: 'full' as const }), context))
            if (slice.isOver) await slice.next()
          }
        })
        await yieldToEventLoop()
      }
      return changes
    },

    recordRfq(run, snapshot, now) {
      const record: Work<RecordResult> = async (context) => {
        const key = entityKey(run, 'rfq', snapshot.rfq.id)
        // Not a copy: its content may not be parsed yet.
        const snapshotOfRfq = Object.assign(snapshot.rfq, { shape: snapshot.shape })
        const isStale = snapshot.shape === 'full' && !isNewerRead(snapshot.sentAfter, recordingOf(key))
        const rfq = isStale ? 'stale' : upsert(key, snapshotOfRfq, context)
        const known = findCurrent(key)
        const result = { rfq, rfqVersion: known?.version ?? 0, rfqHash: known?.content_hash ?? '' }
        if (isStale) return { ...result, responses: [], missing: [] }
        context.observed.rfq = snapshotOfRfq
        context.isNewRfq = rfq === 'inserted'
        if (snapshot.shape === 'full') {
          sql(RECORD_READ).run({ ...key, listHash: snapshot.listHash, recording: context.recording })
          if (run.kind !== 'close') recordConflict(key, { conflict: snapshot.rfq.listConflict ?? null }, context)
        }
        const responses = [...(await upsertResponses(snapshot, context)), ...(await recordObserved(snapshot, context))]
        return { ...result, responses, missing: markMissingResponses(snapshot, context) }
      }
      const write = () => observing(run, snapshot.readAt, now, record)
      // A large RFQ takes too much memory and time to share a transaction.
      return snapshot.responses.length + (snapshot.observed?.length ?? 0) > MAX_WRITES_PER_TURN
        ? connection.write(write)
        : connection.writeWithOthers(write)
    },

    touchRfqs(run, rfqIds, now) {
      return inRun(run, now, now, async (context) => {
        for (const [index, id] of rfqIds.entries()) {
          if (index % MAX_WRITES_PER_TURN === MAX_WRITES_PER_TURN - 1) await yieldToEventLoop()
          touch(entityKey(run, 'rfq', id), context)
        }
      })
    },

    async recordListed(run, { changed, asRead }, { readAt, sentAfter }, now) {
      const all = [...changed, ...asRead]
      for (let start = 0; start < all.length; start += MAX_WRITES_PER_TURN) {
        const chunk = all.slice(start, start + MAX_WRITES_PER_TURN)
        await inRun(run, readAt, now, async (context) => {
          const slice = new TimeSlice()
          for (const entry of chunk) {
            sql(RECORD_LISTED).run({
              ...listedColumns(entry, context.readAt),
              ...{ recording: context.recording, sentAfter },
              ...keyOf(run, entry),
            })
            if (slice.isOver) await slice.next()
          }
        })
        await yieldToEventLoop()
      }
    },

    async recordListConflicts(run, conflicts, { sentAfter }, now) {
      for (let start = 0; start < conflicts.length; start += MAX_WRITES_PER_TURN) {
        await inRun(run, now, now, async (context) => {
          for (const { rfqId, ...found } of conflicts.slice(start, start + MAX_WRITES_PER_TURN)) {
            const key = entityKey(run, 'rfq', rfqId)
            if (sql(READ_BEFORE).get({ ...key, sentAfter }) !== undefined) recordConflict(key, found, context)
          }
        })
        await yieldToEventLoop()
      }
    },

    updatePresence(run, kind, listedIds, { sentAfter }, now) {
      return inRun(run, now, now, async (context) => {
        const listed = new Set(listedIds)
        const missing = presentIds(context, kind, { sentAfter }).filter((id) => !listed.has(id))
        for (const id of missing) {
          markMissing(entityKey(run, kind, id), context)
          observe(entityKey(run, kind, id), 'missing', null, null, context)
        }
        const missingBefore = ids(`select id from documents where ${IN_COLLECTION} and missing_since is not null`, [
          run.channel,
          kind,
          '',
        ])
        const returned = missingBefore.filter((id) => listed.has(id))
        for (const id of returned) {
          clearMissing(entityKey(run, kind, id), context)
          observe(entityKey(run, kind, id), 'returned', null, null, context)
        }
        return { missing, returned }
      })
    },
  }
}
