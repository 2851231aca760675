import { comparableId } from '../../core/documents/identifier.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { FoundProblem, ObservedChange } from '../events/observed-events.js'
import type { LiveRun } from '../runs/run-contract.js'
import {
  type DocumentKey,
  type DocumentRow,
  documentKey,
  type ShapedSnapshot,
  storedTextHash,
  termColumns,
  type VersionRow,
} from './document-rows.js'
import type { UpsertResult } from './recorder-contract.js'

/** When and by which run documents were read and recorded. */
export interface ChangeContext {
  run: LiveRun
  /** The time of the recording. */
  stamp: Timestamp
  readAt: Timestamp
}

/** The columns of a document of which the newest version has no body. */
const NO_CONTENT = {
  content_hash: '',
  valid: 1,
  text_hash: null,
  state: null,
  due_date: null,
} satisfies Partial<DocumentRow>
/** A document before its first version. A copy of one object is made faster than one of many parts. */
const NEW_ROW: DocumentRow = {
  ...{ channel: '', kind: 'listing', rfq_id: '', id: '', version: 0, newest_version: 0, first_observed_at: '' },
  ...{ last_observed_at: '', last_read_at: '', changed_at: '', missing_since: null, full_read_at: null },
  ...{ read_run_id: null, requested_at: null, summary_hash: null, read_summary_hash: null },
  ...{ listing_id: null, contradicted: 0, shape: 'full', bodies: 0, observed_at: '', run_id: 0 },
  ...NO_CONTENT,
}

/**
 * Computes what becomes of stored documents when they are observed: the rules of the history (docs/DATABASE.md), independent of the database.
 * In one transaction, each document is observed once.
 */
export class DocumentChanges {
  readonly #rows = new Map<string, DocumentRow>()
  readonly #responses = new Map<string, DocumentRow[]>()
  /** By RFQ, the first observation of its next response: after those that are stored, because they are numbered in this order. */
  readonly #nextResponse = new Map<string, Timestamp>()
  readonly inserted = new Set<DocumentRow>()
  /** Those of the stored rows that are others now. */
  readonly changed = new Set<DocumentRow>()
  readonly newestTexts: (DocumentKey & { latest_body: string | null })[] = []
  readonly versions: VersionRow[] = []
  readonly changedVersions: (DocumentKey & Pick<VersionRow, 'version' | 'superseded_at' | 'valid'>)[] = []
  readonly problems = new Map<string, FoundProblem>()
  /** What events are written from at the end of the transaction. */
  readonly observed: ObservedChange[] = []
  /** RFQs, and listings by `comparableId`, whose changes affect recommendations. */
  readonly dirty = { rfqs: new Set<string>(), listings: new Set<string>() }

  /** @param stored all documents that may change and are stored */
  constructor(stored: readonly DocumentRow[]) {
    for (const row of stored) {
      const next = new Date(Date.parse(row.first_observed_at) + 1).toISOString()
      this.#nextResponse.set(row.rfq_id, later(next, this.#nextResponse.get(row.rfq_id) ?? ''))
      this.#add(row)
    }
  }

  find(key: DocumentKey): DocumentRow | undefined {
    return this.#rows.get(nameOf(key))
  }

  /** The stored responses of an RFQ, by id. */
  responsesOf(rfqId: string): DocumentRow[] {
    return this.#responses.get(rfqId) ?? []
  }

  /** Records a document as it was read. */
  upsert(key: DocumentKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const { kind } = key
    // Problems of a list entry are recorded with its RFQ.
    if (kind !== 'rfq-entry') for (const problem of snapshot.problems) this.#addProblem(key, problem, context)
    const row = this.find(key)
    if (row === undefined) return this.#insert(key, snapshot, context)
    if (row.missing_since !== null && kind !== 'rfq') this.#return(row, context)
    const times = versionTimes(row, context.stamp)
    if (
      kind === 'response' &&
      snapshot.shape === 'summary' &&
      row.requested_at === null &&
      snapshot.requested !== false
    )
      // The recommendation waits until each offer was requested.
      this.#markDirty(row)
    this.#change(row, seenColumns(snapshot, context, row))
    // A summary or list entry never replaces a full document.
    if (snapshot.shape !== 'full' && row.shape === 'full') return 'unchanged'
    if (snapshot.same) return 'unchanged'
    if (row.shape === snapshot.shape && row.content_hash === snapshot.hash) {
      const text_hash = storedTextHash(snapshot)
      if (row.text_hash !== text_hash) {
        this.#change(row, { text_hash })
        this.newestTexts.push({ ...keyOf(row), latest_body: snapshot.text })
      }
      // The schema may have changed.
      if (snapshot.valid !== (row.valid === 1)) {
        row.valid = snapshot.valid ? 1 : 0
        this.#changeVersion(row, null)
        this.#markDirty(row)
      }
      return 'unchanged'
    }
    this.#addVersion(row, snapshot, times, context)
    this.#observe(row, 'changed', context)
    return 'changed'
  }

  /** Records that a whole list does not have a listing or list entry. @returns whether it had it before */
  miss(key: DocumentKey, context: ChangeContext): boolean {
    const row = this.find(key)
    if (row === undefined) return false
    const times = versionTimes(row, context.stamp)
    this.#change(row, { last_read_at: context.readAt })
    if (row.missing_since !== null) return false
    this.#addVersion(row, null, times, context)
    this.#change(row, { missing_since: times.observedAt })
    return true
  }

  /** Records that an RFQ was read and does not list a response. */
  missResponse(row: DocumentRow, context: ChangeContext): void {
    this.#observe(row, 'missing', context)
    this.#change(row, { missing_since: context.stamp })
    this.#markDirty(row)
  }

  /** Records that an RFQ lists a response, which was not read itself. */
  seeResponse(key: DocumentKey, summaryHash: string, context: ChangeContext): void {
    const row = this.find(key)
    if (row === undefined) return
    if (row.missing_since !== null) this.#return(row, context)
    this.#change(row, { last_observed_at: context.stamp, last_read_at: context.readAt, summary_hash: summaryHash })
  }

  /** Records that the RFQ itself was read. */
  readRfq(rfqId: string, { run }: ChangeContext): void {
    const row = this.find(documentKey(run, 'rfq', rfqId))
    if (row === undefined) return
    const entry = this.find(documentKey(run, 'rfq-entry', rfqId))
    const wasCurrent = entry === undefined || (row.read_run_id ?? 0) >= entry.run_id
    // A run that began before may end later.
    this.#change(row, { read_run_id: Math.max(run.id, row.read_run_id ?? 0) })
    if (!wasCurrent) this.#markDirty(row)
  }

  /** Records what the newest list entry of an RFQ says of it, after one of the two was recorded: whether it is missing, or contradicted. */
  compareWithEntry(rfqId: string, context: ChangeContext): void {
    const row = this.find(documentKey(context.run, 'rfq', rfqId))
    const entry = this.find(documentKey(context.run, 'rfq-entry', rfqId))
    if (row === undefined || entry === undefined) return
    const contradicted = isContradicted(row, entry) ? 1 : 0
    if (row.contradicted !== contradicted) this.#change(row, { contradicted })
    if (entry.missing_since === null) this.#change(row, { last_observed_at: context.stamp })
    if ((row.missing_since === null) === (entry.missing_since === null)) return
    this.#observe(row, entry.missing_since === null ? 'returned' : 'missing', context)
    this.#change(row, { missing_since: entry.missing_since })
    this.#markDirty(row)
  }

  #add(row: DocumentRow): void {
    this.#rows.set(nameOf(row), row)
    if (row.kind !== 'response') return
    const others = this.#responses.get(row.rfq_id)
    if (others) others.push(row)
    else this.#responses.set(row.rfq_id, [row])
  }

  #insert(key: DocumentKey, snapshot: ShapedSnapshot, context: ChangeContext): UpsertResult {
    const { stamp } = context
    const first = key.kind === 'response' ? later(stamp, this.#nextResponse.get(key.rfq_id) ?? '') : stamp
    const row: DocumentRow = { ...NEW_ROW, ...key, first_observed_at: first, changed_at: stamp, shape: snapshot.shape }
    Object.assign(row, seenColumns(snapshot, context, row))
    this.#add(row)
    this.inserted.add(row)
    this.#addVersion(row, snapshot, { notBefore: null, observedAt: stamp }, context)
    this.#observe(row, 'inserted', context)
    return 'inserted'
  }

  #return(row: DocumentRow, context: ChangeContext): void {
    this.#observe(row, 'returned', context)
    this.#change(row, { missing_since: null })
    this.#markDirty(row)
  }

  #addVersion(
    row: DocumentRow,
    snapshot: ShapedSnapshot | null,
    { notBefore, observedAt }: { notBefore: Timestamp | null; observedAt: Timestamp },
    { run }: ChangeContext,
  ): void {
    const bodies = snapshot === null ? 0 : (snapshot.bodies ?? 1)
    const isFirst = row.newest_version === 0
    if (!isFirst) this.#changeVersion(row, observedAt)
    const content =
      snapshot === null
        ? NO_CONTENT
        : {
            ...{ content_hash: snapshot.hash, valid: snapshot.valid ? 1 : 0, shape: snapshot.shape },
            ...{ text_hash: storedTextHash(snapshot), ...termColumns(row.kind, snapshot) },
          }
    const newest = { newest_version: row.newest_version + 1, observed_at: observedAt, run_id: run.id, bodies }
    this.#change(row, { ...newest, ...content })
    if (bodies === 1 || isFirst) this.#change(row, { version: row.newest_version, changed_at: observedAt })
    if (bodies === 1 && !isFirst) this.newestTexts.push({ ...keyOf(row), latest_body: null })
    const { content_hash, valid, shape } = row
    this.versions.push({
      ...keyOf(row),
      ...{ version: row.newest_version, content_hash, not_before: notBefore, observed_at: observedAt },
      ...{ superseded_at: null, run_id: run.id, valid, shape, bodies, body: snapshot?.text ?? null },
    })
    this.#markDirty(row)
  }

  #changeVersion(row: DocumentRow, supersededAt: Timestamp | null): void {
    const { newest_version: version, valid } = row
    this.changedVersions.push({ ...keyOf(row), version, valid, superseded_at: supersededAt })
  }

  #change(row: DocumentRow, columns: Partial<DocumentRow>): void {
    Object.assign(row, columns)
    if (!this.inserted.has(row)) this.changed.add(row)
  }

  #observe(
    { kind, rfq_id, id, version }: DocumentRow,
    change: ObservedChange['change'],
    { stamp }: ChangeContext,
  ): void {
    if (kind !== 'rfq' && kind !== 'response') return
    this.observed.push({ kind, rfqId: kind === 'rfq' ? id : rfq_id, id, change, version, at: stamp })
  }

  #addProblem({ kind, rfq_id, id }: DocumentKey, { path, code, message }: Problem, { stamp }: ChangeContext): void {
    const found = { ofId: rfq_id || id, kind, entity_id: id, path, code, message, stamp, times: 1 }
    const name = problemName(found)
    const known = this.problems.get(name)
    if (known) known.times++
    else this.problems.set(name, found)
  }

  /** Marks an RFQ or listing whose change may affect recommendations or lists. */
  #markDirty({ kind, rfq_id, id }: DocumentKey): void {
    if (kind === 'listing') this.dirty.listings.add(comparableId(id))
    else this.dirty.rfqs.add(kind === 'response' ? rfq_id : id)
  }
}

/** Joins with NUL, which stored texts do not contain. */
const nameOf = ({ kind, rfq_id, id }: DocumentKey): string => `${kind}\0${rfq_id}\0${id}`
export const problemName = ({
  kind,
  entity_id,
  path,
  code,
}: Omit<FoundProblem, 'ofId' | 'message' | 'stamp'>): string => [kind, entity_id, path, code].join('\0')

const keyOf = ({ channel, kind, rfq_id, id }: DocumentKey): DocumentKey => ({ channel, kind, rfq_id, id })

export const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)

/**
 * The times of a new version. It is never observed before the version that it replaces, so that a document has one version at any moment, even
 * if the clock was ahead when the previous version was recorded.
 */
function versionTimes(row: DocumentRow, stamp: Timestamp): { notBefore: Timestamp; observedAt: Timestamp } {
  const observedAt = later(row.observed_at, stamp)
  // When the last request that showed the whole newest version was sent. A summary shows only a part of a response.
  const shownAt = (row.bodies > 0 && row.shape === 'full' && row.full_read_at) || row.last_read_at
  return { observedAt, notBefore: shownAt <= observedAt ? shownAt : row.observed_at }
}

/** When the document was last read or requested, and the values that decide whether it is read again. */
function seenColumns(
  { shape, summaryHash, requested = shape === 'summary' }: ShapedSnapshot,
  { stamp, readAt }: ChangeContext,
  row: DocumentRow,
): Partial<DocumentRow> {
  const times = { last_observed_at: stamp, last_read_at: readAt }
  if (shape === 'full')
    return {
      ...times,
      ...{
        full_read_at: readAt,
        requested_at: null,
        summary_hash: summaryHash ?? null,
        read_summary_hash: summaryHash ?? null,
      },
    }
  return {
    ...times,
    // A list entry shows nothing of an RFQ that was read.
    ...(shape === 'list' && row.shape === 'full' && { last_read_at: row.last_read_at }),
    ...(shape === 'summary' && { summary_hash: summaryHash ?? null }),
    ...(requested && { requested_at: readAt }),
  }
}

/** Whether the newest list entry contradicts an open RFQ (docs/CLOSING.md, rule 2). What it does not say contradicts nothing. */
const isContradicted = (rfq: DocumentRow, entry: DocumentRow): boolean =>
  rfq.shape === 'full' &&
  rfq.state === 'open' &&
  (entry.bodies > 1 ||
    (entry.state !== null && entry.state !== rfq.state) ||
    (entry.due_date !== null && entry.due_date !== rfq.due_date))
