import type { EventData, EventKind } from '../domain/events.js'

/** An event that no run observed. */
export interface NewEvent {
  kind: EventKind
  at: Date
  channel: string | null
  /** What events say of it is added. */
  rfqId?: string
  /** What happened: an event with the same key is recorded once only. Default: each is recorded. */
  key?: readonly string[]
  data: EventData
}

/** Events and their deliveries (docs/NOTIFICATIONS.md). */
export interface Outbox {
  /** Records an event. Returns false if one with its key is recorded already. */
  recordEvent(event: NewEvent): Promise<boolean>
}
