import { AWARD_LOG, type AwardRow } from '../awards/award-rows.js'
import { GENESIS, verifyChain } from '../hash-chain.js'
import type { Sqlite } from '../sqlite/connection.js'

/**
 * Copies the awards that a restored backup does not have from the database it replaced, verbatim, with their settings and workbooks.
 * @returns why none can be copied; null if the restored database has all of them now
 */
export function copyAwards(source: Sqlite, target: Sqlite): string | null {
  const rows = source.prepare('select * from awards order by id').all() as AwardRow[]
  const { brokenAt, message } = verifyChain(AWARD_LOG, rows, rows.length)
  if (brokenAt !== null) return `The log of awards of the replaced database ${source.name} is not intact: ${message}`
  const known = target.prepare('select hash from awards order by id').pluck().all() as string[]
  const common = Math.min(known.length, rows.length)
  if ((known[common - 1] ?? GENESIS) !== (rows[common - 1]?.hash ?? GENESIS))
    return `The log of awards of ${target.name} is not the beginning of the one of ${source.name}: the backup was used after it was made.`
  const copy = (table: string, key: string, value: string | number | null) => {
    const row = source.prepare(`select * from ${table} where ${key} = ?`).get(value) as
      | Record<string, unknown>
      | undefined
    if (row === undefined) return
    const columns = Object.keys(row)
    const values = columns.map((column) => `@${column}`).join(', ')
    target.prepare(`insert or ignore into ${table} (${columns.join(', ')}) values (${values})`).run(row)
  }
  for (const { id, settings_hash: settings } of rows.slice(known.length)) {
    copy('settings', 'hash', settings)
    copy('awards', 'id', id)
    copy('award_files', 'award_id', id)
  }
  return null
}
