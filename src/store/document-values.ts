import { contentHash } from '../core/canonical-json.js'
import type { DocumentKind, DocumentShape } from '../core/documents.js'
import type { LiveRun, ResponseSnapshot, RfqSnapshot, Snapshot } from './contract.js'
import type { Observations } from './observed-events.js'
import { toStoredText } from './stored-text.js'

/** The primary key of a document; the texts are as they are stored (stored-text.ts). */
export interface EntityKey {
  channel: string
  kind: DocumentKind
  /** Empty for listings and RFQs. */
  rfqId: string
  id: string
}
/** The SQL condition for the rows of a document, with an `EntityKey` as parameters. */
export const OF_KEY = 'channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id'

/** What is stored of a document, without its text. */
export interface EntityRow {
  version: number
  valid: number
  /** When its newest version was observed. */
  changed_at: string
  last_read_at: string
  full_read_at: string | null
  missing_since: string | null
  fingerprint: string | null
  content_hash: string
  shape: DocumentShape
}
/** The run that writes, its timestamp and the number of its recording, and when the data was read. */
export interface WriteContext {
  run: LiveRun
  stamp: string
  recording: number
  readAt: string
  /** The transaction stored the RFQ for the first time, so that its responses are new as well. */
  isNewRfq: boolean
  /** What becomes events at the end of the transaction. */
  observed: Observations
  /** The observation of SQLite that the last version of this transaction refers to, once there is one. */
  observation?: { at: string; number: number }
}

/** A document to be recorded. */
export type ShapedSnapshot = Snapshot & { shape: DocumentShape } & Pick<
    ResponseSnapshot,
    'summaryHash' | 'requested' | 'submittedAt'
  > &
  Pick<RfqSnapshot['rfq'], 'listConflict'>

/** Whether a document was received with the bytes that were last received of the stored version. */
export const hasSameBytes = (row: EntityRow, { fingerprint, shape }: ShapedSnapshot) =>
  fingerprint != null && row.fingerprint === fingerprint && row.shape === shape

/** When the last request that showed the whole stored version was sent: a summary shows a part of a response only. */
export const lastShownAt = (row: EntityRow): string => (row.shape === 'full' && row.full_read_at) || row.last_read_at

/** When the document itself was read, or requested in vain since then, and what decides whether it is read again. */
export function requestState(snapshot: ShapedSnapshot, readAt: string) {
  const { shape, summaryHash = null, requested = shape === 'summary', validators } = snapshot
  const isFull = shape === 'full'
  return {
    fullReadAt: isFull ? readAt : null,
    requestedAt: !isFull && requested ? readAt : null,
    summaryHash,
    readSummaryHash: isFull ? summaryHash : null,
    etag: isFull ? (validators?.etag ?? null) : null,
    lastModified: isFull ? (validators?.lastModified ?? null) : null,
  }
}

/** What is remembered of the bytes, so that they need not be parsed again. */
export const readState = (snapshot: ShapedSnapshot) => ({
  fingerprint: snapshot.valid && snapshot.shape === 'full' ? (snapshot.fingerprint ?? null) : null,
  hasProblems: hasNoProblems(snapshot) ? 0 : 1,
})

/** Also without a list entry that contradicts it. A closing round may keep a document not valid that it reads without problems. */
export const hasNoProblems = ({ valid, problems, listConflict = null }: ShapedSnapshot): boolean =>
  valid && problems.length === 0 && listConflict === null

export const hashOf = ({ kind }: EntityKey, snapshot: Snapshot): string =>
  snapshot.hash ?? contentHash(kind, exactBodyOf(snapshot))

const exactBodyOf = ({ body, exactBody = body }: Snapshot) => exactBody

/** The body as it is stored, and the parsed body, serialized, if parsing loses something. */
export function storedTexts(snapshot: Snapshot): { body: string; parsedBody: string | null } {
  // Does not ask for the body: it may have to be parsed.
  if (snapshot.losesNothing && typeof snapshot.text === 'string') return { body: snapshot.text, parsedBody: null }
  const { body, text } = snapshot
  const serialized = () => JSON.stringify(body) ?? 'null'
  return { body: text ?? serialized(), parsedBody: exactBodyOf(snapshot) === body ? null : serialized() }
}

export const entityKey = ({ channel }: LiveRun, kind: DocumentKind, id: string, rfqId = ''): EntityKey => ({
  channel,
  kind,
  rfqId: toStoredText(rfqId),
  id: toStoredText(id),
})

/** What is stored of a list entry; nothing of an RFQ whose entry is the one it had when it was last read, of which the id is given. */
export function listedColumns(entry: Snapshot | string, readAt: string) {
  if (typeof entry === 'string') return { hash: null, at: null, text: null }
  const { body, parsedBody } = storedTexts(entry)
  return { hash: entry.hash ?? contentHash('rfq', exactBodyOf(entry)), at: readAt, text: parsedBody ?? body }
}
