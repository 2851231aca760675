import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { WrittenFile } from '../../reports/report-file.js'
import type { BuildOptions, BuildProgress } from '../../reports/xlsx/workbook-writer.js'
import type { MakeReport, ReportRequest } from './make-report.js'

/** What a thread is started with. */
export interface WorkerInput {
  database: string
  order: ReportRequest
}
/** What it tells. */
export type WorkerMessage =
  | { progress: BuildProgress }
  | { written: WrittenFile }
  | { failed: Partial<NodeJS.ErrnoException> }

/**
 * With so little room (MiB) the garbage of a large report is collected early: 5,000 offers with 50,000 lines stay within
 * 300 MB of the whole process (test/bench/workbooks.mjs). Nearly all reports fit.
 */
const ROOM = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 8 }

/**
 * Makes each report in a thread of its own: this one goes on renewing locks and hearing signals, and what a report takes
 * of memory is bounded, and given back at its end. One that does not fit is begun again with all there is.
 * @param thread the compiled report-thread.js
 * @param database path of the database file, which this process has open
 * @param room of the thread, at first
 */
export const makeReportInWorker =
  ({ thread, database, room = ROOM }: { thread: URL; database: string; room?: ResourceLimits }): MakeReport =>
  async (order, making = {}) => {
    const data = { database, order }
    try {
      return await runWorker(new Worker(thread, { workerData: data, resourceLimits: room }), making)
    } catch (error) {
      if (!isOutOfMemory(error) || making.signal?.aborted) throw error
      return runWorker(new Worker(thread, { workerData: data }), making)
    }
  }

const isOutOfMemory = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

function runWorker(worker: Worker, { signal, onProgress }: BuildOptions): Promise<WrittenFile> {
  const giveUp = () => worker.postMessage('stop')
  const made = new Promise<WrittenFile>((resolve, reject) => {
    worker.on('message', (message: WorkerMessage) => {
      if ('progress' in message) onProgress?.(message.progress)
      else if ('written' in message) resolve(message.written)
      else reject(signal?.aborted ? signal.reason : Object.assign(new Error(message.failed.message), message.failed))
    })
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the thread that made a report ended with ${code}`)))
  })
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  return made.finally(() => signal?.removeEventListener('abort', giveUp))
}
