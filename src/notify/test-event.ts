import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../core/events/events.js'

/** The event that `quotekeeper notify --test` sends. It is not recorded. */
export const testEvent = (now: Date): EventRecord => ({
  sequence: 0,
  id: `evt_${randomUUID().replaceAll('-', '')}`,
  kind: 'notify.test',
  at: now.toISOString(),
  channel: null,
  rfqId: null,
  offerId: null,
  version: null,
  runId: null,
  data: {},
})
