import { Worker } from 'node:worker_threads'
import type { ApiConfig } from '../views/api-queries.js'
import type { ThreadQueries } from './thread-queries.js'

export interface PageThreadData {
  /** Path or URL of the database, which this process has open. */
  database: string
  config: ApiConfig
}

/** A call of one query, and its result. */
export interface PageCall {
  id: number
  name: keyof ThreadQueries
  args: unknown[]
}
export type PageReply =
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string; stack?: string } }

/** Milliseconds. */
interface Limits {
  /** How long a caller waits for a query. The thread goes on, so that the next caller finds what it read. */
  call: number
  /** How long a query may take before its thread is replaced. */
  thread: number
}
const DEFAULT_LIMITS: Limits = { call: 30_000, thread: 180_000 }
const MEMORY = { maxOldGenerationSizeMb: 512 }

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/**
 * Runs queries in a worker thread with its own connection, so that the service's event loop never waits for a page. The
 * thread starts with the first query, and again after it failed.
 */
export function queryInThread(
  script: URL,
  data: PageThreadData,
  limits = DEFAULT_LIMITS,
): { queries: ThreadQueries; close(): Promise<void> } {
  const pending = new Map<number, Pending>()
  /** Queries that nobody waits for any more, with the timer that replaces their thread. */
  const abandoned = new Map<number, NodeJS.Timeout>()
  let worker: Worker | null = null
  let calls = 0

  function start(): Worker {
    const started = new Worker(script, { workerData: data, resourceLimits: MEMORY })
    started.unref()
    started.on('message', (reply: PageReply) => settle(reply))
    started.on('error', (error) => fail(started, error))
    started.on('exit', (code) => fail(started, new Error(`the thread that reads pages exited with code ${code}`)))
    return started
  }

  function settle(reply: PageReply): void {
    clearTimeout(abandoned.get(reply.id))
    abandoned.delete(reply.id)
    const call = pending.get(reply.id)
    if (call === undefined) return
    pending.delete(reply.id)
    clearTimeout(call.timer)
    if ('error' in reply) call.reject(Object.assign(new Error(reply.error.message), reply.error))
    else call.resolve(reply.result)
  }

  function fail(failed: Worker, error: Error): void {
    if (worker !== failed) return
    worker = null
    forgetAbandoned()
    for (const [id, { reject, timer }] of pending) {
      clearTimeout(timer)
      pending.delete(id)
      reject(error)
    }
    void failed.terminate()
  }

  function abandon(id: number, used: Worker, error: Error): void {
    pending.get(id)?.reject(error)
    pending.delete(id)
    const replace = setTimeout(() => fail(used, error), limits.thread - limits.call)
    abandoned.set(id, replace.unref())
  }

  function forgetAbandoned(): void {
    for (const timer of abandoned.values()) clearTimeout(timer)
    abandoned.clear()
  }

  function call(name: keyof ThreadQueries, args: unknown[]): Promise<unknown> {
    worker ??= start()
    const used = worker
    const id = ++calls
    return new Promise((resolve, reject) => {
      // Throws if an argument cannot be sent; then nothing is pending.
      used.postMessage({ id, name, args } satisfies PageCall)
      const late = () => abandon(id, used, new Error(`reading took longer than ${limits.call / 1000} s (${name})`))
      pending.set(id, { resolve, reject, timer: setTimeout(late, limits.call) })
    })
  }

  const queries = new Proxy({} as ThreadQueries, {
    get: (_target, name) =>
      // An object with a method `then` would be taken for a promise.
      name === 'then' ? undefined : (...args: unknown[]) => call(name as keyof ThreadQueries, args),
  })
  return {
    queries,
    async close() {
      const ended = worker
      worker = null
      forgetAbandoned()
      for (const { timer, reject } of pending.values()) {
        clearTimeout(timer)
        reject(new Error('the service is stopping'))
      }
      pending.clear()
      await ended?.terminate()
    },
  }
}
