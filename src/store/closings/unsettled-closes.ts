import { closeRemedy } from '../../core/close-intent.js'
import { parseRfq } from '../../core/documents/observation.js'
import type { UnsettledClose } from '../../core/records.js'
import { createCalendar } from '../../core/time/expiry.js'
import { CURRENT_VERSION } from '../documents/document-rows.js'
import { allOf, type SqlDatabase } from '../sql/sql-database.js'
import { OPEN } from './close-intents.js'
import { HAS_OUTCOME, selectNewestIds } from './decision-log.js'

interface UnsettledRow {
  channel: string
  rfq_id: string
  outcome: UnsettledClose['outcome']
  /** 1: an open intent, while a closing round of its channel runs. */
  in_progress: number
  since: string
  decision_id: number | null
  reason: string
  /** Null for an open intent. */
  evidence: string | null
  time_zone: string | null
  missing_since: string | null
  body: string | null
}

const OF_RFQ = `e.channel = u.channel and e.kind = 'rfq' and e.rfq_id = '' and e.id = u.rfq_id`

/** Selects the newest outcomes that need attention, except those of RFQs with an open intent, and the open intents. */
const unsettled = (ofChannel: string | false) => `
with answers as (
  select * from close_decisions where id in (${selectNewestIds(allOf(HAS_OUTCOME, ofChannel))})
), rounds as (
  select channel from runs where kind = 'close' and finished_at is null and id <> @endingRun
), open as (
  select i.*, case when channel in (select channel from rounds) then 1 else 0 end as in_progress
  from close_intents i where ${allOf(`state in ${OPEN}`, ofChannel)}
), unsettled as (
  select channel, rfq_id, outcome, 0 as in_progress, decided_at as since, id as decision_id, reason, evidence, time_zone
  from answers a where outcome in ('refused', 'unknown', 'failed')
    and not exists (select 1 from open o where o.channel = a.channel and o.rfq_id = a.rfq_id)
  union all
  select channel, rfq_id, 'open', in_progress, coalesce(sent_at, created_at), null,
    case when posts > 0 then 'a close was sent and is not settled' else 'a close was planned and not sent' end, null, null
  from open
)
select u.*, (select e.missing_since from documents e where ${OF_RFQ}) as missing_since,
  (select coalesce(e.latest_body, v.body) from documents e join versions v on ${CURRENT_VERSION} where ${OF_RFQ}) as body
from unsettled u
order by u.since, u.channel, u.rfq_id`

/**
 * RFQs that need attention, oldest first: the newest close was refused, is unknown or failed, or its intent is open. RFQs that are closed,
 * missing, or due later now are left out (docs/CLOSING.md, rule 12). `endingRun`: a closing round that is ending and does not count as in
 * progress.
 */
export function createUnsettledCloses(database: SqlDatabase) {
  return {
    async unsettledCloses({
      channel,
      now,
      endingRun = 0,
    }: {
      channel?: string
      now: Date
      endingRun?: number
    }): Promise<UnsettledClose[]> {
      const sql = unsettled(channel !== undefined && 'channel = @channel')
      const rows = await database.all<UnsettledRow>(sql, { channel, endingRun })
      return rows.flatMap((row) => {
        const { document } = parseRfq(row.body === null ? null : JSON.parse(row.body))
        if (row.outcome !== 'open') {
          if (document?.state === 'closed' || row.missing_since !== null) return []
          const today = createCalendar(row.time_zone ?? 'UTC').dateAt(now)
          if (document?.responseDueDate && document.responseDueDate >= today) return []
        }
        return [toUnsettled(row, document?.number ?? null)]
      })
    },
  }
}

/** The result of the close in the evidence, if there is one. */
function resultIn(evidence: string | null): string | null {
  const { result } = JSON.parse(evidence ?? '{}') as { result?: unknown }
  return typeof result === 'string' ? result : null
}

function toUnsettled(row: UnsettledRow, rfqNumber: number | null): UnsettledClose {
  const { channel, rfq_id: rfqId, outcome, since } = row
  const inProgress = row.in_progress === 1
  const remedy =
    outcome !== 'open'
      ? closeRemedy(outcome, { channel, rfqId, since })
      : inProgress
        ? 'the closing round in progress, or else the next one, settles it by reading the RFQ'
        : 'a closing round settles it by reading the RFQ; it needs autoClose: on and closing to be enabled to send it again'
  return {
    channel,
    rfqId,
    rfqNumber,
    outcome,
    inProgress,
    since,
    decisionId: row.decision_id,
    reason: resultIn(row.evidence) ?? row.reason,
    remedy,
  }
}
