import { hostname } from 'node:os'
import { z } from 'zod'
import type { Store } from '../../src/store/contract.js'
import { isPostgresUrl } from '../../src/store/postgres/postgres-url.js'
import type { QueueDatabase } from '../contract.js'

/** The database of this process, as it is kept with the queue. */
export const queueDatabase = async (store: Pick<Store, 'identity' | 'name'>): Promise<QueueDatabase> => ({
  id: await store.identity(),
  path: store.name,
  host: hostname(),
})

const schema = z.object({ id: z.string(), path: z.string(), host: z.string() })

/** Reads what is kept with a queue; what this version cannot read counts as an unknown database. */
export function parseQueueDatabase(text: string): QueueDatabase {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return { id: 'unknown', path: 'unknown', host: 'unknown' }
  }
}

/** Which two databases differ, and what to do. */
export function otherDatabaseMessage(address: string, bound: QueueDatabase, own: QueueDatabase): string {
  return (
    `the queue at ${address} belongs to the database ${describe(bound)}, but this process uses ${describe(own)}: ` +
    'set `database` to the same database in all processes on this queue; or, if the database was replaced on purpose, ' +
    'stop all of them and start one with --adopt-queue'
  )
}

/** A URL names its host itself. */
const describe = ({ id, path, host }: QueueDatabase) =>
  isPostgresUrl(path) ? `${path} (id ${id})` : `${path} on ${host} (id ${id})`
