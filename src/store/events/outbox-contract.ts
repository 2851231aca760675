import type {
  DeadLetters,
  DeliveryFilter,
  DeliveryRecord,
  Redelivery,
  TargetState,
} from '../../core/events/deliveries.js'
import type { EventData, EventFilter, EventKind, EventPage, EventRecord } from '../../core/events/events.js'

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

/** An open RFQ with a due date. */
export interface OpenRfq {
  rfqId: string
  dueDate: string
}

/** The events of one message, which this process may send until `until`. */
export interface Claim {
  target: string
  /** The same at every attempt. */
  messageId: string
  events: EventRecord[]
  /** Attempts of this message, including this one. */
  attempt: number
  /** Attempts in a row that failed because of the target. */
  failures: number
  holder: string
  until: Date
}

/**
 * How an attempt ended. `stopped`: unknown, because the process was stopped. `target`: the target cannot be reached or used;
 * `message`: it rejects this message.
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
       * A message that was rejected since before this moment becomes a dead letter. If the target has failed since before it,
       * so does everything that has waited for the target since before it.
       */
      deadBefore: Date
    }

/** All events of a database, in the order in which they were committed. */
export interface EventFeed {
  events(filter: EventFilter): Promise<EventPage>
}

/** Events and their deliveries (docs/NOTIFICATIONS.md). */
export interface Outbox {
  /** Records an event. Returns false if one with its key is recorded already. */
  recordEvent(event: NewEvent): Promise<boolean>
  /** Present open RFQs of a channel with a due date up to a day (YYYY-MM-DD), in the order of their ids. */
  openRfqsDue(channel: string, upTo: string): Promise<OpenRfq[]>
  /** Records that RFQs are due soon or overdue: once for each RFQ and due date. */
  recordDueRfqs(
    kind: 'rfq.due-soon' | 'rfq.overdue',
    channel: string,
    rfqs: readonly OpenRfq[],
    now: Date,
  ): Promise<void>
  /**
   * Makes the configured targets known: a new one gets only later events. The others are forgotten, and what waits for them
   * becomes dead letters.
   */
  setTargets(targets: readonly string[], now: Date): Promise<void>
  /**
   * Creates the deliveries of events that have none yet.
   * @param targetsOf the targets of an event
   * @returns how many deliveries
   */
  routeEvents(targetsOf: (event: EventRecord) => readonly string[], now: Date): Promise<number>
  /**
   * Takes the oldest message that is due for a target. Events of a run are due when it has ended, or lost its lease because its
   * process died. Only one process has a claim on a target at a time; a claim of a process that died ends by itself.
   * @param claim.maxEvents of one message
   * @param claim.maxBursts of one message: events, or many that people are told of as one (core/event-bursts.ts)
   * @returns null if nothing is due, or another process sends to the target
   */
  claimMessage(claim: {
    target: string
    holder: string
    maxEvents: number
    maxBursts: number
    now: Date
  }): Promise<Claim | null>
  /** Records how an attempt ended, and gives the claim back. */
  endAttempt(claim: Claim, end: AttemptEnd, now: Date): Promise<void>
  deliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>
  /** By channel and target. */
  deadLetters(): Promise<DeadLetters[]>
  targetStates(): Promise<TargetState[]>
  /**
   * Sends deliveries again as soon as possible, with a new period of attempts. Those for a target that is no longer configured
   * stay as they are, because nothing would send them.
   * @returns the ids found
   */
  retryDeliveries(which: Redelivery, now: Date): Promise<number[]>
}
