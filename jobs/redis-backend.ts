import { Queue, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { type BackendOptions, QUEUE_NAME, type QueueBackend } from './queue-backend.js'

/**
 * The way to Redis. Two kinds of connection: a producer's, which gives up on a command after a moment, and a worker's,
 * whose commands wait until Redis is there again, as BullMQ asks.
 */
export function openRedisBackend({
  url,
  prefix,
  responseTimeoutMs: answerMs,
  onReconnect: onBack,
}: BackendOptions): QueueBackend {
  const opened: Redis[] = []
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>): Redis => {
    const client = new Redis(url, { ...reconnecting, ...options, replyMapping: 'legacy' })
    const duplicate = client.duplicate.bind(client)
    // BullMQ makes its blocking connection this way: kept, so that none outlives `disconnect`.
    return keep(Object.assign(client, { duplicate: (override?: RedisOptions) => keep(duplicate(override) as Redis) }))
  }
  const keep = (client: Redis): Redis => {
    opened.push(client)
    tellWhenBack(client, onBack)
    return client
  }
  return {
    queue() {
      const connection = connect({ maxRetriesPerRequest: 2, commandTimeout: answerMs })
      return new Queue(QUEUE_NAME, { connection, prefix })
    },
    worker(process, options) {
      const connection = connect({ maxRetriesPerRequest: null })
      return new Worker(QUEUE_NAME, process, { ...options, connection, prefix })
    },
    disconnect() {
      for (const client of opened) disconnectForGood(client)
    },
  }
}

const reconnecting = {
  connectTimeout: 5_000,
  /** A server that hangs does not answer a goodbye either. */
  disconnectTimeout: 200,
  retryStrategy: (times: number) => Math.min(100 * 2 ** times, 3_000) * (0.75 + Math.random() / 2),
  /** After a fail-over the old master only reads: connect anew, then send again (2). */
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions

/** BullMQ may be about to reconnect a client whose server hung: after this nobody can. */
function disconnectForGood(client: Redis): void {
  client.options.retryStrategy = () => null
  client.connect = () => Promise.reject(new Error('Connection is closed.'))
  client.disconnect()
}

function tellWhenBack(client: Redis, onBack: () => void): void {
  let lost = false
  client.on('reconnecting', () => {
    lost = true
  })
  client.on('ready', () => {
    if (lost) onBack()
    lost = false
  })
}
