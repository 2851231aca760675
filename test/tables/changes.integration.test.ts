import { expect, it } from 'vitest'
import { readList } from '../../src/tables/list.js'
import { LISTS } from '../../src/tables/lists/lists.js'
import { jsonRow } from '../../src/tables/print/json.js'
import { movedSince } from '../../src/tables/today/today.js'
import { offerTerms, openAwardedRfq } from '../helpers/store/awarded-rfq.js'
import { viewSourceOf } from '../helpers/view-source.js'

async function setUp() {
  const fixture = await openAwardedRfq()
  const source = () => viewSourceOf(fixture.store)
  const changes = async (parameters: Record<string, string> = {}) => {
    const { rows } = await readList(LISTS.changes, source(), { now: fixture.now(), parameters })
    return rows.map((row) => jsonRow(LISTS.changes.columns, row))
  }
  const moved = (since: Date) => movedSince(source(), { now: fixture.now(), since })
  /** Prices an offer anew, an hour later. */
  const reprice = async (offerId: string, price: number) => {
    fixture.advanceSeconds(3600)
    fixture.sandbox.world.changeResponse(offerId, { offer: offerTerms(price) })
    await fixture.pollRfqs({ recheckClosedHours: 0 })
  }
  return { fixture, changes, moved, reprice }
}

it('changes lead with what moved, in tonnes and money, and the desk has the sums of it', async () => {
  const { fixture, changes, moved, reprice } = await setUp()
  const before = fixture.now()
  await reprice(fixture.cheap, 12)
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
  fixture.advanceSeconds(3600)
  expect(await moved(fixture.now())).toEqual([])

  await fixture.award([fixture.cheap], 'delivers earlier')
  const [award] = await changes({ kind: 'award' })
  expect(award).toMatchObject({ beforeTotal: 20_000, afterTotal: 24_000, moved: 4000, of: 'Award' })
  expect(award?.changes).toMatch(/^Recorded by ana: .+, not as recommended, because “delivers earlier”\. /)
  expect(await moved(before)).toEqual([{ ...sums, after: { tonnes: 2000, total: 24_000 } }])

  // Another recommendation moves nothing beside an award on record.
  await reprice(fixture.other, 15)
  const [newest] = await changes({ kind: 'recommendation' })
  expect(newest).toMatchObject({ moved: null, changes: expect.stringMatching(/20,000 USD → .+24,000 USD\.$/) })
  expect(await moved(before)).toEqual([{ ...sums, after: { tonnes: 2000, total: 24_000 } }])

  // What is accepted stays, whatever is awarded beside it.
  await fixture.withdraw(1)
  await fixture.change(fixture.other, { status: 'accepted' })
  await fixture.award([fixture.cheap], 'more is needed')
  expect((await changes({ kind: 'award' }))[0]).toMatchObject({ beforeTotal: null, afterTotal: null, moved: null })
})

it('changes and the sums of the desk agree over rounds in which the same award gets other prices, also after a restart', async () => {
  const { fixture, changes, moved, reprice } = await setUp()
  const since = fixture.now()
  for (const [round, price] of [9.1, 9.3, 9.2, 9.05, 9.4, 9.25].entries()) {
    if (round % 3 === 2) await fixture.reopenStore()
    await reprice(fixture.cheap, price)
    const rows = await changes({ kind: 'money', since: since.toISOString() })
    expect(rows).toHaveLength(round + 1)
    expect(rows[0]?.changes).toMatch(/^the same award for another total, because .+ changed: price .+ → .+\. 2,000 t/)
    const sum = rows.reduce((total, row) => total + Number(row.moved), 0)
    const [desk] = await moved(since)
    expect((desk?.after.total ?? 0) - (desk?.before.total ?? 0)).toBeCloseTo(sum, 6)
    expect(sum).toBeCloseTo(2000 * (price - 9), 6)
  }
})

it('changes have withdrawals of awards, and who closed an RFQ', async () => {
  const { fixture, changes } = await setUp()
  await fixture.award([fixture.cheap])
  fixture.advanceSeconds(3600)
  await fixture.withdraw(1, 'No budget', 'ben')
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
