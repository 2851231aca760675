/** A map that forgets what was not used for longest when it holds more than `max` values. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.#add(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#add(key, value)
    if (this.#values.size <= this.#max) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }

  /** Moves it to the end: a Map iterates in the order in which keys were added. */
  #add(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
  }
}
