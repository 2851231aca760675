import type { DocumentKind, DocumentShape } from '../../core/documents.js'
import {
  type EntityKey,
  type EntityRow,
  readState,
  requestState,
  type ShapedSnapshot,
  type WriteContext,
} from '../document-values.js'
import type { ObservedChange } from '../observed-events.js'
import { isStorable } from '../stored-text.js'

/** A row of `entities` without its texts, with what its newest version has. */
export interface DocumentState extends EntityRow {
  channel: string
  kind: DocumentKind
  rfq_id: string
  id: string
  first_observed_at: string
  last_observed_at: string
  list_hash: string | null
  listed_hash: string | null
  listed_at: string | null
  recording: number | null
  requested_at: string | null
  summary_hash: string | null
  read_summary_hash: string | null
  etag: string | null
  last_modified: string | null
  has_problems: number
  state: string | null
  due_date: string | null
}

/** What becomes of `latest_body`. `replace`: by `body`, unless that is the text of the version. */
export type LatestBody = { latest: 'keep' | 'clear' } | { latest: 'replace'; body: string; parsed_body: string | null }
export type NewVersion = { body: string; superseded_at: string | null } & Record<string, unknown>
export type VersionKey = Pick<DocumentState, 'channel' | 'kind' | 'rfq_id' | 'id' | 'version'>

export type ChangeContext = Omit<WriteContext, 'isNewRfq'>

/** A change whose text before is still to be read. */
export interface PendingText {
  key: VersionKey
  change: ObservedChange
}

/** Names a document of one channel. */
export const nameOf = ({ kind, rfqId, id }: Omit<EntityKey, 'channel'>): string => JSON.stringify([kind, rfqId, id])
export const versionName = ({ kind, rfq_id, id, version }: VersionKey): string =>
  JSON.stringify([kind, rfq_id, id, version])
export const toKey = ({ channel, kind, rfq_id, id }: Omit<VersionKey, 'version'>): EntityKey => ({
  channel,
  kind,
  rfqId: rfq_id,
  id,
})
export const toRowKey = ({ channel, kind, rfqId, id }: EntityKey) => ({ channel, kind, rfq_id: rfqId, id })

export function toRequestColumns(snapshot: ShapedSnapshot, readAt: string) {
  const state = requestState(snapshot, readAt)
  return {
    full_read_at: state.fullReadAt,
    requested_at: state.requestedAt,
    summary_hash: state.summaryHash,
    read_summary_hash: state.readSummaryHash,
    etag: state.etag,
    last_modified: state.lastModified,
  }
}

/** What the newest version of a document determines. */
export function toContentColumns({ kind }: EntityKey, snapshot: ShapedSnapshot, hash: string) {
  const { fingerprint, hasProblems } = readState(snapshot)
  return {
    content_hash: hash,
    shape: snapshot.shape as DocumentShape,
    valid: snapshot.valid ? 1 : 0,
    fingerprint,
    has_problems: hasProblems,
    ...toRfqColumns(kind === 'rfq' ? snapshot.body : null),
  }
}

/** What is kept of an RFQ beside its newest version; null for what is no RFQ. */
export function toRfqColumns(body: unknown): { state: string | null; due_date: string | null } {
  const { state, responseDueDate } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  // One that cannot be stored is none that means something.
  const textOf = (value: unknown): string | null => (typeof value === 'string' && isStorable(value) ? value : null)
  return { state: textOf(state), due_date: textOf(responseDueDate) }
}
