/** Entry point of the worker thread that reads what pages show; page-client.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabaseReader } from '../store/open-database.js'
import type { PageCall, PageReply, PageThreadData } from './page-client.js'
import { createThreadQueries } from './thread-queries.js'

const { database, config } = workerData as PageThreadData
const store = await openDatabaseReader(database)
const queries = createThreadQueries(store, config)
const send = (reply: PageReply) => parentPort?.postMessage(reply)

parentPort?.on('message', async ({ id, name, args }: PageCall) => {
  try {
    const call = queries[name] as (...args: unknown[]) => Promise<unknown>
    send({ id, result: await call(...args) })
  } catch (error) {
    const { name: kind, message, stack } = error as Error
    send({ id, error: { name: kind, message, ...(stack === undefined ? {} : { stack }) } })
  }
})
