import { setTimeout as wait } from 'node:timers/promises'

/**
 * A batch waits for others so many times as long as the last one took, so that what many share takes a small part of all time; not after
 * one that was alone, because items that are added one after another would wait in vain.
 */
const WAIT_SHARE = 2
const MAX_WAIT_MS = 100
/** Items that share one transaction. */
const MAX_ITEMS = 24
/** How much they may weigh together. */
const MAX_WEIGHT = 8 * 2 ** 20

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

interface BatchOptions<Item, Result> {
  /** Makes the writes of a batch in one transaction; an error means that nothing was written. */
  write: (items: readonly Item[]) => Promise<Result[]>
  /** Two items with one name are never in one batch. */
  nameOf: (item: Item) => string
  weightOf: (item: Item) => number
  /** Whether an error concerns all items, so that it is of no use to write each by itself. */
  concernsAll: (error: unknown) => boolean
}

/**
 * Writes items in batches, one batch after another: those that wait while one is written make up the next. If a batch fails, each
 * of its items is written by itself, so that an error of one does not concern the others.
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
    // Those that are added in the same turn share the first batch.
    await null
    while (this.#waiting.length > 0) {
      const began = performance.now()
      const batch = this.#takeBatch()
      await this.#writeBatch(batch)
      const hadCompany = batch.length > 1 || this.#waiting.length > 0
      const took = performance.now() - began
      if (hadCompany && this.#waiting.length < MAX_ITEMS) await wait(Math.min(MAX_WAIT_MS, WAIT_SHARE * took))
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
      // What waits for another one of its name keeps its place before later ones.
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
