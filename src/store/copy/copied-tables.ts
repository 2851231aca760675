import { StoreError } from '../errors.js'
import type { CopySide } from './copy-side.js'

/** A table that is copied row by row. */
export interface CopiedTable {
  name: string
  /** Columns by which it is read in pages. */
  key: readonly string[]
  /** What orders rows with one key; none if keys are unique. */
  ties?: readonly string[]
}

/**
 * All tables except `meta` and `counters`, referred ones first. What is of use for seconds only (`request_limits`, `recommendation_lease`) or describes the
 * schema (`migrations`) is not copied.
 */
export const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'runs', key: ['id'] },
  { name: 'channels', key: ['channel'] },
  { name: 'documents', key: ['channel', 'kind', 'rfq_id', 'id'] },
  { name: 'versions', key: ['channel', 'kind', 'rfq_id', 'id', 'version'] },
  {
    name: 'absences',
    key: ['channel', 'kind', 'rfq_id', 'id', 'missing_since'],
    ties: ['not_before', `coalesce(returned_at, '')`, 'run_id'],
  },
  { name: 'problems', key: ['channel', 'kind', 'entity_id', 'path', 'code'] },
  { name: 'close_decisions', key: ['id'] },
  { name: 'close_decision_repeats', key: ['decision_id'] },
  { name: 'close_intents', key: ['id'] },
  { name: 'approval_plans', key: ['plan_id'] },
  { name: 'maintenance', key: ['task'] },
  { name: 'first_polls', key: ['channel'] },
  { name: 'recorded_moments', key: ['id'] },
  { name: 'events', key: ['sequence'] },
  { name: 'deliveries', key: ['id'] },
  { name: 'delivery_targets', key: ['target'] },
  { name: 'reports', key: ['id'] },
  { name: 'settings', key: ['hash'] },
  { name: 'settings_in_force', key: ['number'] },
  { name: 'recommendations', key: ['number'] },
  { name: 'rfq_rows', key: ['channel', 'rfq_id'] },
  { name: 'offer_listings', key: ['channel', 'listing_id', 'rfq_id'] },
  { name: 'rfq_names', key: ['channel', 'name', 'rfq_id'] },
  { name: 'dirty_rfqs', key: ['channel', 'rfq_id'] },
  { name: 'awards', key: ['id'] },
  { name: 'award_files', key: ['award_id'] },
  { name: 'exchange_rates', key: ['currency', 'date', 'fetched_at'] },
]

/** Columns that number rows, whose numbers are never given out twice. */
export const NUMBERED: readonly { table: string; column: string }[] = [
  { table: 'runs', column: 'id' },
  { table: 'close_intents', column: 'id' },
  { table: 'recorded_moments', column: 'id' },
  { table: 'deliveries', column: 'id' },
  { table: 'reports', column: 'id' },
  { table: 'settings_in_force', column: 'number' },
  { table: 'recommendations', column: 'number' },
]

/** Columns that PostgreSQL has alone, computed from others. */
const COMPUTED = new Set(['versions.document'])

/** The columns that are copied: those that both databases have. */
export async function columnsOf(table: CopiedTable, sides: readonly [CopySide, CopySide]): Promise<string[]> {
  const [one, other] = (await Promise.all(sides.map((side) => side.columnsOf(table.name)))) as [string[], string[]]
  const different = [
    ...one.filter((column) => !other.includes(column)),
    ...other.filter((column) => !one.includes(column)),
  ].filter((column) => !COMPUTED.has(`${table.name}.${column}`))
  // A migration of one engine without its counterpart.
  if (different.length > 0)
    throw new StoreError(
      `The databases differ in columns of ${table.name}: ${different.join(', ')}. Nothing was copied.`,
    )
  return one.filter((column) => other.includes(column) && !COMPUTED.has(`${table.name}.${column}`))
}
