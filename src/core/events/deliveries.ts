import type { Timestamp } from '../time/clock.js'
import type { EventKind } from './events.js'

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
/** `dead`: a dead letter, which is sent again only on request. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One event for one target. */
export interface DeliveryRecord {
  id: number
  eventId: string
  /** Of the event. */
  sequence: number
  kind: EventKind
  channel: string | null
  target: string
  state: DeliveryState
  attempts: number
  createdAt: Timestamp
  attemptedAt: Timestamp | null
  /** Not sent before; null: at once. */
  nextAt: Timestamp | null
  settledAt: Timestamp | null
  /** Of the newest attempt: the HTTP or SMTP status, and what went wrong. */
  status: number | null
  error: string | null
}

export interface DeliveryFilter {
  /** Default: those that were not delivered. */
  states?: readonly DeliveryState[]
  target?: string
  /** Only those with a smaller id. */
  before?: number
  limit?: number
  /** Default `oldest-first`. */
  order?: 'oldest-first' | 'newest-first'
}

/** Which deliveries to send again: what was not delivered, or with `ids` or `from` also what was. */
export interface Redelivery {
  ids?: readonly number[]
  /** Only for this target. */
  target?: string
  /** Of events from this sequence on. */
  from?: number
}

/** A target of notifications, and how sending to it goes. */
export interface TargetState {
  target: string
  /** When the service was first started with it. */
  since: Timestamp
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
  /** When the first of them was given up. */
  since: Timestamp
}
