import type { BindOptions, QueueDatabase } from '../contract.js'
import { QueueDatabaseError } from '../errors.js'
import { otherDatabaseMessage, parseQueueDatabase } from './queue-database.js'
import type { RedisBackend } from './redis-backend.js'

/** Calls the queue with a time-out. */
type Call = <T>(operation: () => Promise<T>) => Promise<T>

interface Options {
  backend: RedisBackend
  address: string
  call: Call
  /** How often to look whether the queue still belongs to the database, in milliseconds. */
  checkEveryMs: number
}

/**
 * The bond between a queue and the database of this process. The database is kept with the queue and named in every job, so
 * that a process with another database is refused, also after the queue was emptied: a running process binds it again,
 * and a job of another database is never run.
 */
export class QueueBinding {
  readonly #options: Options
  #database: QueueDatabase | null = null
  /** Whether this process may bind a queue that belongs to no database: it did so, or saw that it belongs to its own. */
  #mayClaim = false
  #onLost: (error: QueueDatabaseError) => void = () => undefined
  #timer: NodeJS.Timeout | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** The id that jobs of this process carry; undefined before `bind`. */
  get databaseId(): string | undefined {
    return this.#database?.id
  }

  async bind(database: QueueDatabase, { adopt = false, claim = true, onLost }: BindOptions): Promise<void> {
    const { backend, call, checkEveryMs } = this.#options
    if (adopt) await call(() => backend.keepDatabaseText(JSON.stringify(database), { replace: true }))
    this.#mayClaim = claim
    this.#database = database
    await this.verify()
    if (onLost) this.#onLost = onLost
    this.#timer ??= setInterval(() => void this.#watch(), checkEveryMs).unref()
  }

  /**
   * Binds an emptied queue again.
   * @throws QueueDatabaseError if the queue belongs to another database
   */
  async verify(): Promise<void> {
    const { backend, call } = this.#options
    const database = this.#database
    if (database === null) return
    const text = await call(async () => {
      const kept = await backend.databaseText()
      if (kept !== null || !this.#mayClaim) return kept
      return backend.keepDatabaseText(JSON.stringify(database), { replace: false })
    })
    if (text === null) return
    const bound = parseQueueDatabase(text)
    this.#mayClaim = bound.id === database.id
    if (!this.#mayClaim) throw this.#otherDatabase(bound, database)
  }

  /**
   * What to do with a job: run it; refuse it as a remnant, if this process has adopted the queue since; or leave it to the
   * processes of the other database, if the queue is theirs (`onLost` is called then) or does not answer.
   * @param id of the database that the job names; undefined for a job that names none
   */
  async judge(id: string | undefined): Promise<'run' | 'refuse' | 'leave'> {
    const database = this.#database
    if (id === undefined || database === null || id === database.id) return 'run'
    try {
      await this.verify()
      if (this.#mayClaim) return 'refuse'
      this.#lose(this.#otherDatabase({ id, path: 'unknown', host: 'unknown' }, database))
    } catch (error) {
      if (error instanceof QueueDatabaseError) this.#lose(error)
    }
    return 'leave'
  }

  /** Stops the periodic check. */
  close(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  async #watch(): Promise<void> {
    try {
      await this.verify()
    } catch (error) {
      // A queue that does not answer is reported by whoever needs it.
      if (error instanceof QueueDatabaseError) this.#lose(error)
    }
  }

  #lose(error: QueueDatabaseError): void {
    this.close()
    this.#onLost(error)
  }

  #otherDatabase(bound: QueueDatabase, own: QueueDatabase): QueueDatabaseError {
    return new QueueDatabaseError(otherDatabaseMessage(this.#options.address, bound, own))
  }
}
