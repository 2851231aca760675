import type {
  DeadLetters,
  DeliveryRecord,
  DeliveryState,
  RedeliveryFilter,
  TargetState,
} from '../../core/events/deliveries.js'
import type { EventData, EventFilter, EventKind, EventPage, EventRecord } from '../../core/events/events.js'

/** An event that no run observed. */
export interface NewEvent {
  kind: EventKind
  at: Date
  channel: string | null
  /** The RFQ of the event, whose facts are added to the data. */
  rfqId?: string
  /** Identifies what happened: only one event with a key is ever recorded. Default: the event is always recorded. */
  key?: readonly string[]
  data: EventData
}

/** An open RFQ with a due date. */
export interface OpenRfq {
  rfqId: string
  dueDate: string
}

/** A claim to send the events of one message until `until`. */
export interface Claim {
  target: string
  /** The same at every attempt. */
  messageId: string
  events: EventRecord[]
  /** Attempts of this message, including this one. */
  attempt: number
  /** Consecutive failed attempts because of the target. */
  failures: number
  holder: string
  until: Date
}

/**
 * The result of an attempt. `stopped`: unknown, because the process was stopped. `target`: the target cannot be reached or used; `message`: it
 * rejects this message.
 */
export type AttemptEnd =
  | { kind: 'delivered' | 'stopped' }
  | {
      kind: 'failed'
      because: 'target' | 'message'
      status: number | null
      error: string
      retryAt: Date
      /**
       * A message that was first rejected before this moment becomes a dead letter. If the target has failed since before it, so do all
       * deliveries that have waited for the target since before it.
       */
      deadBefore: Date
    }

/** All events of a database, in the order of their commits. */
export interface EventFeed {
  events(filter: EventFilter): Promise<EventPage>
}

/** Events and their deliveries (docs/NOTIFICATIONS.md). */
export interface Outbox {
  /** Records an event. Returns false if an event with the same key exists. */
  recordEvent(event: NewEvent): Promise<boolean>
  /** Open RFQs of a channel that are not missing and due by a day (YYYY-MM-DD), in the order of their ids. */
  openRfqsDue(channel: string, upTo: string): Promise<OpenRfq[]>
  /** Records that RFQs are due soon or overdue, once for each RFQ and due date. */
  recordDueRfqs(
    kind: 'rfq.due-soon' | 'rfq.overdue',
    channel: string,
    rfqs: readonly OpenRfq[],
    now: Date,
  ): Promise<void>
  /**
   * Sets the configured targets. A new target gets only later events. Targets that are no longer configured are deleted, and their pending
   * deliveries become dead letters.
   */
  setTargets(targets: readonly string[], now: Date): Promise<void>
  /**
   * Creates the deliveries of new events.
   * @param targetsOf returns the targets of an event
   * @returns how many deliveries were created
   */
  routeEvents(targetsOf: (event: EventRecord) => readonly string[], now: Date): Promise<number>
  /**
   * Claims the oldest message that is due for a target. Events of a run are due when it has ended, or has lost its lease because its process
   * died. Only one process has a claim on a target at a time; the claim of a process that died expires.
   * @param claim.maxEvents the maximum number of events in a message
   * @returns null if nothing is due, or another process sends to the target
   */
  claimMessage(claim: { target: string; holder: string; maxEvents: number; now: Date }): Promise<Claim | null>
  /** Records the result of an attempt, and releases the claim. */
  endAttempt(claim: Claim, end: AttemptEnd, now: Date): Promise<void>
  /** Oldest first; default: those that are pending, and dead letters. */
  deliveries(filter: { states?: readonly DeliveryState[] }): Promise<DeliveryRecord[]>
  /** By channel and target. */
  deadLetters(): Promise<DeadLetters[]>
  targetStates(): Promise<TargetState[]>
  /**
   * Sends deliveries again as soon as possible, with a new period of attempts. Skips deliveries to targets that are no longer configured.
   * @returns the ids of the deliveries
   */
  retryDeliveries(which: RedeliveryFilter, now: Date): Promise<number[]>
}
