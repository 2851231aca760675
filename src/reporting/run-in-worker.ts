import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { BuildOptions, BuildProgress } from '../../reports/xlsx/workbook-writer.js'
import type { MadeReport, MakeReport, ReportRequest } from './make-report.js'

/** What the thread is started with. */
export interface WorkerInput {
  database: string
  request: ReportRequest
}
/** What the thread sends back. */
export type WorkerMessage =
  | { progress: BuildProgress }
  | { written: MadeReport }
  | { failed: Partial<NodeJS.ErrnoException> }

/**
 * Small limits (MiB) make garbage collection run early: with 5,000 offers and 50,000 lines the whole process stays below
 * 300 MB (test/bench/workbooks.mjs). Nearly all reports fit.
 */
const DEFAULT_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 8 }

/**
 * Makes each report in a worker thread, so that the main thread can keep renewing locks and handling signals. The
 * thread's memory is limited, and released when it ends; a report that runs out of memory is retried without the limit.
 * @param thread the compiled report-thread.js
 * @param database path of the database file, which this process has open
 * @param limits memory limits of the first attempt
 */
export const makeReportInWorker =
  ({
    thread,
    database,
    limits = DEFAULT_LIMITS,
  }: {
    thread: URL
    database: string
    limits?: ResourceLimits
  }): MakeReport =>
  async (request, options = {}) => {
    const data = { database, request }
    try {
      return await runWorker(new Worker(thread, { workerData: data, resourceLimits: limits }), options)
    } catch (error) {
      if (!isOutOfMemory(error) || options.signal?.aborted) throw error
      return runWorker(new Worker(thread, { workerData: data }), options)
    }
  }

const isOutOfMemory = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

function runWorker(worker: Worker, { signal, onProgress }: BuildOptions): Promise<MadeReport> {
  const cancel = () => worker.postMessage('cancel')
  const result = new Promise<MadeReport>((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('progress' in message) onProgress?.(message.progress)
      else if ('written' in message) resolve(message.written)
      else reject(signal?.aborted ? signal.reason : Object.assign(new Error(message.failed.message), message.failed))
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the report thread exited with code ${code}`)))
  })
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  return result.finally(() => signal?.removeEventListener('abort', cancel))
}
