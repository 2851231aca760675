import { contentOf } from '../../core/documents/canonical-json.js'
import type { DocumentKind } from '../../core/documents/documents.js'
import { comparableId } from '../../core/documents/identifier.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import { contradictionOf } from '../../core/documents/list-contradiction.js'
import { bodyOf, type ReadDocument } from '../../core/documents/observation.js'
import type { KnownDocument, RfqWithResponses } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { LiveRun } from '../runs/run-contract.js'
import {
  type DocumentKey,
  type DocumentRow,
  documentKey,
  NEW_ROW,
  termColumns,
  toKnown,
  type VersionRow,
} from './document-rows.js'

/** When and by which run documents were read and recorded. */
export interface ChangeContext {
  run: LiveRun
  /** The time of the recording. */
  stamp: Timestamp
  readAt: Timestamp
}

/** What became of a document. */
export interface RecordedChange {
  kind: DocumentKind
  id: string
  change: 'inserted' | 'changed' | 'unchanged' | 'missing'
}

/** A row of `problems`, with how often it was found. */
export interface FoundProblem extends Problem {
  /** Of an offer, its RFQ; otherwise the document itself. */
  ofId: string
  kind: string
  entity_id: string
  stamp: Timestamp
  times: number
}

/** What a document whose newest version has no body says. */
const NO_CONTENT = { content_hash: '', valid: 1, bodies: 0, text: null, text_hash: null, state: null, due_date: null }

/**
 * Computes what becomes of stored documents when they are observed: the rules of the history (docs/DATABASE.md), independent of the database.
 */
export class DocumentChanges {
  readonly #rows = new Map<string, DocumentRow>()
  /** Responses by their RFQ. */
  readonly #responses = new Map<string, DocumentRow[]>()
  /** The observed documents in their order, each with its stored row; null for a new one. */
  readonly observed = new Map<DocumentRow, DocumentRow | null>()
  readonly versions: VersionRow[] = []
  /** The texts of documents whose newest text differs from that of their version; null for those where it does not any more. */
  readonly newestTexts: (DocumentKey & { latest_body: string | null })[] = []
  readonly problems = new Map<string, FoundProblem>()
  /** Of documents with a new version: what was read. */
  readonly #read = new Map<DocumentRow, ReadDocument>()

  /** @param stored all documents that may change and are stored */
  constructor(stored: readonly DocumentRow[]) {
    for (const row of stored) this.#add(row)
  }

  #add(row: DocumentRow): void {
    this.#rows.set(nameOf(row), row)
    if (row.kind !== 'response') return
    const responses = this.#responses.get(row.rfq_id) ?? []
    responses.push(row)
    this.#responses.set(row.rfq_id, responses)
  }

  find(key: DocumentKey): DocumentRow | undefined {
    return this.#rows.get(nameOf(key))
  }

  /** The responses of an RFQ so far. */
  responsesOf(rfqId: string): DocumentRow[] {
    return [...(this.#responses.get(rfqId) ?? [])]
  }

  /** Records a document as it was read; null if it is a listing or list entry that a whole list does not have. */
  observe(key: DocumentKey, read: ReadDocument | null, context: ChangeContext): DocumentRow {
    const { run, stamp } = context
    // Problems of a list entry are recorded with its RFQ.
    if (key.kind !== 'rfq-entry') for (const problem of read?.problems ?? []) this.#addProblem(key, problem, context)
    const row = this.#touch(key, stamp)
    const times = versionTimes(row, stamp)
    if (isChanged(row, read)) this.#addVersion(row, read, { superseded_at: null, run_id: run.id, ...times })
    else if (read !== null && row.shape === read.shape) this.#keepText(row, read)
    see(row, read, context)
    if (key.kind !== 'rfq') row.missing_since = read === null ? (row.missing_since ?? times.observed_at) : null
    if (key.kind === 'rfq' || key.kind === 'rfq-entry') this.#compareWithEntry(key.id, context)
    return row
  }

  /** Records that an RFQ was read and does not list a response. */
  miss(row: DocumentRow, { stamp }: ChangeContext): void {
    this.#touch(row, stamp).missing_since ??= stamp
  }

  changeOf(row: DocumentRow): RecordedChange {
    const { kind, id } = row
    const before = this.observed.get(row)
    const isMissing = row.missing_since !== null && before?.missing_since === null
    const isChanged = row.newest_version !== before?.newest_version
    return {
      kind,
      id,
      change: before === null ? 'inserted' : isMissing ? 'missing' : isChanged ? 'changed' : 'unchanged',
    }
  }

  /** An RFQ with its offers, as the recording leaves them; without the bodies that its figures do not need. */
  rfqWithResponses(run: LiveRun, id: string): RfqWithResponses {
    const known = (row: DocumentRow, entry: KnownDocument['entry']): KnownDocument => {
      const parsed = this.#read.get(row)
      return { body: parsed?.shape === 'full' ? null : bodyOf(row), parsed, entry, ...toKnown(row) }
    }
    const rfq = this.find(documentKey(run, 'rfq', id)) as DocumentRow
    const entry = this.find(documentKey(run, 'rfq-entry', id))
    const isListed = entry !== undefined && entry.text !== null
    return {
      rfq: known(rfq, isListed ? { isRead: rfq.entry_read === 1, body: null } : null),
      responses: this.responsesOf(id).map((row) => known(row, null)),
    }
  }

  /** RFQs, and listings by `comparableId`, whose changes affect recommendations or lists. */
  get dirty() {
    const dirty = { rfqs: new Set<string>(), listings: new Set<string>() }
    for (const [row, before] of this.observed) {
      if (before !== null && decisiveOf(before) === decisiveOf(row)) continue
      if (row.kind === 'listing') dirty.listings.add(comparableId(row.id))
      else dirty.rfqs.add(row.rfq_id || row.id)
    }
    return dirty
  }

  /** The row of a document that is observed. */
  #touch(key: DocumentKey, stamp: Timestamp): DocumentRow {
    const known = this.find(key)
    const { channel, kind, rfq_id, id } = key
    const row = known ?? { ...NEW_ROW, channel, kind, rfq_id, id, first_observed_at: stamp }
    if (known === undefined) this.#add(row)
    if (!this.observed.has(row)) this.observed.set(row, known ? { ...known } : null)
    return row
  }

  #addVersion(
    row: DocumentRow,
    read: ReadDocument | null,
    times: Pick<VersionRow, 'not_before' | 'observed_at' | 'superseded_at' | 'run_id'>,
  ): void {
    const { observed_at, not_before, run_id } = times
    Object.assign(row, { newest_version: row.newest_version + 1, observed_at, not_before, run_id }, NO_CONTENT)
    if (read !== null) {
      const { shape, bodies, valid, hash, text } = read
      const content = { shape, bodies, text, valid: Number(valid), content_hash: hash }
      Object.assign(row, content, { text_hash: storedTextHash(row, read) }, termColumns(row.kind, read))
      this.#read.set(row, read)
    }
    const { channel, kind, rfq_id, id, content_hash, valid, shape, bodies, newest_version } = row
    const key = { channel, kind, rfq_id, id }
    if (newest_version > 1) this.newestTexts.push({ latest_body: null, ...key })
    if (bodies === 1 || newest_version === 1) Object.assign(row, { version: newest_version, changed_at: observed_at })
    const body = read?.text ?? null
    this.versions.push({ version: newest_version, ...key, ...times, content_hash, valid, shape, bodies, body })
    const rfq = kind === 'rfq-entry' && this.find({ ...key, kind: 'rfq' })
    if (rfq) this.#touch(rfq, observed_at).entry_read = 0
  }

  /** Keeps another text of the same content, which is shown and recognized. */
  #keepText(row: DocumentRow, read: ReadDocument): void {
    const text_hash = storedTextHash(row, read)
    if (read.same || row.text_hash === text_hash) return
    Object.assign(row, { text_hash, text: read.text })
    const { channel, kind, rfq_id, id, bodies } = row
    if (bodies === 1) this.newestTexts.push({ channel, kind, rfq_id, id, latest_body: read.text })
  }

  /** Records what the newest list entry of an RFQ says of it, after one of the two was recorded: whether it is missing, or contradicted. */
  #compareWithEntry(rfqId: string, { run, stamp }: ChangeContext): void {
    const rfq = this.find(documentKey(run, 'rfq', rfqId))
    const entry = this.find(documentKey(run, 'rfq-entry', rfqId))
    if (rfq === undefined || entry === undefined) return
    this.#touch(rfq, stamp)
    rfq.contradicted = Number(isContradicted(rfq, entry))
    rfq.missing_since = entry.missing_since
    if (entry.missing_since === null) rfq.last_observed_at = stamp
  }

  #addProblem({ kind, rfq_id, id }: DocumentKey, problem: Problem, { stamp }: ChangeContext): void {
    const found = { ofId: rfq_id || id, kind, entity_id: id, stamp, times: 1, ...problem }
    const name = problemName(found)
    const known = this.problems.get(name)
    if (known) known.times++
    else this.problems.set(name, found)
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

export const later = (a: Timestamp, b: Timestamp): Timestamp => (a > b ? a : b)

/** What recommendations and lists depend on. A recommendation waits until each offer was requested. */
const decisiveOf = ({ newest_version, missing_since, requested_at, entry_read }: DocumentRow): string =>
  [newest_version, missing_since === null, requested_at === null, entry_read].join()

/** Whether a read shows another content than the newest version. A summary or list entry never replaces a full document. */
function isChanged(row: DocumentRow, read: ReadDocument | null): boolean {
  if (read === null) return row.bodies > 0
  if (row.newest_version === 0) return true
  if (read.same || (read.shape !== 'full' && row.shape === 'full')) return false
  if (row.shape !== read.shape || row.text === null) return true
  return row.text !== read.text && contentOf(bodyOf(row)) !== contentOf(bodyOf(read))
}

/**
 * The times of a new version. It is never observed before the version that it replaces, so that a document has one version at any moment, even
 * if the clock was ahead when the previous version was recorded.
 */
function versionTimes(row: DocumentRow, stamp: Timestamp): { not_before: Timestamp | null; observed_at: Timestamp } {
  const observed_at = later(row.observed_at, stamp)
  // When the last request that showed the whole newest version was sent. A summary shows only a part of a response.
  const shownAt = (row.bodies > 0 && row.shape === 'full' && row.full_read_at) || row.last_read_at
  const not_before = shownAt <= observed_at ? shownAt : row.observed_at
  return { observed_at, not_before: row.newest_version === 0 ? null : not_before }
}

/** Sets when the document was last observed, read and requested, and the values that decide whether it is read again. */
function see(row: DocumentRow, read: ReadDocument | null, { stamp, readAt }: ChangeContext): void {
  row.last_read_at = readAt
  if (read === null) return
  const { shape, requested, summaryHash } = read
  row.last_observed_at = stamp
  if (shape === 'full') row.full_read_at = readAt
  if (shape === 'full' && row.kind === 'rfq') row.entry_read = 1
  if (requested) Object.assign(row, { requested_at: readAt, summary_hash: summaryHash })
  else if (row.summary_hash !== summaryHash) row.summary_hash = null
}

/**
 * The hash by which the same text is recognized. It is marked, so that no text received has it, if the text must be parsed nevertheless: one
 * with problems, so that they are counted, and one that does not show the whole document.
 */
const storedTextHash = ({ kind }: DocumentKey, { shape, valid, problems, hash }: ReadDocument): string =>
  kind === 'rfq-entry' || (shape === 'full' && valid && problems.length === 0) ? hash : `parse ${hash}`

/** Whether the newest list entry contradicts an open RFQ (docs/CLOSING.md, rule 2). */
function isContradicted(rfq: DocumentRow, entry: DocumentRow): boolean {
  const [own, listed] = [rfq, entry].map(({ state, due_date }) => ({ state, responseDueDate: due_date }))
  return rfq.shape === 'full' && contradictionOf({ body: Array(entry.bodies || 1).fill(listed) }, own) !== null
}
