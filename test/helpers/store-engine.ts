import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import pg from 'pg'
import { inject } from 'vitest'
import type { Store } from '../../src/store/contract.js'
import { openPostgresReader } from '../../src/store/postgres/reader.js'
import { openPostgresStore } from '../../src/store/postgres/store.js'
import { openReader } from '../../src/store/reader.js'
import { openStore, type StoreOptions } from '../../src/store/store.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of the project `postgres`, in which the stores of tests are PostgreSQL databases. */
    postgresUrl: string
  }
}

/** In the project `postgres`, the tests of the store run on PostgreSQL. */
export const isPostgres = process.env.QUOTEKEEPER_TEST_ENGINE === 'postgres'

const urls = new Map<string, string>()

type Options = Pick<StoreOptions, 'clock' | 'command'>

/** Opens a store in a schema of its own on the server of the tests. */
export async function openNewPostgresStore({ clock, command }: Options = {}): Promise<Store> {
  const url = `${inject('postgresUrl')}?schema=test_${randomBytes(8).toString('hex')}`
  const store = await openPostgresStore({ url, ...(clock && { clock }), ...(command && { command }), connections: 3 })
  urls.set(store.path, url)
  return store
}

/** Opens the database of a store once more, as another process would. */
export function openAgain(path: string, { clock, command }: Options = {}): Promise<Store> {
  const url = urls.get(path)
  const options = { ...(clock && { clock }), ...(command && { command }) }
  return url === undefined ? openStore({ path, ...options }) : openPostgresStore({ url, ...options, connections: 3 })
}

/** Opens a reader of the database of a store. */
export function openReaderOf({ path }: Store) {
  const url = urls.get(path)
  return url === undefined ? openReader(path) : openPostgresReader(url)
}

/** The rows of a query, on a connection of its own. */
export async function rowsOf({ path }: Pick<Store, 'path'>, query: string): Promise<unknown[]> {
  const url = urls.get(path)
  if (url !== undefined) return onPostgres(url, async (client) => (await client.query(query)).rows)
  const raw = new Database(path, { readonly: true })
  try {
    return raw.prepare(query).all()
  } finally {
    raw.close()
  }
}

/** Executes statements on a connection of its own, also those that Quotekeeper never would. */
export async function executeIn({ path }: Pick<Store, 'path'>, statements: string): Promise<void> {
  const url = urls.get(path)
  if (url !== undefined) {
    await onPostgres(url, (client) => client.query(statements))
    return
  }
  const raw = new Database(path)
  try {
    raw.exec(statements)
  } finally {
    raw.close()
  }
}

async function onPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const [server, schema] = url.split('?schema=')
  const numbers = {
    getTypeParser: (type: number) => (type === 20 || type === 1700 ? Number : pg.types.getTypeParser(type)),
  }
  const client = new pg.Client({ connectionString: server as string, types: numbers })
  await client.connect()
  try {
    await client.query(`set search_path to ${schema}`)
    return await work(client)
  } finally {
    await client.end()
  }
}
