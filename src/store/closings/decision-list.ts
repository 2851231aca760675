import type { ListedDecision } from '../../core/records.js'
import type { Closings } from '../contract.js'
import type { SqlDatabase } from '../sql/sql-database.js'
import { type DecisionRow, selectNewestIds, toDecision } from './decision-log.js'

const SELECT = `
select d.id, d.run_id, d.channel, d.rfq_id, d.rfq_number, d.due_date, d.time_zone, d.decided_at, d.decision, d.reason,
  d.outcome, d.http_status, d.message, d.version_before, d.version_after, '{}' as evidence, d.previous_hash, d.hash,
  d.approved_by, d.times, d.repeated_until
from close_decisions d`

const CLOSED_SINCE = `channel = @channel and outcome in ('closed', 'already-closed') and decided_at >= @since`

/** Queries decisions without their evidence, which is long. */
export function createDecisionList(database: SqlDatabase): Pick<Closings, 'closedSince'> {
  return {
    async closedSince({ channel, since }) {
      const rows = await database.all<DecisionRow>(
        `${SELECT} where d.id in (${selectNewestIds(CLOSED_SINCE)}) order by d.id`,
        { channel, since: since.toISOString() },
      )
      return rows.map(toListed)
    },
  }
}

function toListed(row: DecisionRow): ListedDecision {
  const { evidence: _notRead, ...listed } = toDecision(row)
  return listed
}
