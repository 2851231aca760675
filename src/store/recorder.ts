import { contentHash } from '../domain/canonical-json.js'
import type { DocumentKind, DocumentShape } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import { TimeSlice } from '../domain/time-slice.js'
import { type Connection, yieldToEventLoop } from './connection.js'
import type {
  Recorder,
  RecordResult,
  ResponseSnapshot,
  RfqSnapshot,
  RunHandle,
  Snapshot,
  UpsertResult,
} from './contract.js'
import { MAX_BODIES_BEFORE, type Observations, type ObservedChange, type ObservedEvents } from './observed-events.js'
import { assertLive } from './runs.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** Writes before yielding to the event loop. */
const MAX_WRITES_PER_TURN = 200

/** The primary key of a document; the texts are as they are stored (stored-text.ts). */
interface EntityKey {
  channel: string
  kind: DocumentKind
  /** Empty for listings and RFQs. */
  rfqId: string
  id: string
}
interface EntityRow {
  version: number
  valid: number
  last_read_at: string
  full_read_at: string | null
  missing_since: string | null
  fingerprint: string | null
  content_hash: string
  shape: DocumentShape
}
type ShapedSnapshot = Snapshot & { shape: DocumentShape } & Pick<ResponseSnapshot, 'summaryHash' | 'requested'>
/** The run that writes, its timestamp, and when the data was read. */
interface WriteContext {
  run: RunHandle
  stamp: string
  readAt: string
  /** What becomes events at the end of the transaction. */
  observed: Observations
}

/** Records observations: versions, absences, problems and events (docs/DATABASE.md). */
export function createRecorder(connection: Connection, events: ObservedEvents): Recorder {
  const sql = (text: string) => connection.statement(text)

  type Work<T> = (context: WriteContext) => Promise<T>

  const inRun = <T>(run: RunHandle, readAt: Date, now: Date, work: Work<T>): Promise<T> =>
    connection.write(() => observing(run, readAt, now, work))

  const observing = async <T>(run: RunHandle, readAt: Date, now: Date, work: Work<T>): Promise<T> => {
    assertLive(connection, run)
    const observed: Observations = { rfq: null, changes: [], problems: [] }
    const context = { run, stamp: advanceTime(run.channel, now), readAt: readAt.toISOString(), observed }
    const result = await work(context)
    events.write(run, observed, context.stamp)
    return result
  }

  /** Timestamps within a channel never go backwards, even if the clock does. */
  const advanceTime = (channel: string, now: Date): string =>
    sql(
      `insert into channels values (?, ?) on conflict (channel) do update set newest_at = max(newest_at, excluded.newest_at)
      returning newest_at`,
    )
      .pluck()
      .get(channel, now.toISOString()) as string

  const findCurrent = (key: EntityKey) =>
    sql(
      `select v.valid, e.version, e.last_read_at, e.full_read_at, e.missing_since, e.fingerprint, v.content_hash,
        v.shape
      from entities e join versions v using (channel, kind, rfq_id, id, version)
      where e.channel = @channel and e.kind = @kind and e.rfq_id = @rfqId and e.id = @id`,
    ).get(key) as EntityRow | undefined

  /** The stored text of a version, as JSON that loses nothing when it is parsed. */
  const findText = (key: EntityKey, version: number) =>
    sql(
      `select coalesce(parsed_body, body) from versions
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and version = @version`,
    )
      .pluck()
      .get({ ...key, version }) as string

  const insertVersion = (
    key: EntityKey,
    version: number,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    notBefore: string | null,
    context: WriteContext,
  ) =>
    sql(
      `insert into versions (channel, kind, rfq_id, id, version, content_hash, not_before, observed_at, run_id, valid,
        shape, body, body_as_received, parsed_body)
      values (@channel, @kind, @rfqId, @id, @version, @hash, @notBefore, @stamp, @runId, @valid, @shape, @body,
        @bodyAsReceived, @parsedBody)`,
    ).run({
      ...key,
      version,
      notBefore,
      hash,
      stamp: context.stamp,
      runId: context.run.id,
      valid: snapshot.valid ? 1 : 0,
      shape: snapshot.shape,
      ...storedTexts(snapshot),
      bodyAsReceived: typeof snapshot.text === 'string' ? 1 : 0,
    })

  const insert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    sql(
      `insert into entities (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, last_read_at,
        changed_at, fingerprint, has_problems, full_read_at, requested_at, summary_hash, read_summary_hash, etag,
        last_modified)
      values (@channel, @kind, @rfqId, @id, 1, @stamp, @stamp, @readAt, @stamp, @fingerprint, @hasProblems, @fullReadAt,
        @requestedAt, @summaryHash, @readSummaryHash, @etag, @lastModified)`,
    ).run({
      ...key,
      stamp: context.stamp,
      readAt: context.readAt,
      ...readState(snapshot),
      ...requestState(snapshot, context.readAt),
    })
    insertVersion(key, 1, { snapshot, hash: hashOf(key, snapshot) }, null, context)
    observe(key, 'inserted', null, snapshot, context)
    return 'inserted'
  }

  const recordChanged = (
    key: EntityKey,
    row: EntityRow,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    context: WriteContext,
  ): UpsertResult => {
    sql(
      `update versions set superseded_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and version = @version`,
    ).run({ ...key, stamp: context.stamp, version: row.version })
    insertVersion(key, row.version + 1, { snapshot, hash }, lastShownAt(row), context)
    sql(
      `update entities set version = version + 1, last_observed_at = @stamp, last_read_at = @readAt,
        changed_at = @stamp, latest_body = null, latest_parsed_body = null, fingerprint = @fingerprint,
        has_problems = @hasProblems
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, stamp: context.stamp, readAt: context.readAt, ...readState(snapshot) })
    observe(key, 'changed', row, snapshot, context)
    return 'changed'
  }

  /** Same content hash: only volatile members, order and white space may differ. The newest text is kept as `latest_body`. */
  const recordUnchanged = (
    key: EntityKey,
    row: EntityRow,
    snapshot: ShapedSnapshot,
    context: WriteContext,
  ): UpsertResult => {
    if (hasSameBytes(row, snapshot)) touchRead(key, context)
    else replaceLatest(key, row, snapshot, context)
    // An unchanged RFQ may be listed by an entry that agrees with it, or no longer does.
    if (snapshot.valid !== (row.valid === 1)) {
      sql(
        `update versions set valid = @valid
        where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and version = @version`,
      ).run({ ...key, version: row.version, valid: snapshot.valid ? 1 : 0 })
    }
    return 'unchanged'
  }

  const upsert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (key.kind === 'response' && recordSameResponse(key, snapshot, context)) return 'unchanged'
    const result = upsertContent(key, snapshot, context)
    if (result === 'changed' || result === 'unchanged') recordRequest(key, snapshot, context)
    return result
  }

  /** When the document was read, and what decides whether it is read again. */
  const recordRequest = (key: EntityKey, snapshot: ShapedSnapshot, { readAt }: WriteContext) => {
    if (snapshot.shape === 'full') {
      sql(
        `update entities set full_read_at = @fullReadAt, requested_at = @requestedAt, summary_hash = @summaryHash,
          read_summary_hash = @readSummaryHash, etag = @etag, last_modified = @lastModified
        where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
      ).run({ ...key, ...requestState(snapshot, readAt) })
    } else if (snapshot.shape === 'summary') {
      const { summaryHash, requestedAt } = requestState(snapshot, readAt)
      sql(
        `update entities set last_read_at = @readAt, summary_hash = @summaryHash,
          requested_at = coalesce(@requestedAt, requested_at)
        where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
      ).run({ ...key, readAt, summaryHash, requestedAt })
    }
  }

  const touchRead = (key: EntityKey, { stamp, readAt }: WriteContext) =>
    sql(
      `update entities set last_observed_at = @stamp, last_read_at = @readAt
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, stamp, readAt })

  const replaceLatest = (key: EntityKey, row: EntityRow, snapshot: ShapedSnapshot, { stamp, readAt }: WriteContext) => {
    const { body, parsedBody } = storedTexts(snapshot)
    sql(
      `update entities set last_observed_at = @stamp, last_read_at = @readAt, fingerprint = @fingerprint,
        has_problems = @hasProblems, latest_body = iif(same, null, @body), latest_parsed_body = iif(same, null, @parsedBody)
      from (select body = @body as same from versions
        where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and version = @version)
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, version: row.version, stamp, readAt, body, parsedBody, ...readState(snapshot) })
  }

  /**
   * Records in one statement that a response was read with the bytes of its stored version, without problems.
   * @returns false if something else is to be recorded
   */
  const recordSameResponse = (key: EntityKey, snapshot: ShapedSnapshot, { stamp, readAt }: WriteContext) => {
    const { fingerprint, hash } = snapshot
    // A hash is calculated only of other bytes than those that were stored.
    if (fingerprint == null || hash !== undefined) return false
    const { changes } = sql(
      `update entities set last_observed_at = @stamp, last_read_at = @readAt, full_read_at = @fullReadAt,
        requested_at = @requestedAt, summary_hash = @summaryHash, read_summary_hash = @readSummaryHash, etag = @etag,
        last_modified = @lastModified
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and fingerprint = @fingerprint
        and has_problems = 0 and missing_since is null and last_read_at <= @readAt`,
    ).run({ ...key, stamp, readAt, fingerprint, ...requestState(snapshot, readAt) })
    return changes === 1
  }

  const upsertContent = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    const row = findCurrent(key)
    if (!row) return withProblems(key, snapshot, context, insert(key, snapshot, context))
    if (context.readAt < row.last_read_at) return 'stale'
    // An RFQ that a closing round reads may still be missing from the list; only a poll can say that it returned.
    if (row.missing_since !== null && !(key.kind === 'rfq' && context.run.kind === 'close')) {
      clearMissing(key, context)
      observe(key, 'returned', null, snapshot, context)
    }
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') {
      return withProblems(key, snapshot, context, touch(key, context))
    }
    const hash = hasSameBytes(row, snapshot) ? row.content_hash : hashOf(key, snapshot)
    const isSame = row.content_hash === hash && row.shape === snapshot.shape
    const result = isSame
      ? recordUnchanged(key, row, snapshot, context)
      : recordChanged(key, row, { snapshot, hash }, context)
    return withProblems(key, snapshot, context, result)
  }

  const withProblems = (
    key: EntityKey,
    snapshot: ShapedSnapshot,
    context: WriteContext,
    result: UpsertResult,
  ): UpsertResult => {
    upsertProblems(key, snapshot.problems, context)
    return result
  }

  const touch = (key: EntityKey, context: WriteContext): UpsertResult => {
    sql(
      `update entities set last_observed_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, stamp: context.stamp })
    return 'unchanged'
  }

  const markMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, run_id)
      select channel, kind, rfq_id, id, last_read_at, @stamp, @runId from entities
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, stamp: context.stamp, runId: context.run.id })
    sql(
      `update entities set missing_since = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...key, stamp: context.stamp })
  }

  const clearMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `update absences set returned_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and returned_at is null`,
    ).run({ ...key, stamp: context.stamp })
    sql(
      `update entities set missing_since = null
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run(key)
  }

  const upsertProblems = (
    { channel, kind, id }: EntityKey,
    problems: readonly Problem[],
    { stamp, observed }: WriteContext,
  ) => {
    for (const problem of problems) {
      const upserted = sql(
        `insert into problems values (@channel, @kind, @id, @path, @code, @message, @stamp, @stamp, 1)
        on conflict do update set message = excluded.message, last_seen_at = excluded.last_seen_at, times = times + 1
        returning times`,
      )
      const times = upserted.pluck().get({
        channel,
        kind,
        id,
        path: toStoredText(problem.path),
        code: problem.code,
        message: toStoredText(problem.message),
        stamp,
      })
      if (times === 1) observed.problems.push({ kind, id: fromStoredText(id), problem })
    }
  }

  /** Notes a change that an event may tell of. Bodies are not kept when there are too many of them for single events. */
  const observe = (
    key: EntityKey,
    change: ObservedChange['change'],
    row: EntityRow | null,
    snapshot: ShapedSnapshot | null,
    { observed: { changes } }: WriteContext,
  ): void => {
    if (key.kind === 'listing') return
    const keepsText = key.kind === 'rfq' || changes.length < MAX_BODIES_BEFORE
    const id = fromStoredText(key.id)
    changes.push({
      kind: key.kind,
      rfqId: key.kind === 'rfq' ? id : fromStoredText(key.rfqId),
      id,
      change,
      before: row && { text: keepsText ? findText(key, row.version) : null, shape: row.shape },
      // Not a copy: most bodies are not asked for, and would be parsed.
      after: snapshot,
    })
  }

  /** Documents not missing and last read before the list; a document read later must not be marked missing by it. */
  const presentIds = ({ run, readAt }: WriteContext, kind: DocumentKind, rfqId: string) =>
    ids(
      `select id from entities where channel = ? and kind = ? and rfq_id = ? and missing_since is null
        and last_read_at <= ?`,
      [run.channel, kind, toStoredText(rfqId), readAt],
    )

  const ids = (query: string, parameters: readonly string[]) =>
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

  /** One that is missing, or unknown, stays as it is: the next poll reads it. */
  const recordObserved = (snapshot: RfqSnapshot, context: WriteContext): RecordResult['responses'] =>
    (snapshot.observed ?? []).map(({ id, summaryHash }) => {
      const key = entityKey(context.run, 'response', id, snapshot.rfq.id)
      sql(
        `update entities set last_observed_at = @stamp, last_read_at = @readAt, summary_hash = @summaryHash
        where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and missing_since is null`,
      ).run({ ...key, stamp: context.stamp, readAt: context.readAt, summaryHash })
      return { id, change: 'unchanged' }
    })

  const markMissingResponses = (snapshot: RfqSnapshot, context: WriteContext): string[] => {
    if (!snapshot.responsesComplete) return []
    const listed = new Set([...snapshot.responses, ...(snapshot.observed ?? [])].map((response) => response.id))
    const missing = presentIds(context, 'response', snapshot.rfq.id).filter((id) => !listed.has(id))
    for (const id of missing) {
      const key = entityKey(context.run, 'response', id, snapshot.rfq.id)
      markMissing(key, context)
      const row = context.observed.changes.length < MAX_BODIES_BEFORE ? findCurrent(key) : undefined
      observe(key, 'missing', row ?? null, null, context)
    }
    return missing
  }

  return {
    async recordListings(run, listings, readAt, now) {
      const changes: UpsertResult[] = []
      for (let start = 0; start < listings.length; start += MAX_WRITES_PER_TURN) {
        const chunk = listings.slice(start, start + MAX_WRITES_PER_TURN)
        await inRun(run, readAt, now, async (context) => {
          const slice = new TimeSlice()
          for (const listing of chunk) {
            const key = entityKey(run, 'listing', listing.id)
            changes.push(upsert(key, { ...listing, shape: 'full' }, context))
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
        context.observed.rfq = { id: snapshot.rfq.id, body: snapshot.rfq.body, shape: snapshot.shape }
        const rfq = upsert(key, { ...snapshot.rfq, shape: snapshot.shape }, context)
        const known = findCurrent(key)
        const result = { rfq, rfqVersion: known?.version ?? 0, rfqHash: known?.content_hash ?? '' }
        if (rfq === 'stale') return { ...result, responses: [], missing: [] }
        sql(
          `update entities set list_hash = coalesce(@listHash, list_hash)
          where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
        ).run({ ...key, listHash: snapshot.listHash })
        const responses = [...(await upsertResponses(snapshot, context)), ...recordObserved(snapshot, context)]
        return { ...result, responses, missing: markMissingResponses(snapshot, context) }
      }
      const write = () => observing(run, snapshot.readAt, now, record)
      // A large RFQ takes too much memory to wait for others.
      return snapshot.responses.length > MAX_WRITES_PER_TURN
        ? connection.write(write)
        : connection.writeWithOthers(write)
    },

    touchRfqs(run, rfqIds, readAt, now) {
      return inRun(run, readAt, now, async (context) => {
        for (const [index, id] of rfqIds.entries()) {
          if (index % MAX_WRITES_PER_TURN === MAX_WRITES_PER_TURN - 1) await yieldToEventLoop()
          touch(entityKey(run, 'rfq', id), context)
        }
      })
    },

    updatePresence(run, kind, listedIds, readAt, now) {
      return inRun(run, readAt, now, async (context) => {
        const listed = new Set(listedIds)
        const missing = presentIds(context, kind, '').filter((id) => !listed.has(id))
        for (const id of missing) {
          markMissing(entityKey(run, kind, id), context)
          observe(entityKey(run, kind, id), 'missing', null, null, context)
        }
        const missingBefore = ids(
          `select id from entities where channel = ? and kind = ? and rfq_id = '' and missing_since is not null`,
          [run.channel, kind],
        )
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

/** Whether a document was received with the bytes that were last received of the stored version. */
const hasSameBytes = (row: EntityRow, { fingerprint, shape }: ShapedSnapshot) =>
  fingerprint != null && row.fingerprint === fingerprint && row.shape === shape

/** When the last request that showed the whole stored version was sent: a summary shows a part of a response only. */
const lastShownAt = (row: EntityRow): string => (row.shape === 'full' && row.full_read_at) || row.last_read_at

/** When the document itself was read and requested, and what decides whether it is read again. */
function requestState(snapshot: ShapedSnapshot, readAt: string) {
  const { shape, summaryHash = null, requested = true, validators } = snapshot
  const isFull = shape === 'full'
  return {
    fullReadAt: isFull ? readAt : null,
    requestedAt: isFull || (shape === 'summary' && requested) ? readAt : null,
    summaryHash,
    readSummaryHash: isFull ? summaryHash : null,
    etag: isFull ? (validators?.etag ?? null) : null,
    lastModified: isFull ? (validators?.lastModified ?? null) : null,
  }
}

/** What is remembered of the bytes, so that they need not be parsed again. */
const readState = ({ fingerprint, valid, shape, problems }: ShapedSnapshot) => ({
  fingerprint: valid && shape === 'full' ? (fingerprint ?? null) : null,
  hasProblems: problems.length > 0 ? 1 : 0,
})

const hashOf = ({ kind }: EntityKey, { hash, body, exactBody = body }: Snapshot) => hash ?? contentHash(kind, exactBody)

/** The body as it is stored, and the parsed body, serialized, if parsing loses something. */
function storedTexts({ body, exactBody = body, text }: Snapshot): { body: string; parsedBody: string | null } {
  const serialized = () => JSON.stringify(body) ?? 'null'
  return { body: text ?? serialized(), parsedBody: exactBody === body ? null : serialized() }
}

const entityKey = ({ channel }: RunHandle, kind: DocumentKind, id: string, rfqId = ''): EntityKey => ({
  channel,
  kind,
  rfqId: toStoredText(rfqId),
  id: toStoredText(id),
})
