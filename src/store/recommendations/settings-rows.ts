import { hash } from 'node:crypto'
import type { Settings } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { Transaction } from '../sql/sql-database.js'

/** The SHA-256 hash of the canonical JSON of settings. */
export const settingsHash = (settings: Settings): string => hash('sha256', canonicalJson(settings))

/**
 * Stores settings if they are not stored yet.
 * @returns their hash
 */
export async function storeSettings(tx: Transaction, settings: Settings): Promise<string> {
  const known = settingsHash(settings)
  await tx.run('insert into settings (hash, settings) values (@hash, @settings) on conflict (hash) do nothing', {
    hash: known,
    settings: canonicalJson(settings),
  })
  return known
}
