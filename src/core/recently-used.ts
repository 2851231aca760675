/** An LRU cache: evicts the least recently used values when the sum of their weights exceeds `max`. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>()
  readonly #max: number
  readonly #weightOf: (value: Value) => number
  #weight = 0

  /** @param weightOf of a value, which does not change. Default: each weighs 1 */
  constructor(max: number, weightOf: (value: Value) => number = () => 1) {
    this.#max = max
    this.#weightOf = weightOf
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    // At the end: a Map iterates in the order in which keys were added.
    this.#delete(key)
    this.#values.set(key, value)
    this.#weight += this.#weightOf(value)
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#max) return
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#weight -= this.#weightOf(value)
  }
}
