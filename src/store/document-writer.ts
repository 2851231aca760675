import type { Connection } from './connection.js'
import type { UpsertResult } from './contract.js'
import {
  type EntityKey,
  type EntityRow,
  hashOf,
  hasSameBytes,
  inOrder,
  lastShownAt,
  OF_KEY,
  readState,
  requestColumns,
  requestState,
  type ShapedSnapshot,
  storedTexts,
  type WriteContext,
} from './document-values.js'
import { MAX_BODIES_BEFORE, type ObservedChange } from './observed-events.js'
import { upsertProblems } from './problem-writer.js'
import { fromStoredText } from './stored-text.js'

/** Writes single documents: their versions, absences and problems. Within a transaction only. */
export interface DocumentWriter {
  /** The stored state of a document; undefined if it is not stored. */
  findCurrent(key: EntityKey): EntityRow | undefined
  /** Stores a document as it was read, and what it means for its history. */
  upsert(key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult
  /** Records that a document was seen, without having been read. */
  touch(key: EntityKey, context: WriteContext): UpsertResult
  markMissing(key: EntityKey, context: WriteContext): void
  clearMissing(key: EntityKey, context: WriteContext): void
  /** Collects a change, of which an event may be made. */
  observe(
    key: EntityKey,
    change: ObservedChange['change'],
    row: EntityRow | null,
    snapshot: ShapedSnapshot | null,
    context: WriteContext,
  ): void
}

export function createDocumentWriter(connection: Connection): DocumentWriter {
  const sql = (text: string) => connection.statement(text)

  const findCurrent = (key: EntityKey) =>
    sql(
      `select v.valid, e.version, e.last_read_at, e.full_read_at, e.missing_since, e.fingerprint, v.content_hash,
        v.shape
      from entities e join versions v using (channel, kind, rfq_id, id, version)
      where e.channel = ? and e.kind = ? and e.rfq_id = ? and e.id = ?`,
    ).get(...inOrder(key)) as EntityRow | undefined

  /** The stored text of a version, as JSON that loses nothing when it is parsed. */
  const findText = (key: EntityKey, version: number) =>
    sql(
      `select coalesce(parsed_body, body) from versions
      where ${OF_KEY} and version = @version`,
    )
      .pluck()
      .get({ ...key, version }) as string

  const insertVersion = (
    key: EntityKey,
    version: number,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    notBefore: string | null,
    context: WriteContext,
  ) => {
    const { body, parsedBody } = storedTexts(snapshot)
    sql(
      `insert into versions (channel, kind, rfq_id, id, version, content_hash, not_before, observed_at, run_id, valid,
        shape, body, body_as_received, parsed_body)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      ...inOrder(key),
      version,
      hash,
      notBefore,
      context.stamp,
      context.run.id,
      snapshot.valid ? 1 : 0,
      snapshot.shape,
      body,
      typeof snapshot.text === 'string' ? 1 : 0,
      parsedBody,
    )
  }

  /** Returns false if the document is stored already. */
  const insert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): boolean => {
    const { stamp, readAt } = context
    const { fingerprint, hasProblems } = readState(snapshot)
    const { changes } = sql(
      `insert into entities (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, changed_at,
        last_read_at, fingerprint, has_problems, full_read_at, requested_at, summary_hash, read_summary_hash, etag,
        last_modified)
      values (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    ).run(
      ...inOrder(key),
      stamp,
      stamp,
      stamp,
      readAt,
      fingerprint,
      hasProblems,
      ...requestColumns(requestState(snapshot, readAt)),
    )
    if (changes === 0) return false
    insertVersion(key, 1, { snapshot, hash: hashOf(key, snapshot) }, null, context)
    observe(key, 'inserted', null, snapshot, context)
    return true
  }

  const recordChanged = (
    key: EntityKey,
    row: EntityRow,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    context: WriteContext,
  ): UpsertResult => {
    sql(
      `update versions set superseded_at = @stamp
      where ${OF_KEY} and version = @version`,
    ).run({ ...key, stamp: context.stamp, version: row.version })
    insertVersion(key, row.version + 1, { snapshot, hash }, lastShownAt(row), context)
    sql(
      `update entities set version = version + 1, last_observed_at = @stamp, last_read_at = @readAt,
        changed_at = @stamp, latest_body = null, latest_parsed_body = null, fingerprint = @fingerprint,
        has_problems = @hasProblems
      where ${OF_KEY}`,
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
    if (hasSameBytes(row, snapshot)) touchRead(key, snapshot, context)
    else replaceLatest(key, row, snapshot, context)
    // An unchanged RFQ may be listed by an entry that agrees with it, or no longer does.
    if (snapshot.valid !== (row.valid === 1)) {
      sql(
        `update versions set valid = @valid
        where ${OF_KEY} and version = @version`,
      ).run({ ...key, version: row.version, valid: snapshot.valid ? 1 : 0 })
    }
    return 'unchanged'
  }

  const upsert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (snapshot.shape === 'full' && recordSame(key, snapshot, context)) return 'unchanged'
    const result = upsertContent(key, snapshot, context)
    if (result === 'stale') return result
    upsertProblems(connection, key, snapshot.problems, context)
    // A new document has this in its first row.
    if (result !== 'inserted') recordRequest(key, snapshot, context)
    return result
  }

  /** When the document was read, and what decides whether it is read again. */
  const recordRequest = (key: EntityKey, snapshot: ShapedSnapshot, { readAt }: WriteContext) => {
    if (snapshot.shape === 'full') {
      sql(
        `update entities set full_read_at = ?, requested_at = ?, summary_hash = ?, read_summary_hash = ?, etag = ?,
          last_modified = ?
        where channel = ? and kind = ? and rfq_id = ? and id = ?`,
      ).run(...requestColumns(requestState(snapshot, readAt)), ...inOrder(key))
    } else if (snapshot.shape === 'summary') {
      const { summaryHash, requestedAt } = requestState(snapshot, readAt)
      sql(
        `update entities set last_read_at = @readAt, summary_hash = @summaryHash,
          requested_at = coalesce(@requestedAt, requested_at)
        where ${OF_KEY}`,
      ).run({ ...key, readAt, summaryHash, requestedAt })
    } else if (snapshot.requested) {
      sql(
        `update entities set requested_at = @readAt
        where ${OF_KEY}`,
      ).run({ ...key, readAt })
    }
  }

  /** The same bytes may have other problems than before: the list, or a summary, contradicts them. */
  const touchRead = (key: EntityKey, snapshot: ShapedSnapshot, { stamp, readAt }: WriteContext) =>
    sql(
      `update entities set last_observed_at = ?, last_read_at = ?, has_problems = ?
      where channel = ? and kind = ? and rfq_id = ? and id = ?`,
    ).run(stamp, readAt, readState(snapshot).hasProblems, ...inOrder(key))

  const replaceLatest = (key: EntityKey, row: EntityRow, snapshot: ShapedSnapshot, { stamp, readAt }: WriteContext) => {
    const { body, parsedBody } = storedTexts(snapshot)
    const { fingerprint, hasProblems } = readState(snapshot)
    const ofKey = inOrder(key)
    // `update … from` would make a temporary table, which takes ten times as long.
    const isSame = sql(
      `select body = ? from versions
      where channel = ? and kind = ? and rfq_id = ? and id = ? and version = ?`,
    )
      .pluck()
      .get(body, ...ofKey, row.version)
    const latest = isSame === 1 ? [null, null] : [body, parsedBody]
    sql(
      `update entities set last_observed_at = ?, last_read_at = ?, fingerprint = ?, has_problems = ?, latest_body = ?,
        latest_parsed_body = ?
      where channel = ? and kind = ? and rfq_id = ? and id = ?`,
    ).run(stamp, readAt, fingerprint, hasProblems, ...latest, ...ofKey)
  }

  /**
   * Records in one statement that a document was read with the bytes of its stored version, without problems.
   * @returns false if something else is to be recorded
   */
  const recordSame = (key: EntityKey, snapshot: ShapedSnapshot, { stamp, readAt, isNewRfq }: WriteContext) => {
    const { fingerprint, hash, valid, problems } = snapshot
    // A hash is calculated only of other bytes than those that were stored.
    if (fingerprint == null || hash !== undefined || isNewRfq || !valid || problems.length > 0) return false
    const { changes } = sql(
      `update entities set last_observed_at = ?, last_read_at = ?, full_read_at = ?, requested_at = ?,
        summary_hash = ?, read_summary_hash = ?, etag = ?, last_modified = ?
      where channel = ? and kind = ? and rfq_id = ? and id = ? and fingerprint = ? and has_problems = 0
        and missing_since is null and last_read_at <= ?`,
    ).run(stamp, readAt, ...requestColumns(requestState(snapshot, readAt)), ...inOrder(key), fingerprint, readAt)
    return changes === 1
  }

  const upsertContent = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (context.isNewRfq && insert(key, snapshot, context)) return 'inserted'
    const row = findCurrent(key)
    if (!row) {
      insert(key, snapshot, context)
      return 'inserted'
    }
    if (context.readAt < row.last_read_at) return 'stale'
    // An RFQ that a closing round reads may still be missing from the list; only a poll can say that it returned.
    if (row.missing_since !== null && !(key.kind === 'rfq' && context.run.kind === 'close')) {
      clearMissing(key, context)
      observe(key, 'returned', null, snapshot, context)
    }
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') return touch(key, context)
    const hash = hasSameBytes(row, snapshot) ? row.content_hash : hashOf(key, snapshot)
    const isSame = row.content_hash === hash && row.shape === snapshot.shape
    return isSame ? recordUnchanged(key, row, snapshot, context) : recordChanged(key, row, { snapshot, hash }, context)
  }

  const touch = (key: EntityKey, context: WriteContext): UpsertResult => {
    sql(
      `update entities set last_observed_at = @stamp
      where ${OF_KEY}`,
    ).run({ ...key, stamp: context.stamp })
    return 'unchanged'
  }

  const markMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, run_id)
      select channel, kind, rfq_id, id, last_read_at, @stamp, @runId from entities
      where ${OF_KEY}`,
    ).run({ ...key, stamp: context.stamp, runId: context.run.id })
    sql(
      `update entities set missing_since = @stamp
      where ${OF_KEY}`,
    ).run({ ...key, stamp: context.stamp })
  }

  const clearMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `update absences set returned_at = @stamp
      where ${OF_KEY} and returned_at is null`,
    ).run({ ...key, stamp: context.stamp })
    sql(
      `update entities set missing_since = null
      where ${OF_KEY}`,
    ).run(key)
  }

  /** Collects a change, of which an event may be made. Bodies are not kept when there are too many of them for single events. */
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

  return { findCurrent, upsert, touch, markMissing, clearMissing, observe }
}
