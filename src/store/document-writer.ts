import type { Timestamp } from '../core/clock.js'
import type { Connection } from './connection.js'
import type { UpsertResult } from './contract.js'
import {
  type DocumentRow,
  inOrder,
  millisecondsOf,
  OF_DOCUMENT,
  OF_DOCUMENT_IN_ORDER,
  requestColumns,
  SET_REQUEST,
  SET_SUMMARY,
  type StoredDocumentRow,
  toDocumentRow,
} from './document-columns.js'
import {
  type EntityKey,
  hashOf,
  hasNoProblems,
  hasSameBytes,
  OF_KEY,
  readState,
  requestState,
  type ShapedSnapshot,
  storedTexts,
  type WriteContext,
} from './document-values.js'
import { MAX_BODIES_BEFORE, type ObservedChange } from './observed-events.js'
import { upsertProblems } from './problem-writer.js'
import { versionTimes } from './read-order.js'
import { fromStoredText } from './stored-text.js'

/** Writes single documents: their versions, absences and problems. Within a transaction only. */
export interface DocumentWriter {
  /** The stored state of a document; undefined if it is not stored. */
  findCurrent(key: EntityKey): DocumentRow | undefined
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
    row: DocumentRow | null,
    snapshot: ShapedSnapshot | null,
    context: WriteContext,
  ): void
}

export function createDocumentWriter(connection: Connection): DocumentWriter {
  const sql = (text: string) => connection.statement(text)

  const findCurrent = (key: EntityKey): DocumentRow | undefined => {
    const row = sql(
      `select d.number, v.valid, d.version, coalesce(d.changed_ms, d.first_observed_ms) as changed_ms, d.last_read_ms, d.full_read_ms,
        d.missing_since, d.fingerprint, lower(hex(v.content_hash)) as content_hash, v.shape
      from documents d join document_versions v on v.document = d.number and v.version = d.version
      where d.${OF_DOCUMENT_IN_ORDER}`,
    ).get(...inOrder(key)) as StoredDocumentRow | undefined
    return row && toDocumentRow(row)
  }

  /** The stored text of a version, as JSON that loses nothing when it is parsed. */
  const findText = ({ number, version }: DocumentRow) =>
    sql('select coalesce(parsed_body, body) from document_versions where document = ? and version = ?')
      .pluck()
      .get(number, version) as string

  const observationOf = (context: WriteContext, at: Timestamp): number => {
    if (context.observation?.at === at) return context.observation.number
    const moment = [context.run.id, at]
    const number = (sql('select number from observations where run_id = ? and observed_at = ?').pluck().get(moment) ??
      sql('insert into observations (run_id, observed_at) values (?, ?)').run(moment).lastInsertRowid) as number
    context.observation = { at, number }
    return number
  }

  const insertVersion = (
    document: number | bigint,
    version: number,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    { notBefore, observedAt }: { notBefore: Timestamp | null; observedAt: Timestamp },
    context: WriteContext,
  ) => {
    const { body, parsedBody } = storedTexts(snapshot)
    sql(
      `insert into document_versions (document, version, content_hash, not_before, observation, valid, shape, body,
        body_as_received, parsed_body)
      values (?, ?, unhex(?), ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      document,
      version,
      hash,
      notBefore,
      observationOf(context, observedAt),
      snapshot.valid ? 1 : 0,
      snapshot.shape,
      body,
      typeof snapshot.text === 'string' ? 1 : 0,
      parsedBody,
    )
  }

  /** Returns false if the document is stored already. */
  const insert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): boolean => {
    const { fingerprint, hasProblems } = readState(snapshot)
    const observed = millisecondsOf(context.stamp)
    sql('insert into collections (channel, kind, rfq_id) values (?, ?, ?) on conflict do nothing').run(
      ...[key.channel, key.kind, key.rfqId],
    )
    const { changes, lastInsertRowid } = sql(
      `insert into documents (collection, id, version, first_observed_ms, last_observed_ms, last_read_ms, fingerprint, has_problems, full_read_ms,
        requested_at, summary_hash, read_summary_hash, etag, last_modified)
      select number, ?, 1, ?, ?, ?, ?, ?, ?, ?, unhex(?), ?, ?, ? from collections where channel = ? and kind = ? and rfq_id = ?
      on conflict do nothing`,
    ).run(
      key.id,
      observed,
      observed,
      millisecondsOf(context.readAt),
      fingerprint,
      hasProblems,
      ...requestColumns(requestState(snapshot, context.readAt)),
      ...[key.channel, key.kind, key.rfqId],
    )
    if (changes === 0) return false
    const times = { notBefore: null, observedAt: context.stamp }
    insertVersion(lastInsertRowid, 1, { snapshot, hash: hashOf(key, snapshot) }, times, context)
    observe(key, 'inserted', null, snapshot, context)
    return true
  }

  const recordChanged = (
    key: EntityKey,
    row: DocumentRow,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    context: WriteContext,
  ): UpsertResult => {
    const { number, version } = row
    const times = versionTimes(row, context.stamp)
    const { fingerprint, hasProblems } = readState(snapshot)
    sql('update document_versions set superseded_at = ? where document = ? and version = ?').run(
      ...[times.observedAt, number, version],
    )
    insertVersion(number, version + 1, { snapshot, hash }, times, context)
    sql(
      `update documents set version = version + 1, changed_ms = ?, last_observed_ms = ?, last_read_ms = ?, latest_body = null,
        latest_parsed_body = null, fingerprint = ?, has_problems = ?
      where number = ?`,
    ).run(
      ...[millisecondsOf(times.observedAt), millisecondsOf(context.stamp), millisecondsOf(context.readAt)],
      ...[fingerprint, hasProblems, number],
    )
    observe(key, 'changed', row, snapshot, context)
    return 'changed'
  }

  /** Same content hash: only volatile members, order and white space may differ. The newest text is kept as `latest_body`. */
  const recordUnchanged = (row: DocumentRow, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (hasSameBytes(row, snapshot)) touchRead(row, snapshot, context)
    else replaceLatest(row, snapshot, context)
    // The same content may have been received as a text that loses something when it is parsed.
    if (snapshot.valid !== (row.valid === 1)) {
      sql('update document_versions set valid = ? where document = ? and version = ?').run(
        ...[snapshot.valid ? 1 : 0, row.number, row.version],
      )
    }
    return 'unchanged'
  }

  const upsert = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (snapshot.shape === 'full' && recordSame(key, snapshot, context)) return 'unchanged'
    const result = upsertContent(key, snapshot, context)
    upsertProblems(connection, key, snapshot.problems, context)
    // A new document has this in its first row.
    if (result !== 'inserted') recordRequest(key, snapshot, context)
    return result
  }

  /** When the document was read, and what decides whether it is read again. */
  const recordRequest = (key: EntityKey, snapshot: ShapedSnapshot, { readAt }: WriteContext) => {
    const { summaryHash, requestedAt } = requestState(snapshot, readAt)
    if (snapshot.shape === 'full') {
      sql(`update documents set ${SET_REQUEST} where ${OF_DOCUMENT_IN_ORDER}`).run(
        ...requestColumns(requestState(snapshot, readAt)),
        ...inOrder(key),
      )
    } else if (snapshot.shape === 'summary') {
      sql(
        `update documents set last_read_ms = ?, requested_at = coalesce(?, requested_at), ${SET_SUMMARY}
        where ${OF_DOCUMENT_IN_ORDER}`,
      ).run(millisecondsOf(readAt), requestedAt, summaryHash, summaryHash, ...inOrder(key))
    } else if (snapshot.requested) {
      sql(`update documents set requested_at = @readAt where ${OF_DOCUMENT}`).run({ ...key, readAt })
    }
  }

  /** The same bytes may have other problems than before: the list, or a summary, contradicts them. */
  const touchRead = ({ number }: DocumentRow, snapshot: ShapedSnapshot, { stamp, readAt }: WriteContext) =>
    sql('update documents set last_observed_ms = ?, last_read_ms = ?, has_problems = ? where number = ?').run(
      ...[millisecondsOf(stamp), millisecondsOf(readAt), readState(snapshot).hasProblems, number],
    )

  const replaceLatest = (
    { number, version }: DocumentRow,
    snapshot: ShapedSnapshot,
    { stamp, readAt }: WriteContext,
  ) => {
    const { body, parsedBody } = storedTexts(snapshot)
    const { fingerprint, hasProblems } = readState(snapshot)
    // `update … from` would make a temporary table, which takes ten times as long.
    const isSame = sql('select body = ? from document_versions where document = ? and version = ?')
      .pluck()
      .get(body, number, version)
    const latest = isSame === 1 ? [null, null] : [body, parsedBody]
    sql(
      `update documents set last_observed_ms = ?, last_read_ms = ?, fingerprint = ?, has_problems = ?, latest_body = ?,
        latest_parsed_body = ?
      where number = ?`,
    ).run(millisecondsOf(stamp), millisecondsOf(readAt), fingerprint, hasProblems, ...latest, number)
  }

  /**
   * Records in one statement that a document was read with the bytes of its stored version, without problems.
   * @returns false if something else is to be recorded
   */
  const recordSame = (key: EntityKey, snapshot: ShapedSnapshot, { stamp, readAt, isNewRfq }: WriteContext) => {
    const { fingerprint, hash } = snapshot
    // A hash is calculated only of other bytes than those that were stored.
    if (fingerprint == null || hash !== undefined || isNewRfq || !hasNoProblems(snapshot)) return false
    const { changes } = sql(
      `update documents set last_observed_ms = ?, last_read_ms = ?, ${SET_REQUEST}
      where ${OF_DOCUMENT_IN_ORDER} and fingerprint = ? and has_problems = 0 and missing_since is null`,
    ).run(
      millisecondsOf(stamp),
      millisecondsOf(readAt),
      ...requestColumns(requestState(snapshot, readAt)),
      ...inOrder(key),
      fingerprint,
    )
    return changes === 1
  }

  const upsertContent = (key: EntityKey, snapshot: ShapedSnapshot, context: WriteContext): UpsertResult => {
    if (context.isNewRfq && insert(key, snapshot, context)) return 'inserted'
    const row = findCurrent(key)
    if (!row) {
      insert(key, snapshot, context)
      return 'inserted'
    }
    // An RFQ that a closing round reads may still be missing from the list; only a poll can say that it returned.
    if (row.missing_since !== null && !(key.kind === 'rfq' && context.run.kind === 'close')) {
      clearMissing(key, context)
      observe(key, 'returned', null, snapshot, context)
    }
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') return touch(key, context)
    const hash = hasSameBytes(row, snapshot) ? row.content_hash : hashOf(key, snapshot)
    const isSame = row.content_hash === hash && row.shape === snapshot.shape
    return isSame ? recordUnchanged(row, snapshot, context) : recordChanged(key, row, { snapshot, hash }, context)
  }

  const touch = (key: EntityKey, { stamp }: WriteContext): UpsertResult => {
    sql(`update documents set last_observed_ms = ? where ${OF_DOCUMENT_IN_ORDER}`).run(
      ...[millisecondsOf(stamp), ...inOrder(key)],
    )
    return 'unchanged'
  }

  const markMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, run_id)
      select channel, kind, rfq_id, id, case when last_read_at <= @stamp then last_read_at else min(changed_at, @stamp) end,
        @stamp, @runId from entities
      where ${OF_KEY}`,
    ).run({ ...key, stamp: context.stamp, runId: context.run.id })
    sql(`update documents set missing_since = @stamp where ${OF_DOCUMENT}`).run({ ...key, stamp: context.stamp })
  }

  const clearMissing = (key: EntityKey, context: WriteContext) => {
    sql(
      `update absences set returned_at = max(@stamp, missing_since)
      where ${OF_KEY} and returned_at is null`,
    ).run({ ...key, stamp: context.stamp })
    sql(`update documents set missing_since = null where ${OF_DOCUMENT}`).run(key)
  }

  /** Collects a change, of which an event may be made. Bodies are not kept when there are too many of them for single events. */
  const observe = (
    key: EntityKey,
    change: ObservedChange['change'],
    row: DocumentRow | null,
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
      before: row && { text: keepsText ? findText(row) : null, shape: row.shape },
      // Not a copy: most bodies are not asked for, and would be parsed.
      after: snapshot,
    })
  }

  return { findCurrent, upsert, touch, markMissing, clearMissing, observe }
}
