import { StoreError } from '../errors.js'
import type { CopySide } from './copy-side.js'

/** A table that is copied row by row. */
export interface CopiedTable {
  name: string
  /** The columns that pages are ordered by. */
  key: readonly string[]
  /** Orders rows with the same key; absent if keys are unique. */
  ties?: readonly string[]
}

/**
 * All copied tables, each after those that it references. `meta` is copied separately. `request_limits`, which is valid for seconds
 * only, and the list of `migrations` are not copied.
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
  { name: 'events', key: ['sequence'] },
  { name: 'deliveries', key: ['id'] },
  { name: 'delivery_targets', key: ['target'] },
  { name: 'reports', key: ['id'] },
  { name: 'settings', key: ['hash'] },
  { name: 'settings_in_force', key: ['number'] },
  { name: 'recommendations', key: ['number'] },
  { name: 'rfq_rows', key: ['channel', 'rfq_id'] },
  { name: 'rfq_listings', key: ['channel', 'rfq_id', 'listing_id'] },
  { name: 'rfq_names', key: ['channel', 'rfq_id', 'name'] },
  { name: 'dirty_rfqs', key: ['channel', 'rfq_id'] },
  { name: 'awards', key: ['id'] },
  { name: 'award_files', key: ['award_id'] },
  { name: 'exchange_rates', key: ['currency', 'date', 'fetched_at'] },
]

/** Columns whose numbers are never reused. */
export const NUMBERED: readonly { table: string; column: string }[] = [
  { table: 'runs', column: 'id' },
  { table: 'close_intents', column: 'id' },
  { table: 'deliveries', column: 'id' },
  { table: 'reports', column: 'id' },
  { table: 'settings_in_force', column: 'number' },
  { table: 'recommendations', column: 'number' },
]

/** Columns that only PostgreSQL has, computed from others. */
const COMPUTED = new Set(['versions.document'])

/**
 * The columns that are copied.
 * @throws StoreError if the databases differ in columns other than computed ones
 */
export async function columnsOf(table: CopiedTable, sides: readonly [CopySide, CopySide]): Promise<string[]> {
  const [one, other] = (await Promise.all(sides.map((side) => side.columnsOf(table.name)))) as [string[], string[]]
  const different = [
    ...one.filter((column) => !other.includes(column)),
    ...other.filter((column) => !one.includes(column)),
  ].filter((column) => !COMPUTED.has(`${table.name}.${column}`))
  if (different.length > 0)
    throw new StoreError(
      `The databases differ in columns of ${table.name}: ${different.join(', ')}. Nothing was copied.`,
    )
  return one.filter((column) => other.includes(column) && !COMPUTED.has(`${table.name}.${column}`))
}
