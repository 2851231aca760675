import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { inject, onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/contract.js'
import type { StoreOptions } from '../../../src/store/create-store.js'
import { openDatabase, openDatabaseReader } from '../../../src/store/open-database.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { testFolder } from '../test-folder.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of the project `contract` of vitest.postgres.config.ts, in which the stores of tests are PostgreSQL databases. */
    postgresUrl: string
  }
}

/** In the project `contract` of vitest.postgres.config.ts, the tests of the store run on PostgreSQL. */
export const isPostgres = process.env.QUOTEKEEPER_TEST_ENGINE === 'postgres'

const urls = new Map<string, string>()

/** What opens the database of a store: the path of its file, or its URL. */
export const databaseOf = ({ name }: Pick<Store, 'name'>): string => urls.get(name) ?? name

const folders = new Map<string, string>()

/** Where the configuration of a process on the database of a store is, as far as tests need to know it. */
export function locationsOf(store: Pick<Store, 'name'>): { database: string; file: string } {
  const database = databaseOf(store)
  if (!urls.has(store.name)) return { database, file: join(dirname(database), 'quotekeeper.yaml') }
  const folder = folders.get(store.name) ?? testFolder()
  folders.set(store.name, folder)
  return { database, file: join(folder, 'quotekeeper.yaml') }
}

type Options = Pick<StoreOptions, 'clock' | 'command' | 'figures'>

/** Opens a store in a schema of its own on the server of the tests. */
export async function openNewPostgresStore(options: Options = {}): Promise<Store> {
  const url = `${inject('postgresUrl')}?schema=test_${randomBytes(8).toString('hex')}`
  const store = await openPostgresStore({ url, ...options, connections: 3 })
  urls.set(store.name, url)
  return store
}

/** Closes a store at the end of the test, unless the test does that. */
export function closedAtEnd<T extends { close(): Promise<void> }>(store: T): T {
  const close = store.close.bind(store)
  let isOpen = true
  store.close = () => {
    isOpen = false
    return close()
  }
  onTestFinished(() => (isOpen ? close() : undefined))
  return store
}

/** Opens the database of a store once more, as another process would, until the end of the test. */
export const openAgain = async (name: string, options: Options = {}): Promise<Store> =>
  closedAtEnd(await openDatabase({ database: databaseOf({ name }), connections: 3, ...options }))

/** Opens a reader of the database of a store, until the end of the test. */
export const openReaderOf = async (store: Pick<Store, 'name'>) =>
  closedAtEnd(await openDatabaseReader(databaseOf(store)))

/** The rows of a query, on a connection of its own. */
export async function rowsOf({ name }: Pick<Store, 'name'>, query: string): Promise<unknown[]> {
  const url = urls.get(name)
  if (url !== undefined) return onPostgres(url, query)
  const raw = new Database(name, { readonly: true })
  try {
    return raw.prepare(query).all()
  } finally {
    raw.close()
  }
}

/** Executes statements on a connection of its own, also those that Quotekeeper never would. */
export async function executeIn({ name }: Pick<Store, 'name'>, statements: string): Promise<void> {
  const url = urls.get(name)
  if (url !== undefined) return void (await onPostgres(url, statements))
  const raw = new Database(name)
  try {
    raw.exec(statements)
  } finally {
    raw.close()
  }
}

async function onPostgres(url: string, statements: string): Promise<unknown[]> {
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections: 1 })
  try {
    return await database.all(statements)
  } finally {
    await database.close()
  }
}
