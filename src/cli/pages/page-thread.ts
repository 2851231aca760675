/** Entry point of the worker thread that reads what pages show; page-client.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../store/reader.js'
import { createApiQueries } from '../api/api-queries.js'
import type { PageCall, PageReply, PageThreadData } from './page-client.js'
import { createPageQueries } from './page-queries.js'

const { database, config, api } = workerData as PageThreadData
const store = await openReader(database)
const queries = { ...createPageQueries({ store, config }), ...createApiQueries({ store, config: api }) }
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
