/** Entry point of the worker thread that makes reports, one at a time; run-in-worker.ts starts it and sends it commands. */
import { getHeapStatistics } from 'node:v8'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { makeReportInProcess } from '../report-files/make-report.js'
import { openDatabase } from '../store/open-database.js'
import type { WorkerCommand, WorkerMessage } from './run-in-worker.js'

const port = parentPort as MessagePort
const send = (message: WorkerMessage) => port.postMessage(message)
let cancellation = new AbortController()

port.on('message', (command: WorkerCommand) => {
  if ('cancel' in command) cancellation.abort(new Error('the report was cancelled'))
  else void handle(command.make)
})

type Make = Extract<WorkerCommand, { make: object }>['make']

async function handle(make: Make): Promise<void> {
  cancellation = new AbortController()
  try {
    const written = await makeReport(make)
    send({ written, heapBytes: getHeapStatistics().total_heap_size })
  } catch (error) {
    send({ failed: toPlainError(error) })
  }
}

async function makeReport({ database, request }: Make) {
  const store = await openDatabase({ database, create: false, checked: true, readOnlyIfNeeded: true, connections: 2 })
  try {
    return await makeReportInProcess(store)(request, {
      signal: cancellation.signal,
      onProgress: (progress) => send({ progress }),
      onTemporary: (temporary) => send({ temporary }),
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
