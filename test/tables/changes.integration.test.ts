import { expect, it } from 'vitest'
import { LISTS } from '../../src/tables/lists/lists.js'
import { jsonRow } from '../../src/tables/print/json.js'
import { createViewSource, viewConfigOf } from '../../src/tables/source.js'
import { movedSince } from '../../src/tables/today/today.js'
import { createViews } from '../../src/tables/views.js'
import { offerTerms, openAwardedRfq } from '../helpers/store/awarded-rfq.js'
import { refreshFigures } from '../helpers/store/figures.js'
import { testConfig } from '../helpers/test-config.js'

async function setUp() {
  const fixture = await openAwardedRfq()
  await refreshFigures(fixture)
  const views = createViews(fixture.store, viewConfigOf(testConfig()))
  const changes = async (parameters: Record<string, string> = {}) => {
    const answer = await views.list('changes', { now: fixture.now(), parameters })
    if ('problem' in answer) throw new Error(answer.problem.message)
    return answer.rows.map((row) => jsonRow(LISTS.changes.columns, row as never))
  }
  const moved = (since: Date) =>
    movedSince(createViewSource(fixture.store, viewConfigOf(testConfig())), { now: fixture.now(), since })
  return { fixture, changes, moved }
}

it('changes lead with what moved, in tonnes and money, and the desk has the sums of it', async () => {
  const { fixture, changes, moved } = await setUp()
  const before = fixture.now()
  fixture.advanceSeconds(3600)
  fixture.sandbox.world.changeResponse(fixture.cheap, { offer: offerTerms(12) })
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  await refreshFigures(fixture)
  const all = await changes()
  expect(all.map(({ kind }) => kind)).toEqual(['recommendation', 'offer'])
  expect(all[0]).toMatchObject({ beforeTonnes: 2000, beforeTotal: 18_000, afterTonnes: 2000, afterTotal: 20_000 })
  expect(all[0]).toMatchObject({ moved: 2000, movedCurrency: 'USD', rfq: 1042 })
  expect(all[0]?.changes).toMatch(
    /because .+\. 2,000 t at 9\.00 USD\/t, 18,000 USD → 2,000 t at 10\.00 USD\/t, 20,000 USD\.$/,
  )
  const sums = {
    currency: 'USD',
    rfqs: 1,
    before: { tonnes: 2000, total: 18_000 },
    after: { tonnes: 2000, total: 20_000 },
  }
  expect(await moved(before)).toEqual([sums])
  // Of an RFQ that is newer, against what was recommended first.
  expect(await moved(new Date(0))).toEqual([sums])
  expect(await moved(new Date(fixture.now().getTime() + 1))).toEqual([])

  fixture.advanceSeconds(3600)
  await fixture.award([fixture.cheap], 'delivers earlier')
  await refreshFigures(fixture)
  const [award] = await changes({ kind: 'award' })
  expect(award).toMatchObject({ beforeTotal: 20_000, afterTotal: 24_000, moved: 4000, of: 'Award' })
  expect(award?.changes).toMatch(/^Recorded by ana: .+, not as recommended, because “delivers earlier”\. /)
  expect(await moved(before)).toEqual([{ ...sums, after: { tonnes: 2000, total: 24_000 } }])

  // Another recommendation means nothing beside an award on record.
  fixture.advanceSeconds(3600)
  fixture.sandbox.world.changeResponse(fixture.other, { offer: offerTerms(15) })
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  await refreshFigures(fixture)
  expect((await changes({ kind: 'recommendation' }))[0]).toMatchObject({ moved: null })
  expect(await moved(before)).toEqual([{ ...sums, after: { tonnes: 2000, total: 24_000 } }])
})

it('changes and the sums of the desk agree over rounds in which the same award gets other prices, also after a restart', async () => {
  const fixture = await openAwardedRfq()
  await refreshFigures(fixture)
  const since = fixture.now()
  for (const [round, price] of [9.1, 9.3, 9.2, 9.05, 9.4, 9.25].entries()) {
    if (round % 3 === 2) await fixture.reopenStore()
    fixture.advanceSeconds(3600)
    fixture.sandbox.world.changeResponse(fixture.cheap, { offer: offerTerms(price) })
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    await refreshFigures(fixture)
    const source = createViewSource(fixture.store, viewConfigOf(testConfig()))
    const parameters = { kind: 'money', since: since.toISOString() }
    const answer = await createViews(fixture.store, source.config).list('changes', { now: fixture.now(), parameters })
    const rows = 'rows' in answer ? answer.rows.map((row) => jsonRow(LISTS.changes.columns, row as never)) : []
    expect(rows).toHaveLength(round + 1)
    const sum = rows.reduce((total, { moved }) => total + Number(moved), 0)
    const [moved] = await movedSince(source, { now: fixture.now(), since })
    expect((moved?.after.total ?? 0) - (moved?.before.total ?? 0)).toBeCloseTo(sum, 6)
    expect(sum).toBeCloseTo(2000 * (price - 9), 6)
  }
})

it('changes have withdrawals of awards, and who closed an RFQ', async () => {
  const { fixture, changes } = await setUp()
  await fixture.award([fixture.cheap])
  fixture.advanceSeconds(3600)
  const [award] = await fixture.store.awards({ standing: true })
  const withdrawn = { award: award?.id ?? 0, at: fixture.now().toISOString(), by: 'ben', because: 'No budget' }
  await fixture.store.withdrawAward({ ...withdrawn, programVersion: 'test' })
  expect((await changes({ kind: 'money' })).map((entry) => entry.changes)).toEqual([
    expect.stringMatching(/^Withdrawn by ben: .+ · .+, because “No budget”\.$/),
    expect.stringMatching(/^Recorded by ana: .+ · .+, as recommended\.$/),
  ])
  fixture.setTime('2027-07-01T12:00:00.000Z')
  await fixture.pollRfqs()
  await fixture.closeExpired()
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  expect((await changes({ kind: 'rfq' }))[0]?.changes).toBe('Closed by Quotekeeper.')
})
