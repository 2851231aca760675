import { contentHash } from '../../core/documents/canonical-json.js'
import type { DocumentKind, DocumentShape } from '../../core/documents/documents.js'
import {
  contradictionOf,
  type EntryTerms,
  entryTermsOf,
  type Terms,
  termsOf,
} from '../../core/documents/list-contradiction.js'
import { isAmbiguous } from '../../core/documents/observation.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { ResponseSnapshot, Snapshot } from './recorder-contract.js'
import { isStorable, toStoredText } from './stored-text.js'

/** The primary key of a document, as stored (stored-text.ts). */
export interface DocumentKey {
  channel: string
  kind: DocumentKind
  /** Empty unless it is a response. */
  rfqId: string
  id: string
  /** Unique among the documents of the channel. */
  name: string
}

/** A row of `documents` without its texts, joined with its newest version. */
export interface DocumentState {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  first_observed_at: string
  last_observed_at: string
  last_read_at: string
  /** When the newest version was observed. */
  changed_at: string
  missing_since: string | null
  full_read_at: string | null
  requested_at: string | null
  summary_hash: string | null
  read_summary_hash: string | null
  fingerprint: string | null
  has_problems: number
  /** The number of the recording on the channel that read it last; for a list entry, the one that first had its newest version. */
  recording: number
  state: string | null
  due_date: string | null
  /** For an RFQ: 1 if the list contradicts it. */
  contradicted: number
  /** JSON, for an RFQ and a list entry: the values that decide whether they contradict each other (core/documents/list-contradiction.ts). */
  terms: string | null
  valid: number
  content_hash: string
  shape: DocumentShape
  followed_at: string | null
}

/** Columns of `documents` that change whenever a document is read. */
export const SEEN_COLUMNS = [
  ...([
    'last_observed_at',
    'last_read_at',
    'full_read_at',
    'requested_at',
    'summary_hash',
    'read_summary_hash',
  ] as const),
  ...(['has_problems', 'recording'] as const),
] satisfies readonly (keyof DocumentState)[]
/** Columns of `documents` that a write may change. */
export const CHANGING_COLUMNS = [
  ...SEEN_COLUMNS,
  ...(['version', 'changed_at', 'missing_since', 'fingerprint', 'state', 'due_date', 'contradicted', 'terms'] as const),
] satisfies readonly (keyof DocumentState)[]
/** All columns of `documents` except texts. */
export const DOCUMENT_COLUMNS = [
  ...(['channel', 'kind', 'rfq_id', 'id', 'first_observed_at'] as const),
  ...CHANGING_COLUMNS,
] satisfies readonly (keyof DocumentState)[]
/** The columns of a `DocumentState`, from `documents e` and its newest version `v`. */
export const STATE_COLUMNS = `${DOCUMENT_COLUMNS.map((column) => `e.${column}`).join(', ')},
  v.valid, v.content_hash, v.shape, v.followed_at`

/** A row of `versions` to be inserted. */
export interface NewVersion {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  version: number
  content_hash: string
  not_before: string | null
  observed_at: string
  superseded_at: string | null
  followed_at: string | null
  run_id: number
  valid: number
  shape: DocumentShape
  body: string
  body_as_received: number
  parsed_body: string | null
}
export const VERSION_COLUMNS = [
  ...(['channel', 'kind', 'rfq_id', 'id', 'version', 'content_hash', 'not_before', 'observed_at'] as const),
  ...(['superseded_at', 'followed_at', 'run_id', 'valid', 'shape', 'body', 'body_as_received', 'parsed_body'] as const),
] satisfies readonly (keyof NewVersion)[]

export type VersionKey = Pick<DocumentState, 'channel' | 'kind' | 'rfq_id' | 'id' | 'version'>

/** A document to be recorded. */
export type ShapedSnapshot = Snapshot & { shape: DocumentShape } & Pick<
    ResponseSnapshot,
    'summaryHash' | 'requested' | 'submittedAt'
  >

export function documentKey({ channel }: LiveRun, kind: DocumentKind, id: string, rfqId = ''): DocumentKey {
  const [storedRfqId, storedId] = [toStoredText(rfqId), toStoredText(id)]
  return { channel, kind, rfqId: storedRfqId, id: storedId, name: nameOf(kind, storedRfqId, storedId) }
}

/** Joins with NUL, which stored texts do not contain. */
export const nameOf = (kind: DocumentKind, rfqId: string, id: string): string => `${kind}\0${rfqId}\0${id}`
export const toRowKey = ({ channel, kind, rfqId, id }: DocumentKey) => ({ channel, kind, rfq_id: rfqId, id })

/** Whether a document has the bytes that were last received of its stored version. */
export const hasSameBytes = (row: DocumentState, { fingerprint, shape }: ShapedSnapshot): boolean =>
  fingerprint != null && row.fingerprint === fingerprint && row.shape === shape

/** When the last request that showed the whole stored version was sent. A summary shows only a part of a response. */
export const lastShownAt = (row: DocumentState): string =>
  (row.shape === 'full' && row.full_read_at) || row.last_read_at

/** Whether a document is valid and has no problems. In a closing round, an invalid document may have none. */
export const hasNoProblems = ({ valid, problems }: ShapedSnapshot): boolean => valid && problems.length === 0

export const hashOf = ({ kind }: DocumentKey, snapshot: Snapshot): string =>
  snapshot.hash ?? contentHash(kind, exactBodyOf(snapshot))

const exactBodyOf = ({ body, exactBody = body }: Snapshot) => exactBody

/** The body to store, and the serialized parsed body if parsing loses something. */
export function storedTexts(snapshot: Snapshot): { body: string; parsedBody: string | null } {
  // Does not access the body, which may not be parsed yet.
  if (snapshot.losesNothing && typeof snapshot.text === 'string') return { body: snapshot.text, parsedBody: null }
  const { body, text } = snapshot
  const serialized = () => JSON.stringify(body) ?? 'null'
  return { body: text ?? serialized(), parsedBody: exactBodyOf(snapshot) === body ? null : serialized() }
}

/** The columns with the last read or failed request of the document, and with the values that decide whether it is read again. */
export function requestColumns(snapshot: ShapedSnapshot, readAt: string) {
  const { shape, summaryHash = null, requested = shape === 'summary' } = snapshot
  const isFull = shape === 'full'
  return {
    full_read_at: isFull ? readAt : null,
    requested_at: !isFull && requested ? readAt : null,
    summary_hash: summaryHash,
    read_summary_hash: isFull ? summaryHash : null,
  }
}

/** The columns by which the same bytes are recognized and not parsed again. */
export const readColumns = (snapshot: ShapedSnapshot) => ({
  fingerprint: snapshot.valid && snapshot.shape === 'full' ? (snapshot.fingerprint ?? null) : null,
  has_problems: hasNoProblems(snapshot) ? 0 : 1,
})

/** The columns that the newest version of a document determines. */
export const contentColumns = ({ kind }: DocumentKey, snapshot: ShapedSnapshot, hash: string) => ({
  content_hash: hash,
  shape: snapshot.shape,
  valid: snapshot.valid ? 1 : 0,
  ...readColumns(snapshot),
  ...termColumns(kind, snapshot),
})

/**
 * The values of an RFQ and a list entry that decide whether they contradict each other; for an RFQ, also its state and due date.
 */
function termColumns(kind: DocumentKind, snapshot: ShapedSnapshot) {
  const none = { state: null, due_date: null, terms: null }
  if (kind === 'rfq') {
    const terms = termsOf(snapshot.body)
    const [state, due_date] = [storable(terms.state), storable(terms.responseDueDate)]
    return { ...none, state, due_date, terms: JSON.stringify(terms) }
  }
  const isEntry = kind === 'rfq-entry'
  const entry = isEntry && entryTermsOf({ body: snapshot.body, isAmbiguous: isAmbiguous(snapshot) })
  return { ...none, terms: entry ? JSON.stringify(entry) : null }
}

/** The maximum length of indexed terms, because PostgreSQL limits index entries. */
const MAX_TERM_LENGTH = 100
/** Null for a text that cannot be stored or is too long, which cannot be a state or date. */
const storable = (text: string | null) =>
  text !== null && text.length <= MAX_TERM_LENGTH && isStorable(text) ? text : null

/**
 * Whether the stored list entry contradicts the stored RFQ.
 * @param entry null if no list with the RFQ was recorded
 */
export const isContradicted = (entry: DocumentState | null, rfq: DocumentState): boolean =>
  entry?.terms != null &&
  rfq.terms !== null &&
  rfq.shape === 'full' &&
  contradictionOf(JSON.parse(entry.terms) as EntryTerms, JSON.parse(rfq.terms) as Terms) !== null
