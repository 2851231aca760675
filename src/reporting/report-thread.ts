/** Entry point of the worker thread that makes one report; started by run-in-worker.ts, which it sends messages to. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../store/store.js'
import { makeReportInProcess } from './make-report.js'
import type { WorkerInput, WorkerMessage } from './run-in-worker.js'

const port = parentPort as MessagePort
const send = (message: WorkerMessage) => port.postMessage(message)
const cancellation = new AbortController()
port.on('message', () => cancellation.abort(new Error('the report was cancelled')))
try {
  send({ written: await makeReport(workerData as WorkerInput) })
} catch (error) {
  send({ failed: toPlainError(error) })
} finally {
  port.close()
}

async function makeReport({ database, request }: WorkerInput) {
  const store = await openStore({ path: database, create: false, checked: true, readOnlyIfNeeded: true })
  try {
    return await makeReportInProcess(store)(request, {
      signal: cancellation.signal,
      onProgress: (progress) => send({ progress }),
    })
  } finally {
    await store.close()
  }
}

/** Copies what error messages are made from; the class itself cannot be sent to another thread. */
function toPlainError(error: unknown): Partial<NodeJS.ErrnoException> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack, code, syscall, path } = error as NodeJS.ErrnoException
  return { name, message, stack, code, syscall, path } as Partial<NodeJS.ErrnoException>
}
