import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from '../../core/async.js'
import type { Store } from '../../store/contract.js'
import { databaseName } from '../../store/open-database.js'
import type { App } from '../app.js'

/** The app as `check` uses it: a missing database is not created. */
export interface CheckApp extends App {
  /** The database. If there is none yet, a temporary empty one, like the one that `start` would create. */
  store(): Promise<Store>
  /** Whether there is no database yet. Rejects if the existing database cannot be opened. */
  databaseIsNew(): Promise<boolean>
}

/** @param app an app whose `store` fails if the database does not exist, instead of creating it */
export function createCheckApp(app: App): CheckApp {
  const opened = once(async () => {
    const existing = await existingStore(app)
    if (existing !== null) return { store: existing, isNew: false }
    return { store: await emptyStore(app), isNew: true }
  })
  return {
    ...app,
    store: async () => (await opened()).store,
    databaseIsNew: async () => (await opened()).isNew,
  }
}

/** Null if the database does not exist. */
async function existingStore({ store }: App): Promise<Store | null> {
  try {
    return await store()
  } catch (error) {
    if (error instanceof Error && error.name === 'MissingDatabaseError') return null
    throw error
  }
}

async function emptyStore(app: App): Promise<Store> {
  const { openStore } = await import('../../store/sqlite/store.js')
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-check-'))
  const remove = async () => rmSync(folder, { recursive: true, force: true })
  app.onClose(remove)
  const store = await openStore({ path: join(folder, 'empty.db') })
  app.onClose(() => store.close())
  return { ...store, name: databaseName(app.config.database) }
}
