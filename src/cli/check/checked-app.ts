import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from '../../core/async.js'
import type { Store } from '../../store/contract.js'
import { databaseFile, databaseName } from '../../store/open-database.js'
import type { App } from '../app.js'

/** The app of `check`, which creates no database. */
export interface CheckedApp extends App {
  /** The database, or an empty one that is thrown away if there is none yet, as `start` would find it. */
  store(): Promise<Store>
  /** Whether there is no database yet. Rejects if the one that there is cannot be opened, or a new one not be created. */
  databaseIsNew(): Promise<boolean>
}

/** @param app must not create the database */
export function checkedApp(app: App): CheckedApp {
  const opened = once(async () => {
    const existing = await existingStore(app)
    if (existing !== null) return { store: existing, isNew: false }
    const { tryToCreateDatabase } = await import('../../store/open-database.js')
    await tryToCreateDatabase(app.config.database)
    return { store: await emptyStore(app), isNew: true }
  })
  return {
    ...app,
    store: async () => (await opened()).store,
    databaseIsNew: async () => (await opened()).isNew,
  }
}

/** Null if there is no database. */
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

/** Whether a folder is missing because `start` creates it with the database. */
export function isMadeWithDatabase(folder: string, { config }: App): boolean {
  const file = databaseFile(config.database)
  if (file === null || statSync(folder, { throwIfNoEntry: false })) return false
  return file.startsWith(join(folder, '/'))
}
