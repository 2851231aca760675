import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { MessageChannel, type ResourceLimits, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { MadeReport, MakeReport, ReportRequest } from '../report-files/make-report.js'
import type { Queries } from './queries.js'
import type { Outcome, ReportMessage, WorkerData, WorkerTask } from './worker.js'

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
  /** How many tasks run at once. */
  size: number
  /** Memory limits of a worker. */
  limits?: ResourceLimits
  /** How long a worker waits for another task before it ends. */
  idleMilliseconds?: number
}

/** The size of a pool that answers users: a worker for each processor, and one more, so that reads need not wait. */
export const poolSizeOfService = (): number => Math.min(4, availableParallelism() + 1)

/**
 * Small limits (MiB) make garbage collection run early: with 5,000 offers and 50,000 lines, a process that makes a report takes about
 * 500 MB. Nearly all reports fit.
 */
const DEFAULT_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 8 }
const IDLE_MILLISECONDS = 3 * 60_000
/** How long a caller waits for a query, in milliseconds. */
const QUERY_MILLISECONDS = 30_000

/** The work was not done, through no fault of its own. The caller may try again. */
class UnavailableError extends Error {
  override name = 'UnavailableError'
}

interface Task {
  /** It may take seconds. */
  isHeavy: boolean
  start: () => void
}

/**
 * Runs queries and makes reports in worker threads, so that the main thread can always renew leases and answer health checks. A
 * worker starts when it is needed; one that dies fails only its task and is replaced. Tasks start in the order in which they came, but heavy
 * ones never take the last worker, so that reads need not wait for them.
 */
export function createWorkerPool({ script, size, database, config, ...options }: WorkerPoolOptions): WorkerPool {
  const { limits = DEFAULT_LIMITS, idleMilliseconds = IDLE_MILLISECONDS } = options
  const waiting: Task[] = []
  const running = new Set<Task>()
  /** What waits or runs, by what ends it. */
  const unfinished = new Map<AbortController, Promise<unknown>>()
  const abortAll = (reason: Error) => {
    for (const abort of unfinished.keys()) abort.abort(reason)
  }
  const startWorkers = (more: ConstructorParameters<typeof Piscina>[0]) =>
    new Piscina({
      filename: script.href,
      workerData: { database, config } satisfies WorkerData,
      minThreads: 0,
      // Otherwise an idle worker would not notice that its connection was closed.
      atomics: 'disabled',
      recordTiming: false,
      ...more,
      // A worker died outside of a task: the one that waits for it is not known.
    }).on('error', abortAll)
  const workers = startWorkers({ maxThreads: size, idleTimeout: idleMilliseconds, resourceLimits: limits })

  function startWaiting(): void {
    while (running.size < size) {
      const heavy = [...running].filter(({ isHeavy }) => isHeavy).length
      const index = waiting.findIndex(({ isHeavy }) => !isHeavy || heavy < Math.max(1, size - 1))
      const [task] = index === -1 ? [] : waiting.splice(index, 1)
      if (task === undefined) return
      running.add(task)
      task.start()
    }
  }

  async function inTurn<T>(heavy: boolean, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const task: Task = { isHeavy: heavy, start: () => undefined }
    const turn = new Promise<void>((resolve, reject) => {
      task.start = resolve
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    waiting.push(task)
    startWaiting()
    try {
      await turn
      return await work()
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      running.delete(task)
      if (waiting.includes(task)) waiting.splice(waiting.indexOf(task), 1)
      startWaiting()
    }
  }

  /** Does work in its turn; rejects with the reason of `abort`. */
  function schedule<T>(heavy: boolean, abort: AbortController, work: () => Promise<T>): Promise<T> {
    const result = inTurn(heavy, abort.signal, work).finally(() => unfinished.delete(abort))
    unfinished.set(abort, result)
    return result
  }

  async function query(name: string, args: readonly unknown[]): Promise<unknown> {
    const abort = new AbortController()
    const message = `the answer took longer than ${QUERY_MILLISECONDS / 1000} s; try again later`
    const late = () => abort.abort(new UnavailableError(message))
    const timer = setTimeout(late, QUERY_MILLISECONDS)
    const task: WorkerTask = { query: name, args }
    return schedule(isHeavy(name, args), abort, () => workers.run(task, { signal: abort.signal }))
      .then(resultOf)
      .finally(() => clearTimeout(timer))
  }

  const makeReport: MakeReport = async (report, { signal, ...options } = {}) => {
    const abort = new AbortController()
    const cancel = () => abort.abort(signal?.reason)
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) cancel()
    const makeIn = (pool: Piscina) => makeReportIn(pool, report, { ...options, signal: abort.signal })
    return schedule(true, abort, async () => {
      try {
        return await makeIn(workers)
      } catch (error) {
        if (!isOutOfMemory(error) || abort.signal.aborted) throw error
        const unlimited = startWorkers({ maxThreads: 1 })
        return await makeIn(unlimited).finally(() => unlimited.destroy())
      }
    }).finally(() => signal?.removeEventListener('abort', cancel))
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
      abortAll(new UnavailableError('the service is stopping'))
      await Promise.allSettled(unfinished.values())
      await workers.destroy()
    },
  }
}

const isOutOfMemory = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

function resultOf(outcome: Outcome): unknown {
  if ('result' in outcome) return outcome.result
  throw Object.assign(new Error(outcome.error.message), outcome.error)
}

/** Makes a report in a worker; removes the temporary file of one that dies. */
async function makeReportIn(
  workers: Piscina,
  report: ReportRequest,
  { signal, onProgress }: NonNullable<Parameters<MakeReport>[1]>,
): Promise<MadeReport> {
  const { port1: port, port2 } = new MessageChannel()
  const known: { worker?: Worker | undefined; temporary?: string; made?: MadeReport } = {}
  const receive = (message: ReportMessage) => {
    if ('progress' in message) {
      onProgress?.(message.progress)
      return
    }
    known.worker ??= workers.threads.find(({ threadId }) => threadId === message.threadId)
    if ('temporary' in message) known.temporary = message.temporary
    else {
      known.made = message.made
      void known.worker?.terminate()
    }
  }
  port.on('message', receive)
  const task: WorkerTask = { report, port: port2 }
  try {
    const outcome: Outcome = await workers
      .run(task, { signal: signal ?? null, transferList: [port2] })
      .catch(async (error) => {
        if (known.made !== undefined) return { result: known.made }
        for (let left = receiveMessageOnPort(port); left !== undefined; left = receiveMessageOnPort(port))
          receive(left.message)
        await known.worker?.terminate()
        if (known.temporary !== undefined) await rm(known.temporary, { force: true })
        throw error
      })
    return resultOf(outcome) as MadeReport
  } finally {
    port.close()
  }
}

/** Queries that compare offers or read many documents. */
const HEAVY_QUERIES: readonly string[] = [
  'comparison',
  'offer',
  'prices',
  'prepareAward',
  'rfqClosing',
] satisfies (keyof Queries)[]

/** Operations of the API that do. */
const HEAVY_OPERATIONS: readonly unknown[] = ['compareOffers', 'readOffer']

/** Whether a query may take seconds: it compares offers, reads many documents, or computes what was known at a past moment. */
function isHeavy(name: string, args: readonly unknown[]): boolean {
  if (HEAVY_QUERIES.includes(name)) return true
  if (name !== 'apiRead') return isPast(args[0])
  const [operation, request] = args as Parameters<Queries['apiRead']>
  return HEAVY_OPERATIONS.includes(operation) || isPast(request.query)
}

const isPast = (filter: unknown): boolean => ['asOf', 'as_of'].some((key) => Object(filter)[key] !== undefined)
