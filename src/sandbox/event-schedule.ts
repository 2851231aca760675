/** Something that will happen by itself. Plain data, so that it can be saved. */
export interface Plan {
  /** Epoch milliseconds. */
  at: number
  kind: 'open-rfq' | 'turn' | 'amend' | 'decide' | 'reprice'
  /** `org/slug`. */
  channel: string
  /** The RFQ it concerns; empty for the channel. */
  rfqId: string
  /** How many of the kind there were before: part of the name that chance goes by. */
  n: number
}

/** What will happen, in the order in which it will. The order of what happens at once does not depend on who put it in. */
export class Agenda {
  /** Latest first. */
  #plans: Plan[] = []

  get size(): number {
    return this.#plans.length
  }
  /** Earliest first. */
  get plans(): Plan[] {
    return this.#plans.toReversed()
  }
  addAll(plans: readonly Plan[]): void {
    this.#plans = [...this.#plans, ...plans].sort((one, other) => compare(other, one))
  }
  add(plan: Plan): void {
    let low = 0
    let high = this.#plans.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(this.#plans[middle] as Plan, plan) > 0) low = middle + 1
      else high = middle
    }
    this.#plans.splice(low, 0, plan)
  }
  /** Takes the earliest plan that is due, if one is. */
  takeDue(moment: number): Plan | undefined {
    const next = this.#plans.at(-1)
    return next && next.at <= moment ? this.#plans.pop() : undefined
  }
  clear(): void {
    this.#plans = []
  }
}

const compare = (one: Plan, other: Plan): number => one.at - other.at || (key(one) < key(other) ? -1 : 1)
const key = ({ channel, rfqId, kind, n }: Plan) => `${channel} ${rfqId} ${kind} ${n}`
