import type { EventRecord } from '../../core/events/events.js'
import { fromStoredText } from '../documents/stored-text.js'

/** A row of `events`. */
export interface EventRow {
  sequence: number
  id: string
  kind: EventRecord['kind']
  at: string
  channel: string | null
  rfq_id: string | null
  offer_id: string | null
  version: number | null
  run_id: number | null
  data: string
}

export const toEvent = (row: EventRow): EventRecord => ({
  sequence: row.sequence,
  id: row.id,
  kind: row.kind,
  at: row.at,
  channel: row.channel,
  rfqId: row.rfq_id === null ? null : fromStoredText(row.rfq_id),
  offerId: row.offer_id === null ? null : fromStoredText(row.offer_id),
  version: row.version,
  runId: row.run_id,
  data: JSON.parse(row.data) as EventRecord['data'],
})
