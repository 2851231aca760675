import { availableParallelism } from 'node:os'
import { MessageChannel, type ResourceLimits } from 'node:worker_threads'
import pLimit, { type LimitFunction } from 'p-limit'
import { Piscina } from 'piscina'
import type { BuildProgress } from '../../reports/xlsx/workbook.js'
import { UserFacingError } from '../core/user-facing-error.js'
import type { MadeReport, MakeReport } from '../report-files/make-report.js'
import type { Queries } from './queries.js'
import type { Outcome, WorkerData, WorkerTask } from './worker.js'

/** What does heavy work. */
export interface WorkerPool {
  /** Arguments and results are plain data. */
  queries: Queries
  makeReport: MakeReport
  /** Fails the work in progress, and ends the workers. */
  close(): Promise<void>
}

export interface WorkerPoolOptions extends WorkerData {
  /** The compiled worker.js. */
  script: URL
  /** How many queries run at once. */
  size: number
  /** Memory limits of a worker. */
  limits?: ResourceLimits
}

/** The size of a pool that answers users. */
export const poolSizeOfService = (): number => Math.min(3, availableParallelism())

/**
 * Small limits (MiB) make garbage collection run early: with 5,000 offers and 50,000 lines, a process that makes a report takes about
 * 500 MB. Nearly all reports fit.
 */
const DEFAULT_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 8 }
/** How long a worker waits for another task before it ends, in milliseconds. */
const IDLE_MILLISECONDS = 3 * 60_000
/** How long a caller waits for a query, in milliseconds. */
const QUERY_MILLISECONDS = 30_000

/** The work was not done, through no fault of its own. The caller may try again. */
class PoolUnavailableError extends UserFacingError {}

/**
 * Runs queries and makes reports in worker threads, so that the main thread can always beat and answer health checks. A
 * worker starts when it is needed; one that dies fails only its task and is replaced. Reports have a worker of their own, so that queries
 * need not wait for them.
 */
export function createWorkerPool({ script, size, database, config, limits }: WorkerPoolOptions): WorkerPool {
  const unfinished = new Set<AbortController>()
  const abortAll = (reason: Error) => {
    for (const abort of unfinished) abort.abort(reason)
  }
  const startWorkers = (maxThreads: number, resourceLimits?: ResourceLimits) =>
    new Piscina({
      filename: script.href,
      workerData: { database, config } satisfies WorkerData,
      ...{ minThreads: 0, maxThreads, idleTimeout: IDLE_MILLISECONDS },
      // Otherwise an idle worker would not notice that its connection was closed.
      atomics: 'disabled',
      recordTiming: false,
      ...(resourceLimits && { resourceLimits }),
      // A worker died outside of a task: the one that waits for it is not known.
    }).on('error', abortAll)
  const queryWorkers = startWorkers(size, limits ?? DEFAULT_LIMITS)
  const reportWorkers = startWorkers(1, limits ?? DEFAULT_LIMITS)

  // Piscina starts no worker for a task in its own queue after one died.
  const [queryTurns, reportTurns] = [pLimit(size), pLimit(1)]

  /** Runs a task; rejects with the reason of `abort`. */
  async function run(
    turns: LimitFunction,
    workers: Piscina,
    task: WorkerTask,
    abort: AbortController,
  ): Promise<unknown> {
    const { signal } = abort
    signal.throwIfAborted()
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    unfinished.add(abort)
    try {
      const transferList = 'port' in task ? [task.port] : []
      const done = turns((): Promise<Outcome> => {
        signal.throwIfAborted()
        return workers.run(task, { signal, transferList })
      })
      return resultOf(await Promise.race([aborted, done]))
    } finally {
      unfinished.delete(abort)
    }
  }

  async function query(name: string, args: readonly unknown[]): Promise<unknown> {
    const abort = new AbortController()
    const message = `the answer took longer than ${QUERY_MILLISECONDS / 1000} s; try again later`
    const timer = setTimeout(() => abort.abort(new PoolUnavailableError(message)), QUERY_MILLISECONDS)
    return run(queryTurns, queryWorkers, { query: name, args }, abort).finally(() => clearTimeout(timer))
  }

  const makeReport: MakeReport = async (report, { signal, onProgress } = {}) => {
    const abort = new AbortController()
    const cancel = () => abort.abort(signal?.reason)
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) cancel()
    const makeIn = async (workers: Piscina) => {
      const { port1, port2: port } = new MessageChannel()
      port1.on('message', (progress: BuildProgress) => onProgress?.(progress))
      return (await run(reportTurns, workers, { report, port }, abort).finally(() => port1.close())) as MadeReport
    }
    try {
      return await makeIn(reportWorkers).catch(async (error: unknown) => {
        if (!isOutOfMemory(error)) throw error
        const unlimited = startWorkers(1)
        return await makeIn(unlimited).finally(() => unlimited.destroy())
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }

  const queries = new Proxy({} as Queries, {
    get: (_target, name) =>
      // An object with a method `then` would be taken for a promise.
      name === 'then' ? undefined : (...args: unknown[]) => query(String(name), args),
  })
  return {
    queries,
    makeReport,
    async close() {
      abortAll(new PoolUnavailableError('the service is stopping'))
      await Promise.all([queryWorkers.destroy(), reportWorkers.destroy()])
    },
  }
}

const isOutOfMemory = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'

function resultOf(outcome: Outcome): unknown {
  if ('result' in outcome) return outcome.result
  throw Object.assign(new Error(outcome.error.message), outcome.error)
}
