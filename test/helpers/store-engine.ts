import Database from 'better-sqlite3'
import type { Reader, Store } from '../../src/store/contract.js'
import { openReader } from '../../src/store/reader.js'
import { openStore, type StoreOptions } from '../../src/store/store.js'

// What tests need of a database besides the store contract; the only place where those of the contract name the engine.

/** Opens the database of a store once more, as another process would. */
export const openAgain = (path: string, options: Pick<StoreOptions, 'clock' | 'command'> = {}): Promise<Store> =>
  openStore({ path, ...options })

/** Opens a reader of the database of a store. */
export const openReaderOf = ({ path }: Pick<Store, 'path'>): Promise<Reader> => openReader(path)

/** The rows of a query, on a connection of its own. */
export async function rowsOf({ path }: Pick<Store, 'path'>, query: string): Promise<unknown[]> {
  const raw = new Database(path, { readonly: true })
  try {
    return raw.prepare(query).all()
  } finally {
    raw.close()
  }
}

/** Executes statements on a connection of its own, also those that Quotekeeper never would. */
export async function executeIn({ path }: Pick<Store, 'path'>, statements: string): Promise<void> {
  const raw = new Database(path)
  try {
    raw.exec(statements)
  } finally {
    raw.close()
  }
}
