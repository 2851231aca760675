import type { DocumentKind, DocumentShape } from '../../core/documents/documents.js'
import { comparableId, isUsableIdentifier } from '../../core/documents/identifier.js'
import type { Observation, ObservedResponse } from '../../core/documents/observation.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { ListedDocument } from './recorder-contract.js'

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

const NEWEST_COLUMNS = ['valid', 'content_hash', 'shape', 'bodies', 'observed_at', 'run_id'] as const

/** A row of `documents` without its text, with what its newest version says. */
export interface DocumentRow extends DocumentKey, Pick<VersionRow, (typeof NEWEST_COLUMNS)[number]> {
  version: number
  newest_version: number
  first_observed_at: string
  last_observed_at: string
  last_read_at: string
  changed_at: string
  missing_since: string | null
  full_read_at: string | null
  read_run_id: number | null
  requested_at: string | null
  summary_hash: string | null
  read_summary_hash: string | null
  text_hash: string | null
  state: string | null
  due_date: string | null
  listing_id: string | null
  contradicted: number
}

export const KEY_COLUMNS = ['channel', 'kind', 'rfq_id', 'id'] as const
/** Columns of `documents` that a write may change. */
export const CHANGING_COLUMNS = [
  ...(['last_observed_at', 'last_read_at', 'full_read_at', 'read_run_id', 'requested_at', 'summary_hash'] as const),
  ...(['read_summary_hash', 'version', 'newest_version', 'changed_at', 'missing_since', 'text_hash'] as const),
  ...(['state', 'due_date', 'listing_id', 'contradicted'] as const),
] satisfies readonly (keyof DocumentRow)[]
export const DOCUMENT_COLUMNS = [...KEY_COLUMNS, 'first_observed_at', ...CHANGING_COLUMNS] as const
/** The columns of a `DocumentRow`, from `documents e` and its newest version `n`. */
export const ROW_COLUMNS = [
  ...DOCUMENT_COLUMNS.map((column) => `e.${column}`),
  ...NEWEST_COLUMNS.map((column) => `n.${column}`),
].join(', ')
export const VERSION_COLUMNS = [
  ...KEY_COLUMNS,
  ...(['version', 'content_hash', 'not_before', 'observed_at', 'superseded_at', 'run_id', 'valid', 'shape'] as const),
  ...(['bodies', 'body'] as const),
] satisfies readonly (keyof VersionRow)[]

/** The condition that two rows belong to the same document. */
export const sameDocument = (one: string, other: string): string =>
  KEY_COLUMNS.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ')

/** The condition that a row of `versions v` is the one that is shown of a row of `documents e`. */
export const CURRENT_VERSION = `${sameDocument('v', 'e')} and v.version = e.version`

/** A document to be recorded. */
export type ShapedSnapshot = ListedDocument & { shape: DocumentShape } & Partial<
    Pick<ObservedResponse, 'summaryHash' | 'requested'>
  >

export const documentKey = ({ channel }: LiveRun, kind: DocumentKind, id: string, rfqId = ''): DocumentKey => ({
  ...{ channel, kind, rfq_id: rfqId, id },
})

/**
 * The hash by which the same text is recognized. It is marked, so that no text received has it, if the text must be parsed nevertheless: one
 * with problems, so that they are counted, and one that does not show the whole document.
 */
export const storedTextHash = ({ shape, valid, problems, textHash }: ShapedSnapshot): string =>
  shape === 'full' && valid && problems.length === 0 ? textHash : `parse ${textHash}`

/**
 * Of an RFQ and a list entry: state and response due date. A value of an entry that is none, and contradicts any, is `?`.
 * Of a response: its listing, as `comparableId`.
 */
export function termColumns(
  kind: DocumentKind,
  { text }: Observation<unknown>,
): Partial<Pick<DocumentRow, 'state' | 'due_date' | 'listing_id'>> {
  if (kind === 'listing') return {}
  const body = Object(JSON.parse(text)) as Record<string, unknown>
  if (kind === 'response') {
    const { listingId } = body
    const isId = typeof listingId === 'string' && isUsableIdentifier(listingId)
    return { listing_id: isId ? comparableId(listingId) : null }
  }
  const isEntry = kind === 'rfq-entry'
  const { state = null, responseDueDate = null } = body
  const stored = (value: unknown) => (isTerm(value) ? value : isEntry && value !== null ? UNCLEAR : null)
  return { state: stored(state), due_date: stored(responseDueDate) }
}

const UNCLEAR = '?'
/** PostgreSQL limits what is indexed; a longer text is neither state nor date. */
const MAX_TERM_LENGTH = 100
const isTerm = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TERM_LENGTH
