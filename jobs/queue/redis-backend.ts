import { type Processor, Queue, Worker, type WorkerOptions } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { QueueUnavailableError } from '../errors.js'

/** The name of the only queue, without the prefix. */
const QUEUE_NAME = 'jobs'

interface BackendOptions {
  url: string
  /** Of all keys. */
  prefix: string
  /** How long to wait for a response, in milliseconds. */
  responseTimeoutMs: number
  /** Called when a lost connection is established again. */
  onReconnect: () => void
}

/** Opens the queue, and workers on it. */
export type RedisBackend = ReturnType<typeof openRedisBackend>

/**
 * Opens the Redis backend of BullMQ, with two kinds of connections: commands of a producer fail after a timeout; commands of a worker
 * wait until Redis is available again, as BullMQ requires.
 */
export function openRedisBackend({ url, prefix, responseTimeoutMs, onReconnect }: BackendOptions) {
  const clients: Redis[] = []
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>): Redis => {
    const client = new Redis(url, { ...RECONNECT_OPTIONS, ...options, replyMapping: 'legacy' })
    const duplicate = client.duplicate.bind(client)
    // BullMQ duplicates the client for its blocking connection; track that one too, so that `disconnect` ends it.
    return track(Object.assign(client, { duplicate: (override?: RedisOptions) => track(duplicate(override) as Redis) }))
  }
  const track = (client: Redis): Redis => {
    clients.push(client)
    // BullMQ reports errors, but removes its listener when it closes; ioredis prints errors that nobody listens to.
    client.on('error', () => undefined)
    notifyReconnect(client, onReconnect)
    return client
  }
  const producer = connect({ maxRetriesPerRequest: 2, commandTimeout: responseTimeoutMs })
  return {
    queue: () => new Queue(QUEUE_NAME, { connection: producer, prefix }),
    worker(process: Processor, options: Omit<WorkerOptions, 'connection' | 'prefix'>) {
      const connection = connect({ maxRetriesPerRequest: null })
      return new Worker(QUEUE_NAME, process, { ...options, connection, prefix })
    },
    /** @throws QueueUnavailableError with the remedy if Redis may delete jobs when its memory is full */
    async requireNoEviction(): Promise<void> {
      const policy = /^maxmemory_policy:(\S+)/m.exec(await producer.info('memory'))?.[1] ?? 'noeviction'
      if (policy === 'noeviction') return
      throw new QueueUnavailableError(
        `the queue at ${queueAddress(url)} may lose jobs, because Redis deletes keys when its memory is full (maxmemory-policy ${policy}): ` +
          'set maxmemory-policy to noeviction in the configuration of Redis',
      )
    },
    /** Ends every connection at once, without waiting for replies. */
    disconnect() {
      for (const client of clients) disconnectPermanently(client)
    },
  }
}

const RECONNECT_OPTIONS = {
  connectTimeout: 5_000,
  /** Short, because a hanging server does not confirm the end of a connection either. */
  disconnectTimeout: 200,
  retryStrategy: (times: number) => Math.min(100 * 2 ** times, 3_000) * (0.75 + Math.random() / 2),
  /** After a fail-over the old master is read-only: reconnect, then resend the command (2). */
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions

/** Also prevents BullMQ from reconnecting a client whose server hung. */
function disconnectPermanently(client: Redis): void {
  client.options.retryStrategy = () => null
  client.connect = () => Promise.reject(new Error('Connection is closed.'))
  client.disconnect()
}

function notifyReconnect(client: Redis, onReconnect: () => void): void {
  let lost = false
  client.on('reconnecting', () => {
    lost = true
  })
  client.on('ready', () => {
    if (lost) onReconnect()
    lost = false
  })
}

/** The address of a queue without user and password, for messages. */
export function queueAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
