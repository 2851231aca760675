import type { DocumentKind } from '../../../core/documents/documents.js'
import type { Queries } from '../../sql/sql-database.js'

/** The number of RFQs with a state and due date. */
export interface RfqCount {
  state: string | null
  /** `responseDueDate` as received, usually YYYY-MM-DD. */
  dueDate: string | null
  count: number
}

export interface RecordedVersion {
  kind: DocumentKind
  /**
   * The longest time that the change can have been unknown: since the last observation of the previous version (`versions.not_before`). Null
   * for the first version of a document.
   */
  delaySeconds: number | null
}

/** Queries for monitoring, fast enough to run several times a minute. */
export const createMonitoring = (queries: Queries) => ({
  /** The channels with stored documents, sorted. */
  async storedChannels(): Promise<string[]> {
    const rows = await queries.all<{ channel: string }>('select channel from channels order by channel')
    return rows.map(({ channel }) => channel)
  },

  /** The RFQs of a channel that are not missing, by state and due date. */
  rfqCounts: (channel: string) =>
    queries.all<RfqCount>(
      `select state, due_date as "dueDate", count(*) as count from documents
      where channel = @channel and kind = 'rfq' and missing_since is null group by state, due_date`,
      { channel },
    ),

  /** The versions that a run recorded. */
  async recordedVersions(runId: number): Promise<RecordedVersion[]> {
    const rows = await queries.all<{ kind: DocumentKind; observed_at: string; not_before: string | null }>(
      `select kind, observed_at, not_before from versions where run_id = @runId and kind <> 'rfq-entry'`,
      { runId },
    )
    return rows.map(({ kind, observed_at, not_before }) => ({
      kind,
      delaySeconds: not_before === null ? null : (Date.parse(observed_at) - Date.parse(not_before)) / 1000,
    }))
  },
})
