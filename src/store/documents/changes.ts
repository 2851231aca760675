import { comparableId } from '../../core/documents/identifier.js'
import type { Timestamp } from '../../core/time/clock.js'
import { MAX_BODIES_BEFORE, type Observations, type ObservedChange } from '../events/observed-events.js'
import type { LiveRun } from '../runs/run-contract.js'
import {
  contentColumns,
  type DocumentKey,
  type DocumentState,
  documentKey,
  hashOf,
  hasNoProblems,
  hasSameBytes,
  isContradicted,
  type NewVersion,
  nameOf,
  readColumns,
  requestColumns,
  type SEEN_COLUMNS,
  type ShapedSnapshot,
  storedTexts,
  toRowKey,
  type VersionKey,
} from './document-state.js'
import { FoundProblems } from './queries/found-problems.js'
import { lastSeenAt, later, versionTimes } from './read-order.js'
import type { ObservedResponse, UpsertResult } from './recorder-contract.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** The run, the timestamp and number of its recording, and when the data was read. */
export interface ChangeContext {
  run: LiveRun
  stamp: Timestamp
  recording: number
  readAt: Timestamp
  /** The observations from which events are written at the end of the transaction. */
  observed: Observations
}

/** The new value of `latest_body`: null, or `body` unless it equals the text of the version. */
export type LatestBody = 'clear' | { body: string; parsed_body: string | null }

/** A change of a stored document. */
export interface DocumentUpdate {
  /** Null: unchanged. */
  latest: LatestBody | null
  /** Only `SEEN_COLUMNS` changed. */
  isSeenOnly: boolean
}
type SeenColumns = Pick<DocumentState, (typeof SEEN_COLUMNS)[number]>

/** A row of `absences`. */
export interface AbsenceRow extends Omit<VersionKey, 'version'> {
  not_before: string
  missing_since: string
  returned_at: string | null
  run_id: number
}
/** A new version, with its parsed document. */
export type AddedVersion = NewVersion & { parsed: () => unknown }
/** A change of a stored version. */
export type ChangedVersion = VersionKey & { superseded_at: string | null; followed_at: string | null; valid: number }

/** A change whose previous text must still be read. */
interface PendingText {
  key: VersionKey
  change: ObservedChange
}

/**
 * Computes the changes of stored documents when they are read again: the rules of the history (docs/ARCHITECTURE.md), independent of the
 * database. A writer for each engine stores the rows.
 */
export class DocumentChanges {
  readonly #documents = new Map<string, DocumentState>()
  /** The responses among them, by RFQ. */
  readonly #responses = new Map<string, DocumentState[]>()
  /** By RFQ, the first observation of its next response: after those that are stored, because they are numbered in this order. */
  readonly #nextResponse = new Map<string, Timestamp>()
  readonly inserted = new Set<DocumentState>()
  readonly updated = new Map<DocumentState, DocumentUpdate>()
  readonly newVersions: AddedVersion[] = []
  /** The newest of them for each document. */
  readonly #newest = new Map<DocumentState, AddedVersion>()
  readonly changedVersions = new Map<string, ChangedVersion>()
  readonly absences: AbsenceRow[] = []
  /** The absences among them that have not ended, by document. */
  readonly #openAbsences = new Map<string, AbsenceRow>()
  readonly returned: (Omit<VersionKey, 'version'> & { returned_at: string })[] = []
  readonly problems = new FoundProblems()
  readonly pendingTexts: PendingText[] = []
  /** RFQs, and listings by `comparableId`, whose changes affect recommendations. */
  readonly dirty = { rfqs: new Set<string>(), listings: new Set<string>() }

  /** @param stored all documents that may change and are stored */
  constructor(stored: readonly DocumentState[]) {
    for (const row of stored) {
      const next = new Date(Date.parse(row.first_observed_at) + 1).toISOString()
      this.#nextResponse.set(row.rfq_id, later(next, this.#nextResponse.get(row.rfq_id) ?? ''))
      this.#add(row)
    }
  }

  #add(row: DocumentState): void {
    this.#documents.set(nameOf(row.kind, row.rfq_id, row.id), row)
    if (row.kind !== 'response') return
    const others = this.#responses.get(row.rfq_id)
    if (others) others.push(row)
    else this.#responses.set(row.rfq_id, [row])
  }

  find(key: DocumentKey): DocumentState | undefined {
    return this.#documents.get(key.name)
  }

  /** The responses of an RFQ, in the order of their ids. */
  responsesOf(rfqId: string): { id: string; isMissing: boolean }[] {
    const responses = this.#responses.get(toStoredText(rfqId)) ?? []
    return responses.map(({ id, missing_since }) => ({ id: fromStoredText(id), isMissing: missing_since !== null }))
  }

  upsert(key: DocumentKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    if (snapshot.shape === 'full' && this.#recordSame(key, snapshot, context)) return 'unchanged'
    const result = this.#upsertContent(key, snapshot, context)
    // Problems of a list entry are recorded with its RFQ.
    if (key.kind !== 'rfq-entry') for (const problem of snapshot.problems) this.problems.add(key, problem, context)
    if (result !== 'inserted') this.#recordRequest(key, snapshot, context)
    return result
  }

  /** Records that the summary of a response was read. Does nothing for a missing or unknown response. */
  recordObserved(key: DocumentKey, { summaryHash }: ObservedResponse, { stamp, readAt }: ChangeContext): void {
    if (this.find(key)?.missing_since !== null) return
    this.#see(key, { last_observed_at: stamp, last_read_at: readAt, summary_hash: summaryHash })
  }

  /** Records that the RFQ itself was read. */
  recordRead(rfqId: string, context: ChangeContext): void {
    this.#see(documentKey(context.run, 'rfq', rfqId), { recording: context.recording })
    this.follow(rfqId, context)
  }

  /** Records that the RFQ was read after its list entry. */
  follow(rfqId: string, { run, stamp }: ChangeContext): void {
    const key = documentKey(run, 'rfq-entry', rfqId)
    const entry = this.find(key)
    if (entry?.followed_at !== null) return
    this.#changeVersion(key, entry, { followed_at: stamp })
    this.#markDirty(key)
  }

  /** Records whether the list contradicts an RFQ, after the RFQ or its entry was recorded. */
  compareWithEntry(rfqId: string, { run }: ChangeContext): void {
    const key = documentKey(run, 'rfq', rfqId)
    const rfq = this.find(key)
    if (rfq === undefined) return
    const contradicted = isContradicted(this.find(documentKey(run, 'rfq-entry', rfqId)) ?? null, rfq)
    if ((rfq.contradicted === 1) !== contradicted) this.#update(key, { contradicted: contradicted ? 1 : 0 })
  }

  markMissing(key: DocumentKey, { run, stamp }: ChangeContext): void {
    const row = this.find(key)
    if (!row) return
    const absence: AbsenceRow = {
      ...toRowKey(key),
      not_before: lastSeenAt(row, stamp),
      missing_since: stamp,
      returned_at: null,
      run_id: run.id,
    }
    this.absences.push(absence)
    this.#openAbsences.set(key.name, absence)
    this.#update(key, { missing_since: stamp })
    this.#markDirty(key)
  }

  clearMissing(key: DocumentKey, { stamp }: ChangeContext): void {
    const open = this.#openAbsences.get(key.name)
    this.#openAbsences.delete(key.name)
    if (open) open.returned_at = later(stamp, open.missing_since)
    else this.returned.push({ ...toRowKey(key), returned_at: stamp })
    this.#update(key, { missing_since: null })
    this.#markDirty(key)
  }

  /** Records a change for events. The texts of changed bodies are kept only up to MAX_BODIES_BEFORE. */
  observe(
    key: DocumentKey,
    change: ObservedChange['change'],
    row: DocumentState | null,
    snapshot: ShapedSnapshot | null,
    { observed: { changes } }: ChangeContext,
  ): void {
    if (key.kind !== 'rfq' && key.kind !== 'response') return
    const keepsText = key.kind === 'rfq' || changes.length < MAX_BODIES_BEFORE
    const id = fromStoredText(key.id)
    const observed: ObservedChange = {
      kind: key.kind,
      rfqId: key.kind === 'rfq' ? id : fromStoredText(key.rfqId),
      id,
      change,
      version: change === 'changed' && row ? row.version + 1 : (this.find(key)?.version ?? 1),
      before: row && { text: null, shape: row.shape },
      // Not a copy, which would parse the body; most bodies are not needed.
      after: snapshot,
    }
    changes.push(observed)
    if (row && keepsText) this.#keepText(key, row.version, observed)
  }

  #keepText(key: DocumentKey, version: number, change: ObservedChange): void {
    const current = this.find(key)
    const added = current && this.#addedVersion(current, version)
    if (!added) this.pendingTexts.push({ key: { ...toRowKey(key), version }, change })
    else if (change.before) change.before.text = added.parsed_body ?? added.body
  }

  #addedVersion(row: DocumentState, version = row.version): AddedVersion | undefined {
    const newest = this.#newest.get(row)
    return newest?.version === version ? newest : undefined
  }

  #upsertContent(key: DocumentKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const row = this.find(key)
    if (!row) return this.#insert(key, snapshot, context)
    // Only a poll can tell that an RFQ has returned: one that a closing round reads may still be missing from the list.
    if (row.missing_since !== null && !(key.kind === 'rfq' && context.run.kind === 'close')) {
      this.clearMissing(key, context)
      this.observe(key, 'returned', null, snapshot, context)
    }
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') {
      this.#see(key, { last_observed_at: context.stamp })
      return 'unchanged'
    }
    const hash = hasSameBytes(row, snapshot) ? row.content_hash : hashOf(key, snapshot)
    return row.content_hash === hash && row.shape === snapshot.shape
      ? this.#recordUnchanged(key, row, snapshot, context)
      : this.#recordChanged(key, row, { snapshot, hash }, context)
  }

  #insert(key: DocumentKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const { stamp, readAt, recording } = context
    const { channel, kind, rfqId: rfq_id, id } = key
    const row: DocumentState = {
      channel,
      kind,
      rfq_id,
      id,
      version: 1,
      first_observed_at: kind === 'response' ? later(stamp, this.#nextResponse.get(rfq_id) ?? '') : stamp,
      last_observed_at: stamp,
      last_read_at: readAt,
      changed_at: stamp,
      missing_since: null,
      recording: kind === 'rfq-entry' ? recording : 0,
      contradicted: 0,
      ...requestColumns(snapshot, readAt),
      ...contentColumns(key, snapshot, hashOf(key, snapshot)),
      followed_at: null,
    }
    this.#add(row)
    this.inserted.add(row)
    this.#addVersion(row, snapshot, { notBefore: null, observedAt: stamp }, context)
    this.observe(key, 'inserted', null, snapshot, context)
    return 'inserted'
  }

  #recordChanged(
    key: DocumentKey,
    row: DocumentState,
    { snapshot, hash }: { snapshot: ShapedSnapshot; hash: string },
    context: ChangeContext,
  ): UpsertResult {
    const { stamp, readAt, recording } = context
    const times = versionTimes(row, stamp)
    this.observe(key, 'changed', { ...row }, snapshot, context)
    this.#changeVersion(key, row, { superseded_at: times.observedAt })
    this.#update(
      key,
      {
        version: row.version + 1,
        last_observed_at: stamp,
        last_read_at: readAt,
        changed_at: times.observedAt,
        followed_at: null,
        ...(key.kind === 'rfq-entry' && { recording }),
        ...contentColumns(key, snapshot, hash),
      },
      'clear',
    )
    this.#addVersion(row, snapshot, times, context)
    return 'changed'
  }

  /** Records a read with the same content hash: only volatile members, order and white space may differ. Stores the text as `latest_body`. */
  #recordUnchanged(
    key: DocumentKey,
    row: DocumentState,
    snapshot: ShapedSnapshot,
    { stamp, readAt }: ChangeContext,
  ): UpsertResult {
    const { fingerprint, has_problems } = readColumns(snapshot)
    const seen = { last_observed_at: stamp, last_read_at: readAt, has_problems }
    if (hasSameBytes(row, snapshot)) this.#see(key, seen)
    else {
      const { body, parsedBody } = storedTexts(snapshot)
      const isOfVersion = this.#addedVersion(row)?.body === body
      const latest = isOfVersion ? 'clear' : { body, parsed_body: parsedBody }
      this.#update(key, { ...seen, fingerprint }, latest)
    }
    // A text with the same content may lose something when it is parsed.
    if (snapshot.valid !== (row.valid === 1)) this.#changeVersion(key, row, { valid: snapshot.valid ? 1 : 0 })
    return 'unchanged'
  }

  /**
   * Records a read of the same bytes without problems.
   * @returns false if more must be recorded
   */
  #recordSame(key: DocumentKey, snapshot: ShapedSnapshot, { stamp, readAt }: ChangeContext): boolean {
    const { fingerprint, hash } = snapshot
    const row = this.find(key)
    // A snapshot with a hash has other bytes than the stored ones.
    if (fingerprint == null || hash !== undefined || row?.fingerprint !== fingerprint) return false
    if (!hasNoProblems(snapshot)) return false
    if (row.has_problems !== 0 || row.missing_since !== null) return false
    this.#see(key, requestColumns(snapshot, readAt))
    this.#see(key, { last_observed_at: stamp, last_read_at: readAt })
    return true
  }

  /** Records when the document was read, and the values that decide whether it is read again. */
  #recordRequest(key: DocumentKey, snapshot: ShapedSnapshot, { readAt }: ChangeContext): void {
    const columns = requestColumns(snapshot, readAt)
    if (snapshot.shape === 'full') this.#see(key, columns)
    else if (snapshot.shape === 'summary') {
      const { summary_hash, requested_at } = columns
      const requestedBefore = this.find(key)?.requested_at ?? null
      // The recommendation waits until each offer was requested.
      if (requested_at !== null && requestedBefore === null) this.#markDirty(key)
      this.#see(key, { last_read_at: readAt, summary_hash, requested_at: requested_at ?? requestedBefore })
    } else if (snapshot.requested) this.#see(key, { requested_at: columns.requested_at })
  }

  /** Updates columns that change whenever a document is read. */
  #see(key: DocumentKey, columns: Partial<SeenColumns>): void {
    const row = this.find(key)
    if (!row) return
    Object.assign(row, columns)
    if (!this.inserted.has(row) && !this.updated.has(row)) this.updated.set(row, { latest: null, isSeenOnly: true })
  }

  /** @param latest the change of the newest text; null: none */
  #update(key: DocumentKey, columns: Partial<DocumentState>, latest: LatestBody | null = null): void {
    const row = this.find(key)
    if (!row) return
    Object.assign(row, columns)
    // The row of a new document is inserted in its final state; only a newest text needs an update.
    if (this.inserted.has(row) && (latest === null || latest === 'clear')) return
    this.updated.set(row, { latest: latest ?? this.updated.get(row)?.latest ?? null, isSeenOnly: false })
  }

  #addVersion(
    row: DocumentState,
    snapshot: ShapedSnapshot,
    { notBefore, observedAt }: { notBefore: Timestamp | null; observedAt: Timestamp },
    { run }: ChangeContext,
  ): void {
    const { channel, kind, rfq_id, id, version } = row
    const { body, parsedBody } = storedTexts(snapshot)
    const added: AddedVersion = {
      ...{ channel, kind, rfq_id, id, version },
      content_hash: row.content_hash,
      not_before: notBefore,
      observed_at: observedAt,
      superseded_at: null,
      followed_at: null,
      run_id: run.id,
      valid: row.valid,
      shape: row.shape,
      body,
      body_as_received: typeof snapshot.text === 'string' ? 1 : 0,
      parsed_body: parsedBody,
      parsed: () => snapshot.body,
    }
    this.newVersions.push(added)
    this.#newest.set(row, added)
    this.#markDirty({ kind, rfqId: rfq_id, id })
  }

  /** Marks an RFQ or listing whose change may affect recommendations or lists. */
  #markDirty({ kind, rfqId, id }: Pick<DocumentKey, 'kind' | 'rfqId' | 'id'>): void {
    if (kind === 'listing') this.dirty.listings.add(comparableId(id))
    else this.dirty.rfqs.add(kind === 'response' ? rfqId : id)
  }

  #changeVersion(key: DocumentKey, row: DocumentState, change: Partial<Omit<ChangedVersion, keyof VersionKey>>): void {
    if (change.valid !== undefined) {
      row.valid = change.valid
      this.#markDirty(key)
    }
    if (change.followed_at !== undefined) row.followed_at = change.followed_at
    const added = this.#addedVersion(row)
    if (added) {
      Object.assign(added, change)
      return
    }
    const { version, valid, followed_at } = row
    const name = `${key.name}\0${version}`
    const known = this.changedVersions.get(name) ?? {
      ...{ ...toRowKey(key), version },
      ...{ superseded_at: null, followed_at, valid },
    }
    this.changedVersions.set(name, { ...known, ...change })
  }
}
