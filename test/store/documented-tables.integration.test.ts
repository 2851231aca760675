import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { holdingRun } from '../helpers/store/holding-run.js'
import { CHANNEL, noonStore, rfqSnapshot } from '../helpers/store/recording-store.js'
import { isPostgres, rowsOf } from '../helpers/store/store-engine.js'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/DATABASE.md'), 'utf8')

it('docs/DATABASE.md › lists tables and columns that exist, and has a query of recommendations that runs', async () => {
  const store = await noonStore()
  const documented = [...PAGE.matchAll(/^\| `(\w+)` +\|[^|]+\|([^|]+)\|$/gm)]
  expect(documented.length).toBeGreaterThan(15)
  for (const [, table, columns = ''] of documented)
    await rowsOf(store, `select ${columns.replaceAll(/\(.*?\)/g, '')} from ${table}`)
  const query = [...PAGE.matchAll(/```sql\n(.*?)```/gs)].find(([, sql]) => sql?.includes('recommendations r'))
  expect(await rowsOf(store, query?.[1] ?? '')).toEqual([])
})

it('docs/DATABASE.md › has a query of versions that returns the expected rows', async () => {
  const store = await noonStore()
  const now = new Date('2026-11-01T00:00:00.000Z')
  const run = await holdingRun(store, { channel: CHANNEL, kind: 'rfqs', now })
  const offer = { id: 'offer', offer: { totalPrice: 72_000 } }
  await store.recordRfq(run, rfqSnapshot({ id: 'rfq-1' }, [offer], now), now)
  const query = /```sql\n(.*?)```/s.exec(PAGE)?.[1] ?? ''
  const inPostgres = /replace `json_extract` by `(.*?)`/.exec(PAGE)?.[1] ?? ''
  const own = isPostgres ? query.replace(/json_extract\(.*?\)(?= as)/, inPostgres) : query
  const rows = (await rowsOf(store, own.replace('…', 'rfq-1'))) as Record<string, unknown>[]
  expect(rows.map((row) => [row.id, Number(row.version), row.observed_at, Number(row.total_price)])).toEqual([
    ['offer', 1, now.toISOString(), 72_000],
  ])
})
