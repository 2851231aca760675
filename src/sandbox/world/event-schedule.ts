/** An event that will happen when the world's time reaches it. */
export interface PlannedEvent {
  /** Epoch milliseconds. */
  at: number
  kind: 'open-rfq' | 'turn' | 'amend' | 'decide' | 'reprice'
  /** `org/slug`. */
  channel: string
  /** The RFQ concerned; empty for events of the channel. */
  rfqId: string
  /** How many events of this kind came before; part of the name that seeds the event's random values. */
  n: number
}

/** The planned events in the order in which they will happen. Ties do not depend on the order of insertion. */
export class EventSchedule {
  /** Latest first, so that the earliest can be popped. */
  #events: PlannedEvent[] = []

  get size(): number {
    return this.#events.length
  }
  addAll(events: readonly PlannedEvent[]): void {
    this.#events = [...this.#events, ...events].sort((a, b) => compare(b, a))
  }
  add(event: PlannedEvent): void {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.#events[middle] as PlannedEvent, event) > 0) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
  }
  /**
   * Removes and returns the earliest event if it is due.
   * @param moment epoch milliseconds
   */
  takeDue(moment: number): PlannedEvent | undefined {
    const next = this.#events.at(-1)
    return next && next.at <= moment ? this.#events.pop() : undefined
  }
}

const compare = (a: PlannedEvent, b: PlannedEvent): number => a.at - b.at || (key(a) < key(b) ? -1 : 1)
const key = ({ channel, rfqId, kind, n }: PlannedEvent) => `${channel} ${rfqId} ${kind} ${n}`
