import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { TimeSlice } from '../../core/time/time-slice.js'
import type { Sqlite } from './sqlite.js'

/** The maximum number of writes in a transaction, and for how long it accepts them, in milliseconds, because other processes wait for it. */
const MAX_GROUP = 64
const MAX_GROUP_MS = 100

interface PendingWrite {
  work: () => Promise<unknown> | unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface WriteQueueOptions {
  /** The writing connection; throws if there is none. */
  writer: () => Sqlite
  /** Retries while another process holds the lock. */
  retryWhileBusy: (attempt: () => void) => Promise<void>
  /** Flushes what was committed to disk, without blocking the thread. */
  flush: () => Promise<void>
  /** Converts errors for the callers. */
  toError: (error: unknown) => Error
}

/**
 * Commits writes in groups. The writes that wait run in one transaction, each in a savepoint, so that an error rolls back only that write.
 * Writes are acknowledged after the commit is flushed to disk; new writes wait in the meantime.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #waiting: PendingWrite[] = []
  #isWriting = false
  #idle: Promise<void> = Promise.resolve()

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  /**
   * Runs a write after all earlier writes.
   * @param work may await `yieldToEventLoop`
   */
  add<T>(work: () => Promise<T> | T): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
    })
    if (!this.#isWriting) {
      this.#isWriting = true
      this.#idle = this.#writeAll()
    }
    return result
  }

  /** Resolves when no write waits any more. */
  async flush(): Promise<void> {
    while (this.#isWriting) await this.#idle
  }

  async #writeAll(): Promise<void> {
    // So that writes added in the same tick share the first commit.
    await null
    while (this.#waiting.length > 0) {
      await this.#writeGroup()
      await yieldToEventLoop()
    }
    this.#isWriting = false
  }

  /** Runs one transaction. Never rejects. */
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
      await retryWhileBusy(() => void writer.exec('commit'))
      await flush()
    } catch (error) {
      this.#rollBack()
      // Writes added while this waited for the lock get their own wait.
      const failed = group.length > 0 ? group : this.#waiting.splice(0, waitingAtStart)
      for (const { reject } of failed) reject(toError(error))
      return
    }
    for (const each of acknowledge) each()
  }

  /**
   * Runs one write of a group.
   * @returns a function that resolves or rejects the write, to be called after the commit
   * @throws an error after which SQLite rolled back the whole transaction
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
      // The database cannot be written at all; the callers get that error.
    }
  }
}
