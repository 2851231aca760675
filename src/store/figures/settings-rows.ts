import { hash } from 'node:crypto'
import type { Settings } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { Transaction } from '../sql/sql-database.js'

/**
 * Stores settings if they are not stored yet.
 * @returns the SHA-256 hash of their canonical JSON
 */
export async function storeSettings(tx: Transaction, settings: Settings): Promise<string> {
  const text = canonicalJson(settings)
  const row = { hash: hash('sha256', text), settings: text }
  await tx.run('insert into settings (hash, settings) values (@hash, @settings) on conflict (hash) do nothing', row)
  return row.hash
}
