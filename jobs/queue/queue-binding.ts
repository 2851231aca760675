import { hostname } from 'node:os'
import { z } from 'zod'
import type { Store } from '../../src/store/contract.js'
import { isPostgresUrl } from '../../src/store/postgres/postgres-url.js'
import type { BindOptions, QueueDatabase } from '../contract.js'
import { QueueDatabaseError } from '../errors.js'
import type { RedisBackend } from './redis-backend.js'

/** Calls the queue with a timeout. */
type Call = <T>(operation: () => Promise<T>) => Promise<T>

interface Options {
  backend: RedisBackend
  address: string
  call: Call
  /** Interval of the check that the queue still belongs to the database, in milliseconds. */
  checkEveryMs: number
}

/**
 * Binds a queue to the database of this process. The database is stored with the queue and named in every job, so that processes with
 * another database are rejected, even after the queue was emptied: a running process binds it again, and a job of another database
 * never runs.
 */
export class QueueBinding {
  readonly #options: Options
  #database: QueueDatabase | null = null
  /** Whether this process may bind a queue without a database: it did so before, or the queue belonged to its own. */
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
   * Decides whether to run a job: `run` it; `refuse` it if it was left from before this process adopted the queue; or `leave` it to the
   * processes of the other database if the queue belongs to them (`onLost` is called then) or does not answer.
   * @param id database that the job names; undefined if it names none
   */
  async checkOwner(id: string | undefined): Promise<'run' | 'refuse' | 'leave'> {
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
      // Callers that need the queue report that it does not answer.
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

/** The database of this process, as stored with the queue. */
export const queueDatabase = async (store: Pick<Store, 'identity' | 'name'>): Promise<QueueDatabase> => ({
  id: await store.identity(),
  path: store.name,
  host: hostname(),
})

const schema = z.object({ id: z.string(), path: z.string(), host: z.string() })

/** Parses the database stored with a queue; text that this version cannot parse is an unknown database. */
export function parseQueueDatabase(text: string): QueueDatabase {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return { id: 'unknown', path: 'unknown', host: 'unknown' }
  }
}

/** A message that names the two databases and the remedy. */
export function otherDatabaseMessage(address: string, bound: QueueDatabase, own: QueueDatabase): string {
  return (
    `the queue at ${address} belongs to the database ${describe(bound)}, but this process uses ${describe(own)}: ` +
    'set `database` to the same database in all processes on this queue; or, if the database was replaced on purpose, ' +
    'stop all of them and start one with --adopt-queue'
  )
}

/** A URL already contains its host. */
const describe = ({ id, path, host }: QueueDatabase) =>
  isPostgresUrl(path) ? `${path} (id ${id})` : `${path} on ${host} (id ${id})`
