import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { TimeSlice } from '../../core/time-slice.js'
import type { Sqlite } from './sqlite.js'

/** A write waits so many times as long as the last commit and its flush took: then they take a small part of all time. */
const COMMIT_SHARE = 20
/** How long a write may wait for others that share its commit, in milliseconds. */
const MAX_WAIT_MS = 100
/** Writes in one transaction, and how long it may go on taking them, in milliseconds: other processes wait for its end. */
const MAX_GROUP = 64
const MAX_GROUP_MS = 100

interface PendingWrite {
  work: () => Promise<unknown> | unknown
  canWait: boolean
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface WriteQueueOptions {
  /** The writing connection; throws if there is none. */
  writer: () => Sqlite
  /** Repeats an attempt while another process holds the lock. */
  retryWhileBusy: (attempt: () => void) => Promise<void>
  /** Flushes what was committed to disk, without blocking the thread. */
  flush: () => Promise<void>
  /** Converts errors for the callers. */
  toError: (error: unknown) => Error
}

/**
 * Commits writes in groups: those that wait are made in one transaction, one after another, each within a savepoint. An error
 * of one rolls back only that one; none is acknowledged before the commit of all is flushed to disk. Meanwhile others gather.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #waiting: PendingWrite[] = []
  #isWriting = false
  #timer: NodeJS.Timeout | null = null
  #waitMs = 1
  /** Whether the last commit had several writes, or more came during it: then others are likely to come. */
  #hasCompany = false
  #idle: Promise<void> = Promise.resolve()

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  /**
   * Makes a write as soon as those before it have been made.
   * @param work may await `yieldToEventLoop`
   * @param canWait to wait a few milliseconds for other writes, to share their commit; one that comes after a single one does not wait,
   *   because writes that are made one after another would wait in vain
   */
  add<T>(work: () => Promise<T> | T, canWait: boolean): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, canWait, resolve: resolve as (value: unknown) => void, reject })
    })
    if (this.#isReady()) this.#start()
    else if (!this.#isWriting) this.#wait()
    return result
  }

  /** Makes all writes that wait. */
  async flush(): Promise<void> {
    do {
      this.#start()
      await this.#idle
    } while (this.#waiting.length > 0)
  }

  /** Whether those that wait are to be made now. */
  #isReady(): boolean {
    const { length } = this.#waiting
    return length >= MAX_GROUP || (length > 0 && (!this.#hasCompany || this.#waiting.some(({ canWait }) => !canWait)))
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => this.#start(), this.#waitMs)
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#isWriting || this.#waiting.length === 0) return
    this.#isWriting = true
    this.#idle = this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    // Those that are added in the same turn share the first commit.
    await null
    await this.#writeGroup()
    while (this.#isReady()) {
      await yieldToEventLoop()
      await this.#writeGroup()
    }
    this.#isWriting = false
    // They came while the others were committed, and wait in turn: else every commit would have the few that came during the last.
    if (this.#waiting.length > 0) this.#wait()
  }

  /** One transaction. Never rejects. */
  async #writeGroup(): Promise<void> {
    const { retryWhileBusy, flush, toError } = this.#options
    const acknowledge: (() => void)[] = []
    const group: PendingWrite[] = []
    const waitingAtStart = this.#waiting.length
    try {
      const writer = this.#options.writer()
      await retryWhileBusy(() => void writer.exec('begin immediate'))
      const slice = new TimeSlice()
      const end = performance.now() + MAX_GROUP_MS
      for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) {
        group.push(write)
        acknowledge.push(await this.#writeOne(writer, write))
        if (group.length >= MAX_GROUP || performance.now() >= end) break
        if (this.#waiting.length > 0 && slice.isOver) await slice.next()
      }
      const began = performance.now()
      await retryWhileBusy(() => void writer.exec('commit'))
      await flush()
      this.#waitMs = Math.min(MAX_WAIT_MS, COMMIT_SHARE * (performance.now() - began))
    } catch (error) {
      this.#rollBack()
      // Those that were added while it waited for the lock wait as long themselves.
      const failed = group.length > 0 ? group : this.#waiting.splice(0, waitingAtStart)
      for (const { reject } of failed) reject(toError(error))
      return
    }
    this.#hasCompany = group.length > 1 || this.#waiting.length > 0
    for (const each of acknowledge) each()
  }

  /**
   * Makes one write of a group.
   * @returns tells the caller how it went, to be called after the commit
   * @throws an error at which SQLite rolled back the whole transaction
   */
  async #writeOne(writer: Sqlite, { work, resolve, reject }: PendingWrite): Promise<() => void> {
    writer.exec('savepoint write')
    try {
      const result = await work()
      writer.exec('release write')
      return () => resolve(result)
    } catch (error) {
      if (!writer.inTransaction) throw error
      writer.exec('rollback to write; release write')
      return () => reject(this.#options.toError(error))
    }
  }

  #rollBack(): void {
    try {
      const writer = this.#options.writer()
      if (writer.inTransaction) writer.exec('rollback')
    } catch {
      // The database cannot be written at all; the callers get the error that says so.
    }
  }
}
