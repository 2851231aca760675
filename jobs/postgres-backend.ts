import { createPostgresBackend, Queue, Worker } from 'bullmq'
import pRetry from 'p-retry'
import pg from 'pg'
import { type BackendOptions, QUEUE_NAME, type QueueBackend } from './queue-backend.js'

/**
 * The way to PostgreSQL, by BullMQ's own backend. Its objects never recover from a server that is absent when they are
 * made, so the server is waited for first.
 * @param options.startMs how long to wait for the server, in milliseconds
 * @throws Error of the driver where it does not answer, or refuses, in that time
 */
export async function openPostgresBackend(options: BackendOptions & { startMs: number }): Promise<QueueBackend> {
  const { url: connectionString, prefix: schema, responseTimeoutMs: answerMs } = options
  await pRetry(() => greet(connectionString, options.startMs), {
    retries: 10,
    minTimeout: 200,
    maxTimeout: 1_000,
    maxRetryTime: options.startMs,
    shouldRetry: ({ error }) => !isRefusal(error),
  })
  const settings = { connectionString, schema, connectionTimeoutMillis: answerMs, query_timeout: 6 * answerMs }
  return {
    queue: () => new Queue(QUEUE_NAME, { connection: { ...settings, max: 2, migrate: true } }, createPostgresBackend),
    worker: (process, worker) =>
      new Worker(QUEUE_NAME, process, { ...worker, connection: settings }, createPostgresBackend),
    disconnect: () => undefined, // Closing ends its pools; a server that hangs is left to the end of the process.
  }
}

async function greet(connectionString: string, startMs: number): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: startMs })
  client.on('error', () => undefined) // Told by connect and end.
  try {
    await client.connect()
  } finally {
    await client.end()
  }
}

/** Wrong user, password or database (SQLSTATE classes 28 and 3D): waiting will not help. */
function isRefusal(error: Error): boolean {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(28|3D)/.test(code)
}
