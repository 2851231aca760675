import type { Timestamp } from '../time/clock.js'
import type { EventKind } from './events.js'

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
/** `dead`: a dead letter, retried only on request. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** The delivery of one event to one target. */
export interface DeliveryRecord {
  id: number
  eventId: string
  /** Sequence number of the event. */
  sequence: number
  kind: EventKind
  channel: string | null
  target: string
  state: DeliveryState
  attempts: number
  createdAt: Timestamp
  attemptedAt: Timestamp | null
  /** Earliest time of the next attempt; null: as soon as possible. */
  nextAt: Timestamp | null
  /** When it was delivered or became a dead letter. */
  settledAt: Timestamp | null
  /** HTTP or SMTP status of the last attempt. */
  status: number | null
  /** Error of the last attempt. */
  error: string | null
}

/** Selects deliveries to send again: undelivered ones; with `ids` or `fromSequence`, delivered ones too. */
export interface RedeliveryFilter {
  ids?: readonly number[]
  /** Only for this target. */
  target?: string
  /** Only events with this sequence number or a higher one. */
  fromSequence?: number
}

/** A notification target with its delivery statistics. */
export interface TargetState {
  target: string
  /** When the service first started with this target configured. */
  since: Timestamp
  /** Consecutive failed attempts that the target caused. */
  failures: number
  retryAt: Timestamp | null
  succeededAt: Timestamp | null
  error: string | null
  pending: number
  dead: number
}

/** The dead letters of one channel for one target. */
export interface DeadLetters {
  channel: string | null
  target: string
  count: number
  /** When the oldest of them became a dead letter. */
  since: Timestamp
}
