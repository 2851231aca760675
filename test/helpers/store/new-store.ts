import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../../src/store/contract.js'
import type { StoreOptions } from '../../../src/store/create-store.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../test-folder.js'
import { closedAtEnd, isPostgres, openNewPostgresStore } from './store-engine.js'

let template: Promise<string> | undefined

/**
 * Opens a store in a new file, or on PostgreSQL in a new schema. The file is a copy of one that was created once for all tests of a
 * worker, because that takes longer than most tests; so all have the same identity. It is closed at the end of the test.
 */
export async function openNewStore(options: StoreOptions = {}): Promise<Store> {
  if (isPostgres) return closedAtEnd(await openNewPostgresStore(options))
  const path = join(testFolder(), 'test.db')
  await createDatabase(path)
  return closedAtEnd(await openStore({ ...options, path }))
}

/** Creates an empty SQLite database. */
export async function createDatabase(path: string): Promise<void> {
  template ??= makeTemplate()
  copyFileSync(await template, path)
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await (await openStore({ path })).close()
  return path
}
