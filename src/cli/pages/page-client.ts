import { Worker } from 'node:worker_threads'
import type { ApiConfig } from '../api/api-queries.js'
import type { ThreadQueries } from './thread-queries.js'

export interface PageThreadData {
  /** Path of the database file, which this process has open. */
  database: string
  config: ApiConfig
}

/** A call of one query, and what came of it. */
export interface PageCall {
  id: number
  name: keyof ThreadQueries
  args: unknown[]
}
export type PageReply =
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string; stack?: string } }

/** How long a query may take before its thread is replaced, in milliseconds. */
const MAX_MILLISECONDS = 30_000
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
export function queryInThread(script: URL, data: PageThreadData): { queries: ThreadQueries; close(): Promise<void> } {
  const pending = new Map<number, Pending>()
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
    for (const [id, { reject, timer }] of pending) {
      clearTimeout(timer)
      pending.delete(id)
      reject(error)
    }
    void failed.terminate()
  }

  function call(name: keyof ThreadQueries, args: unknown[]): Promise<unknown> {
    worker ??= start()
    const used = worker
    const id = ++calls
    return new Promise((resolve, reject) => {
      const late = () => fail(used, new Error(`reading took longer than ${MAX_MILLISECONDS / 1000} s (${name})`))
      pending.set(id, { resolve, reject, timer: setTimeout(late, MAX_MILLISECONDS) })
      used.postMessage({ id, name, args } satisfies PageCall)
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
      for (const { timer, reject } of pending.values()) {
        clearTimeout(timer)
        reject(new Error('the service is stopping'))
      }
      pending.clear()
      await ended?.terminate()
    },
  }
}
