import type { Timestamp } from '../../core/clock.js'
import type { ObservedResponse, UpsertResult } from '../contract.js'
import {
  type EntityKey,
  hashOf,
  hasNoProblems,
  hasSameBytes,
  readState,
  type ShapedSnapshot,
  storedTexts,
} from '../document-values.js'
import { MAX_BODIES_BEFORE, type ObservedChange } from '../observed-events.js'
import { lastSeenAt, later, versionTimes } from '../read-order.js'
import { fromStoredText, toStoredText } from '../stored-text.js'
import {
  type ChangeContext,
  type DocumentState,
  type LatestBody,
  type NewVersion,
  nameOf,
  type PendingText,
  toContentColumns,
  toKey,
  toRequestColumns,
  toRowKey,
  type VersionKey,
  versionName,
} from './document-columns.js'
import { FoundProblems } from './found-problems.js'
import { toJsonb } from './jsonb.js'

/** Documents in memory, and what became of them: the same rules as those of ../document-writer.ts, without a database. */
export class DocumentChanges {
  readonly #documents = new Map<string, DocumentState>()
  readonly inserted = new Map<string, DocumentState>()
  readonly updated = new Map<string, DocumentState & LatestBody>()
  readonly newVersions = new Map<string, NewVersion>()
  /** Versions stored before that were superseded, or whose `valid` changed. */
  readonly changedVersions = new Map<string, VersionKey & { superseded_at: string | null; valid: number }>()
  readonly absences: Record<string, unknown>[] = []
  /** Of them, those that have not ended, by document. */
  readonly #openAbsences = new Map<string, Record<string, unknown>>()
  readonly returned: (Omit<VersionKey, 'version'> & { returned_at: string })[] = []
  readonly problems = new FoundProblems()
  readonly pendingTexts: PendingText[] = []

  constructor(stored: readonly DocumentState[]) {
    for (const row of stored) this.#documents.set(nameOf(toKey(row)), { ...row })
  }

  /** All that were loaded or inserted, in the order of their ids. */
  documents(): DocumentState[] {
    return [...this.#documents.values()]
  }

  find(key: EntityKey): DocumentState | undefined {
    return this.#documents.get(nameOf(key))
  }

  /** The responses of an RFQ that are not missing, in the order of their ids. */
  presentResponses(rfqId: string): string[] {
    const stored = toStoredText(rfqId)
    return [...this.#documents.values()].flatMap((row) =>
      row.kind === 'response' && row.rfq_id === stored && row.missing_since === null ? [fromStoredText(row.id)] : [],
    )
  }

  upsert(key: EntityKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    if (snapshot.shape === 'full' && this.#recordSame(key, snapshot, context)) return 'unchanged'
    const result = this.#upsertContent(key, snapshot, context)
    if (result === 'changed' || result === 'unchanged') this.#recordRequest(key, snapshot, context)
    return result
  }

  /** A response of which only the summary was read; one that is missing or unknown stays as it is. */
  recordObserved(key: EntityKey, { summaryHash }: ObservedResponse, { stamp, readAt }: ChangeContext): void {
    if (this.find(key)?.missing_since !== null) return
    this.#update(key, { last_observed_at: stamp, last_read_at: readAt, summary_hash: summaryHash })
  }

  /** The RFQ itself was read: what a list said since the last time ends. */
  setRead(key: EntityKey, listHash: string | null, { recording }: ChangeContext): void {
    const list_hash = listHash ?? this.find(key)?.list_hash ?? null
    this.#update(key, { list_hash, listed_hash: null, listed_at: null, recording })
  }

  markMissing(key: EntityKey, { run, stamp }: ChangeContext): void {
    const row = this.find(key)
    if (!row) return
    const absence = {
      ...toRowKey(key),
      not_before: lastSeenAt(row, stamp),
      missing_since: stamp,
      returned_at: null,
      run_id: run.id,
    }
    this.absences.push(absence)
    this.#openAbsences.set(nameOf(key), absence)
    this.#update(key, { missing_since: stamp })
  }

  clearMissing(key: EntityKey, { stamp }: ChangeContext): void {
    const open = this.#openAbsences.get(nameOf(key))
    this.#openAbsences.delete(nameOf(key))
    if (open) open.returned_at = later(stamp, open.missing_since as string)
    else this.returned.push({ ...toRowKey(key), returned_at: stamp })
    this.#update(key, { missing_since: null })
  }

  /** Notes a change that an event may tell of. Bodies are not kept when there are too many of them for single events. */
  observe(
    key: EntityKey,
    change: ObservedChange['change'],
    row: DocumentState | null,
    snapshot: ShapedSnapshot | null,
    { observed: { changes } }: ChangeContext,
  ): void {
    if (key.kind === 'listing') return
    const keepsText = key.kind === 'rfq' || changes.length < MAX_BODIES_BEFORE
    const id = fromStoredText(key.id)
    const observed: ObservedChange = {
      kind: key.kind,
      rfqId: key.kind === 'rfq' ? id : fromStoredText(key.rfqId),
      id,
      change,
      before: row && { text: null, shape: row.shape },
      after: snapshot,
    }
    changes.push(observed)
    if (row && keepsText) this.#keepText({ ...toRowKey(key), version: row.version }, observed)
  }

  #keepText(key: VersionKey, change: ObservedChange): void {
    const added = this.newVersions.get(versionName(key))
    if (!added) this.pendingTexts.push({ key, change })
    else if (change.before) change.before.text = (added.parsed_body as string | null) ?? added.body
  }

  #upsertContent(key: EntityKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const row = this.find(key)
    if (!row) return this.#withProblems(key, snapshot, context, this.#insert(key, snapshot, context))
    // An RFQ that a closing round reads may still be missing from the list; only a poll can say that it returned.
    if (row.missing_since !== null && !(key.kind === 'rfq' && context.run.kind === 'close')) {
      this.clearMissing(key, context)
      this.observe(key, 'returned', null, snapshot, context)
    }
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') {
      this.#update(key, { last_observed_at: context.stamp })
      return this.#withProblems(key, snapshot, context, 'unchanged')
    }
    const hash = hasSameBytes(row, snapshot) ? row.content_hash : hashOf(key, snapshot)
    const isSame = row.content_hash === hash && row.shape === snapshot.shape
    const result = isSame
      ? this.#recordUnchanged(key, row, snapshot, context)
      : this.#recordChanged(key, row, snapshot, hash, context)
    return this.#withProblems(key, snapshot, context, result)
  }

  #insert(key: EntityKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const { stamp, readAt } = context
    const hash = hashOf(key, snapshot)
    const row: DocumentState = {
      ...toRowKey(key),
      version: 1,
      first_observed_at: stamp,
      last_observed_at: stamp,
      last_read_at: readAt,
      changed_at: stamp,
      missing_since: null,
      ...{ list_hash: null, listed_hash: null, listed_at: null, recording: null },
      ...toRequestColumns(snapshot, readAt),
      ...toContentColumns(key, snapshot, hash),
    }
    this.#documents.set(nameOf(key), row)
    this.inserted.set(nameOf(key), row)
    this.#addVersion(row, snapshot, { notBefore: null, observedAt: stamp }, context)
    this.observe(key, 'inserted', null, snapshot, context)
    return 'inserted'
  }

  #recordChanged(
    key: EntityKey,
    row: DocumentState,
    snapshot: ShapedSnapshot,
    hash: string,
    context: ChangeContext,
  ): UpsertResult {
    const { stamp, readAt } = context
    const times = versionTimes(row, stamp)
    this.observe(key, 'changed', { ...row }, snapshot, context)
    this.#changeVersion(row, { superseded_at: times.observedAt })
    this.#update(
      key,
      {
        version: row.version + 1,
        last_observed_at: stamp,
        last_read_at: readAt,
        changed_at: times.observedAt,
        ...toContentColumns(key, snapshot, hash),
      },
      { latest: 'clear' },
    )
    this.#addVersion(row, snapshot, times, context)
    return 'changed'
  }

  /** Same content hash: only volatile members, order and white space may differ. The newest text is kept as `latest_body`. */
  #recordUnchanged(key: EntityKey, row: DocumentState, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const { fingerprint, hasProblems } = readState(snapshot)
    const seen = { last_observed_at: context.stamp, last_read_at: context.readAt, has_problems: hasProblems }
    // The same bytes may have other problems than before: the list, or a summary, contradicts them.
    if (hasSameBytes(row, snapshot)) this.#update(key, seen)
    else {
      const { body, parsedBody } = storedTexts(snapshot)
      const latest: LatestBody =
        this.newVersions.get(versionName(row))?.body === body
          ? { latest: 'clear' }
          : { latest: 'replace', body, parsed_body: parsedBody }
      this.#update(key, { ...seen, fingerprint }, latest)
    }
    // The same content may have been received as a text that loses something when it is parsed.
    if (snapshot.valid !== (row.valid === 1)) this.#changeVersion(row, { valid: snapshot.valid ? 1 : 0 })
    return 'unchanged'
  }

  /** A document with the bytes of its stored version, without problems. Returns false if something else is to be recorded. */
  #recordSame(key: EntityKey, snapshot: ShapedSnapshot, { stamp, readAt }: ChangeContext): boolean {
    const { fingerprint, hash } = snapshot
    const row = this.find(key)
    // A hash is calculated only of other bytes than those that were stored.
    if (fingerprint == null || hash !== undefined || row?.fingerprint !== fingerprint) return false
    if (!hasNoProblems(snapshot)) return false
    if (row.has_problems !== 0 || row.missing_since !== null) return false
    this.#update(key, { last_observed_at: stamp, last_read_at: readAt, ...toRequestColumns(snapshot, readAt) })
    return true
  }

  /** When the document was read, and what decides whether it is read again. */
  #recordRequest(key: EntityKey, snapshot: ShapedSnapshot, { readAt }: ChangeContext): void {
    const columns = toRequestColumns(snapshot, readAt)
    if (snapshot.shape === 'full') this.#update(key, columns)
    else if (snapshot.shape === 'summary') {
      const { summary_hash, requested_at } = columns
      this.#update(key, {
        last_read_at: readAt,
        summary_hash,
        requested_at: requested_at ?? this.find(key)?.requested_at ?? null,
      })
    } else if (snapshot.requested) this.#update(key, { requested_at: columns.requested_at })
  }

  #withProblems(key: EntityKey, { problems }: ShapedSnapshot, context: ChangeContext, result: UpsertResult) {
    for (const problem of problems) this.problems.add(key, problem, context)
    return result
  }

  #update(key: EntityKey, columns: Partial<DocumentState>, latest?: LatestBody): void {
    const row = this.find(key)
    if (!row) return
    Object.assign(row, columns)
    const name = nameOf(key)
    const known = this.updated.get(name)
    // The row of a new document is inserted as it is in the end; a text to replace is for an update.
    if (this.inserted.has(name) && (latest === undefined || latest.latest === 'clear')) return
    this.updated.set(name, Object.assign(known ?? { ...row, latest: 'keep' as const }, row, latest))
  }

  #addVersion(
    row: DocumentState,
    snapshot: ShapedSnapshot,
    { notBefore, observedAt }: { notBefore: Timestamp | null; observedAt: Timestamp },
    { run }: ChangeContext,
  ): void {
    const { channel, kind, rfq_id, id, version } = row
    const { body, parsedBody } = storedTexts(snapshot)
    this.newVersions.set(versionName(row), {
      ...{ channel, kind, rfq_id, id, version },
      content_hash: row.content_hash,
      not_before: notBefore,
      observed_at: observedAt,
      superseded_at: null,
      run_id: run.id,
      valid: row.valid,
      shape: row.shape,
      body,
      body_as_received: typeof snapshot.text === 'string' ? 1 : 0,
      parsed_body: parsedBody,
      document: toJsonb(snapshot.body),
    })
  }

  #changeVersion(row: DocumentState, change: { superseded_at?: string; valid?: number }): void {
    const name = versionName(row)
    const added = this.newVersions.get(name)
    if (change.valid !== undefined) row.valid = change.valid
    if (added) {
      Object.assign(added, change)
      return
    }
    const { channel, kind, rfq_id, id, version, valid } = row
    const known = this.changedVersions.get(name) ?? { channel, kind, rfq_id, id, version, superseded_at: null, valid }
    this.changedVersions.set(name, { ...known, ...change })
  }
}
