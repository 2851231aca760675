/** The thread that makes one report: started by report-apart.ts, told by its messages how it goes. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../store/store.js'
import { makeReportInProcess } from './make-report.js'
import type { WorkerInput, WorkerMessage } from './run-in-worker.js'

const port = parentPort as MessagePort
const tell = (message: WorkerMessage) => port.postMessage(message)
const stop = new AbortController()
port.on('message', () => stop.abort(new Error('the report was given up')))
try {
  tell({ written: await make(workerData as WorkerInput) })
} catch (error) {
  tell({ failed: plain(error) })
} finally {
  port.close()
}

async function make({ database, order }: WorkerInput) {
  const store = await openStore({ path: database, create: false, checked: true })
  try {
    return await makeReportInProcess(store)(order, {
      signal: stop.signal,
      onProgress: (progress) => tell({ progress }),
    })
  } finally {
    await store.close()
  }
}

/** What people are told of an error goes by these; its class stays behind. */
function plain(error: unknown): Partial<NodeJS.ErrnoException> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack, code, syscall, path } = error as NodeJS.ErrnoException
  return { name, message, stack, code, syscall, path } as Partial<NodeJS.ErrnoException>
}
