import { describe, expect, it } from 'vitest'
import { newAward } from '../../helpers/store/new-award.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { begin, noonStore } from '../../helpers/store/recording-store.js'
import { executeIn, isPostgres } from '../../helpers/store/store-engine.js'

/** Each refers to those before it. */
const TABLES = ['settings', 'close_decisions', 'awards']
const forged = 'run_id, channel, rfq_id, time_zone, decided_at, decision, reason, evidence, previous_hash, hash'
const setDecision = (set: string) => `update close_decisions set ${set} where id = 2`
const setAward = (set: string) => `update awards set ${set} where id = 6`

/** What is done to three decisions, an award (4), its withdrawal (5) and another award (6), and where the chain is broken then. */
const CHANGES: (readonly [change: string, brokenAt: unknown])[] = [
  [setDecision(`reason = 'other'`), 2],
  [setDecision(`evidence = ' ' || evidence`), 2],
  ...[0, -7].map((id) => {
    const forge = `insert into close_decisions (id, ${forged}) select ${id}, ${forged} from close_decisions where id = 2`
    return [forge, expect.any(Number)] as const
  }),
  ['delete from close_decisions where id = 1', 1],
  ['delete from awards where id = 5', 5],
  ['delete from awards where id = 6', 6],
  [`update awards set because = 'forged' where id = 5`, 5],
  ...['channel', 'rfq_id', 'at', 'by_whom', 'as_of', 'currency', 'because', 'program_version', 'workbook_sha256'].map(
    (column) => [setAward(`${column} = 'forged'`), 6] as const,
  ),
  ...['rfq_number', 'tonnes', 'total', 'price_per_tonne'].map((column) => [setAward(`${column} = 1.5`), 6] as const),
  ...['followed = 1', 'because = null', 'settings_hash = null', `warnings = '[]'`, `workbook = 'UEs='`].map(
    (set) => [setAward(set), 6] as const,
  ),
  // An award is withdrawn once.
  [`drop index awards_withdrawn; ${setAward('withdraws = 4')}`, 6],
  [setAward('workbook = null'), 6],
  [setAward(`offers = replace(offers, '8670', '8671')`), 6],
  [setAward(`recommendation = replace(recommendation, 'cheaper', 'dearer')`), 6],
  ...['hash', 'previous_hash'].map((column) => [setAward(`${column} = '${'0'.repeat(64)}'`), 6] as const),
  [`update settings set settings = '{}'`, 4],
]

/** Three decisions, an award, its withdrawal, and another award. */
async function openChain(reasons = ['one', 'two', 'three']) {
  const store = await noonStore()
  const run = await begin(store)
  for (const [index, reason] of reasons.entries())
    await store.appendDecision(newDecision(run.id, { rfqId: `${index}`, reason }))
  await store.recordAward(newAward())
  await store.withdrawAward({
    award: 4,
    at: '2026-11-22T08:00:00.000Z',
    by: 'ben',
    because: 'why',
    programVersion: '1',
  })
  await store.recordAward(newAward({ rfqId: 'rfq-2' }))
  expect(await store.verifyDecisions()).toMatchObject({ decisions: 6, brokenAt: null })
  return store
}

describe('the chain of closings and awards', () => {
  it('is append-only', async () => {
    const store = await openChain()
    const changes = ['delete from close_decisions', 'delete from awards', setDecision(`reason = 'other'`)]
    for (const change of [...changes, setAward('total = 1'), setAward(`workbook = ''`)])
      await expect(executeIn(store, change)).rejects.toThrow()
    expect((await store.verifyDecisions()).brokenAt).toBeNull()
  })

  it('shows what was changed, removed or forged in spite of that, workbooks and settings too', async () => {
    const store = await openChain()
    const guards = ['decisions_immutable', 'decisions_no_delete', 'awards_immutable', 'awards_no_delete']
    for (const guard of guards) {
      const table = guard.startsWith('awards') ? 'awards' : 'close_decisions'
      await executeIn(store, `drop trigger if exists ${guard} ${isPostgres ? `on ${table}` : ''}`)
    }
    for (const table of TABLES)
      await executeIn(store, `create table kept_${table} as select * from ${table} order by 1`)
    const undo = [
      ...TABLES.toReversed().map((table) => `delete from ${table}`),
      ...TABLES.map((table) => `insert into ${table} select * from kept_${table}`),
    ].join('; ')
    for (const [change, brokenAt] of CHANGES) {
      await executeIn(store, change)
      expect([change, (await store.verifyDecisions()).brokenAt]).toEqual([change, brokenAt])
      await executeIn(store, undo)
      expect((await store.verifyDecisions()).brokenAt).toBeNull()
    }
  })

  it('has hashes that cover all before them', async () => {
    const hashes = async (reason: string) =>
      (await (await openChain([reason, 'two', 'three'])).decisions({})).map(({ hash }) => hash)
    const [first, other] = [await hashes('one'), await hashes('other')]
    expect(await hashes('one')).toEqual(first)
    for (const [index, hash] of first.entries()) expect(other[index]).not.toBe(hash)
  })
})
