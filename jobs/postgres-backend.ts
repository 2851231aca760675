import { createPostgresBackend, Queue, Worker } from 'bullmq'
import pRetry from 'p-retry'
import pg from 'pg'
import { isPooled, sharesSessions } from '../src/store/postgres/pooler.js'
import { isAway } from '../src/store/postgres/postgres-errors.js'
import { QueueUnavailableError } from './errors.js'
import { type BackendOptions, QUEUE_NAME, type QueueBackend, queueAddress } from './queue-backend.js'

/**
 * Opens the PostgreSQL backend of BullMQ. Its objects never recover if the server is down when they are created, so
 * this waits for the server first.
 * @param options.startMs how long to wait for the server, in milliseconds
 * @throws Error of the driver if the server does not answer in that time, or rejects the connection; QueueUnavailableError behind a
 *   pooler that does not keep the settings of connections
 */
export async function openPostgresBackend(options: BackendOptions & { startMs: number }): Promise<QueueBackend> {
  const { url: connectionString, prefix: schema, responseTimeoutMs, startMs } = options
  await pRetry(() => connectOnce(connectionString, schema, startMs), {
    retries: 10,
    minTimeout: 200,
    maxTimeout: 1_000,
    maxRetryTime: startMs,
    shouldRetry: ({ error }) => !isRejected(error),
  })
  const settings = {
    connectionString,
    schema,
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: 6 * responseTimeoutMs,
  }
  const queue = new Queue(QUEUE_NAME, { connection: { ...settings, max: 2, migrate: true } }, createBackend)
  const databaseText = () => queue.getBackend().getQueueMetaField(DATABASE_FIELD)
  return {
    queue: () => queue,
    worker: (process, options) => new Worker(QUEUE_NAME, process, { ...options, connection: settings }, createBackend),
    databaseText,
    keepDatabaseText: (text, { replace }) =>
      // BullMQ can only overwrite a field, so one process at a time reads and writes it.
      withAdvisoryLock(
        { connectionString, query_timeout: responseTimeoutMs },
        `${schema}:${DATABASE_FIELD}`,
        async () => {
          const kept = replace ? null : await databaseText()
          if (kept === null) await queue.getBackend().setQueueMeta({ [DATABASE_FIELD]: text })
          return kept ?? text
        },
      ),
    disconnect: () => undefined, // Closing ends the pools; connections to a hanging server end with the process.
  }
}

/**
 * BullMQ repeats what ends a job until its server answers, but knows only the errors of connections to Redis. Otherwise a job that ended
 * during an outage would count as running until it is stalled, and others of its channel would wait for it.
 */
const createBackend: typeof createPostgresBackend = (...parameters) => {
  const backend = createPostgresBackend(...parameters)
  const repeatable = (error: Error) => {
    if (!isAway(error) && error.message !== 'Query read timeout') throw error
    backend.emit('error', error)
    throw Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' })
  }
  const moveToCompleted = backend.moveToCompleted.bind(backend)
  const moveToFailed = backend.moveToFailed.bind(backend)
  backend.moveToCompleted = (...job) => moveToCompleted(...job).catch(repeatable)
  backend.moveToFailed = (...job) => moveToFailed(...job).catch(repeatable)
  return backend
}

const DATABASE_FIELD = 'quotekeeper.database'

/** Runs the work while no other session holds the lock of this name. The lock ends with its connection. */
async function withAdvisoryLock<T>(settings: pg.ClientConfig, name: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...settings, connectionTimeoutMillis: settings.query_timeout })
  client.on('error', () => undefined) // The query and end() report it too.
  try {
    await client.connect()
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    return await work()
  } finally {
    await client.end()
  }
}

async function connectOnce(connectionString: string, schema: string, timeoutMs: number): Promise<void> {
  // As BullMQ does, whose queries do not name the schema.
  const searchPath = `"${schema}"`
  const config = { connectionString, options: `-c search_path=${searchPath}` }
  const client = new pg.Client({ ...config, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  client.on('error', () => undefined) // connect() and end() report it too.
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number; path: string }>(
      `select pg_backend_pid() as pid, current_setting('search_path') as path`,
    )
    const isKept = rows[0]?.path === searchPath
    if (!isKept || (isPooled(client, rows[0]?.pid ?? 0) && (await sharesSessions(client, config)) === true))
      throw losesSettings(connectionString)
  } catch (error) {
    throw isStartupParameterRefused(error) ? losesSettings(connectionString) : error
  } finally {
    await client.end()
  }
}

const isStartupParameterRefused = (error: unknown) =>
  error instanceof pg.DatabaseError && error.message.startsWith('unsupported startup parameter')

const losesSettings = (connectionString: string) =>
  new QueueUnavailableError(
    `the queue at ${queueAddress(connectionString)} is behind a pooler, such as PgBouncer, that does not keep the settings of ` +
      'connections: name PostgreSQL itself in "queue"',
  )

/** A pooler, or wrong user, password or database (SQLSTATE classes 28 and 3D): waiting does not help. */
function isRejected(error: Error): boolean {
  if (error instanceof QueueUnavailableError) return true
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(28|3D)/.test(code)
}
