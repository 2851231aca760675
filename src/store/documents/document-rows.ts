import type { DocumentKind, DocumentShape } from '../../core/documents/documents.js'
import { isUsableIdentifier } from '../../core/documents/identifier.js'
import { bodyOf, type ReadDocument, type RfqResponse } from '../../core/documents/observation.js'
import type { KnownDocument } from '../../core/records.js'
import type { LiveRun } from '../runs/run-contract.js'

/** The primary key of a row of `documents`. */
export interface DocumentKey {
  channel: string
  kind: DocumentKind
  /** Empty unless it is a response. */
  rfq_id: string
  id: string
}

/** A row of `versions`. */
export interface VersionRow extends DocumentKey {
  version: number
  content_hash: string
  not_before: string | null
  observed_at: string
  superseded_at: string | null
  run_id: number
  valid: number
  shape: DocumentShape
  bodies: number
  body: string | null
}

const NEWEST_COLUMNS = ['valid', 'content_hash', 'shape', 'bodies', 'not_before', 'observed_at', 'run_id'] as const

/** A row of `documents` with what its newest version says. */
export interface DocumentRow extends DocumentKey, Pick<VersionRow, (typeof NEWEST_COLUMNS)[number]> {
  version: number
  newest_version: number
  first_observed_at: string
  last_observed_at: string
  last_read_at: string
  changed_at: string
  missing_since: string | null
  full_read_at: string | null
  requested_at: string | null
  entry_read: number
  summary_hash: string | null
  text_hash: string | null
  state: string | null
  due_date: string | null
  listing_id: string | null
  contradicted: number
  /** The newest text; null if a whole list does not have it. */
  text: string | null
}

/** A document before its first version. */
export const NEW_ROW: DocumentRow = {
  ...{ channel: '', kind: 'listing', rfq_id: '', id: '', version: 0, newest_version: 0, first_observed_at: '' },
  ...{ last_observed_at: '', last_read_at: '', changed_at: '', missing_since: null, full_read_at: null },
  ...{ requested_at: null, entry_read: 0, summary_hash: null, text_hash: null, state: null, due_date: null },
  ...{ listing_id: null, contradicted: 0 },
  ...{ valid: 1, content_hash: '', shape: 'full', bodies: 0, not_before: null, observed_at: '', run_id: 0, text: null },
}

/** A row as it is read, but for its body and list entry. */
export const toKnown = (row: DocumentRow): Omit<KnownDocument, 'body' | 'entry'> => ({
  channel: row.channel,
  ...{ kind: row.kind, rfqId: row.rfq_id || null, id: row.id, version: row.version },
  ...{ contentHash: row.content_hash, notBefore: row.not_before, observedAt: row.observed_at, supersededAt: null },
  ...{ runId: row.run_id, valid: row.valid === 1, shape: row.shape, bodyText: row.text as string },
  ...{ firstObservedAt: row.first_observed_at, lastObservedAt: row.last_observed_at },
  ...{ readAt: row.full_read_at, missingSince: row.missing_since },
})

export const KEY_COLUMNS = ['channel', 'kind', 'rfq_id', 'id'] as const
export const VERSION_COLUMNS = [...KEY_COLUMNS, 'version', ...NEWEST_COLUMNS, 'superseded_at', 'body'] as const
const without = (columns: readonly string[], left: readonly string[]) =>
  columns.filter((column) => !left.includes(column)) as (keyof DocumentRow)[]
export const DOCUMENT_COLUMNS = without(Object.keys(NEW_ROW), [...NEWEST_COLUMNS, 'text'])
/** Columns of `documents` that a write may change. */
export const CHANGING_COLUMNS = without(DOCUMENT_COLUMNS, KEY_COLUMNS)
/** The columns of a `DocumentRow`, from `documents e` and its newest version `n`. */
export const ROW_COLUMNS = [
  ...DOCUMENT_COLUMNS.map((column) => `e.${column}`),
  ...NEWEST_COLUMNS.map((column) => `n.${column}`),
  'coalesce(e.latest_body, n.body) as text',
].join(', ')

/** The condition that two rows belong to the same document. */
export const sameDocument = (one: string, other: string): string =>
  KEY_COLUMNS.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ')

export const documentKey = ({ channel }: LiveRun, kind: DocumentKind, id: string, rfqId = ''): DocumentKey => ({
  ...{ channel, kind, rfq_id: rfqId, id },
})

/**
 * Of an RFQ and a list entry: state and response due date. A value of an entry that is none, and contradicts any, is `?`.
 * Of a response: its listing, as `comparableId`.
 */
export function termColumns(
  kind: DocumentKind,
  read: ReadDocument,
): Partial<Pick<DocumentRow, 'state' | 'due_date' | 'listing_id'>> {
  if (kind === 'listing') return {}
  if (kind === 'response') {
    const { listingId = null } = Object(read.document) as Partial<RfqResponse>
    return { listing_id: listingId !== null && isUsableIdentifier(listingId) ? listingId : null }
  }
  const isEntry = kind === 'rfq-entry'
  const { state = null, responseDueDate = null } = Object(bodyOf(read)) as Record<string, unknown>
  const stored = (value: unknown) => (isTerm(value) ? value : isEntry && value !== null ? UNCLEAR : null)
  return { state: stored(state), due_date: stored(responseDueDate) }
}

const UNCLEAR = '?'
/** PostgreSQL limits what is indexed; a longer text is neither state nor date. */
const MAX_TERM_LENGTH = 100
const isTerm = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TERM_LENGTH
