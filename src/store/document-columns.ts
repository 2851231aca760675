import type { EntityKey, EntityRow, requestState } from './document-values.js'

// Columns of `documents` (compact-tables.ts).

/** The SQL condition for the row of a document, with an `EntityKey` as parameters. */
export const OF_DOCUMENT = `collection = (select number from collections where channel = @channel and kind = @kind and rfq_id = @rfqId)
  and id = @id`
/** The same with the values of `inOrder`: statements that run for every document bind them by position, which takes half the time. */
export const OF_DOCUMENT_IN_ORDER = OF_DOCUMENT.replaceAll(/@\w+/g, '?')
export const inOrder = ({ channel, kind, rfqId, id }: EntityKey) => [channel, kind, rfqId, id] as const
/** For the rows of documents that belong together, by channel, kind and RFQ. */
export const IN_COLLECTION =
  'collection = (select number from collections where channel = ? and kind = ? and rfq_id = ?)'

/** A row of `documents` with the facts of its newest version. */
export interface DocumentRow extends EntityRow {
  number: number
}
export type StoredDocumentRow = Omit<DocumentRow, 'changed_at' | 'last_read_at' | 'full_read_at'> & {
  changed_ms: number
  last_read_ms: number
  full_read_ms: number | null
}

export const toDocumentRow = ({ changed_ms, last_read_ms, full_read_ms, ...row }: StoredDocumentRow): DocumentRow => ({
  ...row,
  changed_at: timestampOf(changed_ms),
  last_read_at: timestampOf(last_read_ms),
  full_read_at: full_read_ms === null ? null : timestampOf(full_read_ms),
})

const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString()
export const millisecondsOf = (timestamp: string): number => Date.parse(timestamp)

const AS_SUMMARY = Buffer.alloc(0)

/** Sets full_read_ms, requested_at, summary_hash, read_summary_hash, etag and last_modified to the values of `requestColumns`. */
export const SET_REQUEST =
  'full_read_ms = ?, requested_at = ?, summary_hash = unhex(?), read_summary_hash = ?, etag = ?, last_modified = ?'
export const requestColumns = (state: ReturnType<typeof requestState>) =>
  [
    state.fullReadAt === null ? null : millisecondsOf(state.fullReadAt),
    state.requestedAt,
    state.summaryHash,
    // A document that was read has the summary of that moment.
    state.readSummaryHash === null ? null : AS_SUMMARY,
    state.etag,
    state.lastModified,
  ] as const

/** Sets summary_hash to the first parameter; the second is the same. */
export const SET_SUMMARY = `summary_hash = unhex(?), read_summary_hash =
    case when read_summary_hash = x'' and summary_hash is not unhex(?) then summary_hash else read_summary_hash end`
