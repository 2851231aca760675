import type { DecisionSortKey, ListedDecision } from '../../core/records.js'
import type { Closings } from '../contract.js'
import { allOf, type SqlDatabase } from '../sql/sql-database.js'
import { type DecisionRow, selectNewestIds, toDecision, WITH_REPEATS } from './decision-log.js'

const SELECT = `
select d.id, d.run_id, d.channel, d.rfq_id, d.rfq_number, d.due_date, d.time_zone, d.decided_at, d.decision, d.reason,
  d.outcome, d.http_status, d.message, d.version_before, d.version_after, '{}' as evidence, d.previous_hash, d.hash,
  d.approved_by, r.times, r.last_at as repeated_until
from close_decisions d ${WITH_REPEATS}`

const SORT_COLUMNS: Record<DecisionSortKey, readonly string[]> = {
  closing: ['d.id'],
  decidedAt: ['d.decided_at'],
  channel: ['d.channel'],
  rfq: ['d.rfq_number', 'd.rfq_id'],
  dueDate: ['d.due_date'],
  verdict: ['d.decision'],
  outcome: ['d.outcome'],
  approvedBy: ['d.approved_by'],
  run: ['d.run_id'],
}

const CLOSED_SINCE = `channel = @channel and outcome in ('closed', 'already-closed') and decided_at >= @since`

/** Queries decisions for lists, without their evidence, which is long. */
export function createDecisionList(database: SqlDatabase): Pick<Closings, 'listDecisions' | 'closedSince'> {
  return {
    async listDecisions({ channel, outcome, sort = { key: 'closing', descending: true }, from, to }) {
      const where = allOf(
        channel !== undefined && 'd.channel = @channel',
        outcome !== undefined && 'd.outcome = @outcome',
      )
      const filter = { channel: channel ?? null, outcome: outcome ?? null }
      const direction = sort.descending ? 'desc' : 'asc'
      // Unknown values come last, whatever the direction.
      const order = SORT_COLUMNS[sort.key].map((column) => `${column} ${direction} nulls last`).join(', ')
      const rows = await database.all<DecisionRow>(
        `${SELECT} where ${where} order by ${order}, d.id desc limit @limit offset @offset`,
        { ...filter, limit: to - from, offset: from },
      )
      const count = await database.get<{ total: number }>(
        `select count(*) as total from close_decisions d where ${where}`,
        filter,
      )
      return { rows: rows.map(toListed), total: count?.total ?? 0 }
    },
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
