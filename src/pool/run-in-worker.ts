import { rm } from 'node:fs/promises'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { BuildOptions, BuildProgress } from '../../reports/xlsx/workbook-writer.js'
import type { MadeReport } from '../report-files/made-report.js'
import type { MakeReport, ReportRequest } from '../report-files/make-report.js'
import type { WriteObserver } from '../report-files/report-file.js'

/** What the thread is sent: a report to make, or to cancel the one in progress. */
export type WorkerCommand = { make: { database: string; request: ReportRequest } } | { cancel: true }
/** What the thread sends back. */
export type WorkerMessage =
  | { progress: BuildProgress }
  | { temporary: string }
  | { written: MadeReport; heapBytes: number }
  | { failed: Partial<NodeJS.ErrnoException> }

/**
 * Small limits (MiB) make garbage collection run early: with 5,000 offers and 50,000 lines the whole process takes about
 * 290 MB, or 305 MB where other processes keep the processors busy (test/bench/workbooks.mjs). Nearly all reports fit.
 */
const DEFAULT_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 8 }
/** A thread that waited this long for another report ends, and its memory is released. */
const IDLE_MILLISECONDS = 3 * 60_000
/** A thread with a larger heap is not kept. */
const MAX_IDLE_HEAP_BYTES = 128 * 2 ** 20
/** Reports per thread, so that memory it does not release cannot add up. */
const MAX_REPORTS = 20

interface WorkerOptions {
  /** The compiled report-thread.js. */
  thread: URL
  /** Path or URL of the database, which this process has open. */
  database: string
  /** Memory limits of the first attempt. */
  limits?: ResourceLimits
  /** How long one thread is kept for another report; 0: not at all. */
  idleMilliseconds?: number
  maxReports?: number
}

/** A thread with the number of reports it has made. */
interface Thread {
  worker: Worker
  reports: number
}

/**
 * Makes each report in a worker thread, so that the main thread can keep renewing locks and handling signals. The
 * thread's memory is limited; a report that runs out of memory is retried in a thread without the limit. One idle thread
 * is kept, because starting one and loading its modules takes longer than most reports. It does not keep the process
 * alive, and is replaced after a report that failed and after `maxReports`.
 */
export function makeReportInWorker({
  thread,
  database,
  limits = DEFAULT_LIMITS,
  idleMilliseconds = IDLE_MILLISECONDS,
  maxReports = MAX_REPORTS,
}: WorkerOptions): MakeReport {
  let idle: { thread: Thread; forget: () => void } | null = null
  const discard = ({ worker }: Thread) => {
    worker.on('error', () => undefined)
    void worker.terminate()
  }

  function takeThread(): Thread {
    if (idle === null) return { worker: new Worker(thread, { resourceLimits: limits }), reports: 0 }
    const { thread: kept, forget } = idle
    forget()
    kept.worker.ref()
    return kept
  }

  function keepThread(kept: Thread): void {
    if (idle !== null || idleMilliseconds === 0 || kept.reports >= maxReports) {
      discard(kept)
      return
    }
    const { worker } = kept
    const timer = setTimeout(() => {
      forget()
      discard(kept)
    }, idleMilliseconds)
    const forget = () => {
      clearTimeout(timer)
      worker.off('error', forget).off('exit', forget)
      idle = null
    }
    timer.unref()
    worker.unref()
    worker.on('error', forget).on('exit', forget)
    idle = { thread: kept, forget }
  }

  return async (request, options = {}) => {
    const make = { database, request }
    const taken = takeThread()
    let temporary: string | null = null
    const onTemporary = (path: string) => {
      temporary = path
    }
    try {
      const { written, heapBytes } = await runReport(taken.worker, make, { ...options, onTemporary })
      const used = { ...taken, reports: taken.reports + 1 }
      if (heapBytes > MAX_IDLE_HEAP_BYTES) discard(used)
      else keepThread(used)
      return written
    } catch (error) {
      discard(taken)
      if (!isOutOfMemory(error) || options.signal?.aborted) throw error
      if (temporary !== null) await rm(temporary, { force: true })
      const unlimited = { worker: new Worker(thread), reports: 0 }
      const { written } = await runReport(unlimited.worker, make, options).finally(() => discard(unlimited))
      return written
    }
  }
}

const isOutOfMemory = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

type Written = Extract<WorkerMessage, { written: MadeReport }>

function runReport(
  worker: Worker,
  make: { database: string; request: ReportRequest },
  { signal, onProgress, onTemporary }: BuildOptions & WriteObserver,
): Promise<Written> {
  const send = (command: WorkerCommand) => worker.postMessage(command)
  const cancel = () => send({ cancel: true })
  const listeners = new AbortController()
  const result = new Promise<Written>((resolve, reject) => {
    const onMessage = (message: WorkerMessage) => {
      if ('progress' in message) onProgress?.(message.progress)
      else if ('temporary' in message) onTemporary?.(message.temporary)
      else if ('written' in message) resolve(message)
      else reject(signal?.aborted ? signal.reason : Object.assign(new Error(message.failed.message), message.failed))
    }
    const onExit = (code: number) => reject(new Error(`the report thread exited with code ${code}`))
    worker.on('message', onMessage).on('error', reject).on('exit', onExit)
    listeners.signal.addEventListener('abort', () => {
      worker.off('message', onMessage).off('error', reject).off('exit', onExit)
    })
  })
  send({ make })
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  return result.finally(() => {
    signal?.removeEventListener('abort', cancel)
    listeners.abort()
  })
}
