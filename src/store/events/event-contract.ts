import type {
  EventData,
  EventFilter,
  EventKind,
  EventPage,
  EventRecord,
  TargetState,
} from '../../core/events/events.js'

/** An event that no run observed. */
export interface NewEvent {
  kind: EventKind
  at: Date
  channel: string | null
  /** The RFQ of the event, whose facts are added to the data. */
  rfqId?: string
  /** Identifies what happened: only one event with a kind and key is ever recorded. Default: the event is always recorded. */
  key?: readonly string[]
  data: EventData
}

/** An open RFQ with a due date. */
export interface OpenRfq {
  rfqId: string
  dueDate: string
}

/** All events of a database, in the order of their commits. */
export interface EventFeed {
  events(filter: EventFilter): Promise<EventPage>
}

/** Records what no poll or closing round observes. */
export interface EventLog {
  /** Records events together, except those whose key is known. */
  recordEvents(events: readonly NewEvent[]): Promise<void>
  /** Open RFQs of a channel that are not missing and due by a day (YYYY-MM-DD), in the order of their ids. */
  openRfqsDue(channel: string, upTo: string): Promise<OpenRfq[]>
}

/** A target, and which events it takes; those without a channel always. `channels` null: of all. */
interface TargetChoice {
  name: string
  kinds: readonly EventKind[]
  channels: readonly string[] | null
}

/** A page of the feed that this process may send to a target. */
export interface TargetPage {
  target: string
  /** At least one. */
  events: readonly [EventRecord, ...EventRecord[]]
  /** The position of the target, and the one after this page. */
  position: number
  next: number
  /** Consecutive failed attempts. */
  failures: number
}

/**
 * How an attempt to send a page ended. `stopped`: not known. `refused`: the target refuses the content, and never gets it. `failed`: the
 * target has an outage; once it has lasted since `outageBefore`, events before that moment are passed over.
 */
export type PageEnd =
  | { kind: 'delivered' | 'stopped' }
  | { kind: 'refused'; error: string }
  | { kind: 'failed'; error: string; retryAt: Date; outageBefore: Date }

/** The targets of notifications, and their positions in the feed (docs/NOTIFICATIONS.md). */
export interface Targets {
  /** Sets the configured targets. A new one starts at the end of the feed; others lose their positions. */
  setTargets(targets: readonly TargetChoice[], now: Date): Promise<void>
  /**
   * Takes the next page of a target, which no other process can take until `endPage`, or until this process has not called `renewHold` for
   * 15 seconds.
   * @param request.limit the maximum number of events
   * @param request.upTo only what comes before the first event after this moment; null: everything
   * @returns null if nothing waits, the target may not be tried yet, or another process sends to it
   */
  takePage(request: { target: string; limit: number; upTo: Date | null; now: Date }): Promise<TargetPage | null>
  /** Tells other processes that this one still sends to a target. */
  renewHold(target: string): Promise<void>
  /**
   * Records how an attempt ended, and lets other processes take the next page. Changes no position that was set meanwhile.
   * @returns how many events were passed over
   */
  endPage(page: TargetPage, end: PageEnd, now: Date): Promise<number>
  /**
   * Sets the position of a target, so that it gets everything from a sequence on, and forgets its failures and what was passed over.
   * @returns false if the service was not started with this target
   */
  setPosition(target: string, from: number): Promise<boolean>
  targetStates(): Promise<TargetState[]>
}
