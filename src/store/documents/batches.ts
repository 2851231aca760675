import { setTimeout as wait } from 'node:timers/promises'

/**
 * After each batch, the next one waits this multiple of its duration for more items, so that transactions take a limited share of the time. It
 * does not wait after a batch of one item, because items that are added one after another would only be delayed.
 */
const WAIT_SHARE = 2
const MAX_WAIT_MS = 100
/** The maximum number of items in a transaction. */
const MAX_ITEMS = 24
/** The maximum total weight of the items in a transaction. */
const MAX_WEIGHT = 8 * 2 ** 20

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

interface BatchOptions<Item, Result> {
  /** Writes a batch in one transaction; an error means that nothing was written. */
  write: (items: readonly Item[]) => Promise<Result[]>
  /** A batch has at most one item of each name. */
  nameOf: (item: Item) => string
  weightOf: (item: Item) => number
  /** Whether an error affects all items, so that retrying each item alone is useless. */
  concernsAll: (error: unknown) => boolean
}

/**
 * Writes items in batches, one after another. Items that are added while a batch is written form the next one. If a batch fails, each item is
 * retried alone, so that an error of one item does not affect the others.
 */
export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #isWriting = false

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => this.#waiting.push({ item, resolve, reject }))
    if (!this.#isWriting) void this.#writeAll()
    return result
  }

  get isIdle(): boolean {
    return !this.#isWriting
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true
    // So that items added in the same tick share the first batch.
    await null
    while (this.#waiting.length > 0) {
      const began = performance.now()
      const batch = this.#takeBatch()
      await this.#writeBatch(batch)
      const wasShared = batch.length > 1 || this.#waiting.length > 0
      const took = performance.now() - began
      if (wasShared && this.#waiting.length < MAX_ITEMS) await wait(Math.min(MAX_WAIT_MS, WAIT_SHARE * took))
    }
    this.#isWriting = false
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const names = new Set<string>()
    const batch: Waiting<Item, Result>[] = []
    const rest: Waiting<Item, Result>[] = []
    let weight = 0
    for (const each of this.#waiting) {
      const name = this.#options.nameOf(each.item)
      weight += this.#options.weightOf(each.item)
      const fits = batch.length === 0 || (weight <= MAX_WEIGHT && batch.length < MAX_ITEMS)
      // Items of one name are written in the order in which they were added.
      if (fits && !names.has(name)) batch.push(each)
      else rest.push(each)
      names.add(name)
    }
    this.#waiting = rest
    return batch
  }

  async #writeBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { write, concernsAll } = this.#options
    try {
      const results = await write(batch.map(({ item }) => item))
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
    } catch (error) {
      if (batch.length === 1 || concernsAll(error)) {
        for (const { reject } of batch) reject(error)
      } else for (const each of batch) await this.#writeBatch([each])
    }
  }
}
