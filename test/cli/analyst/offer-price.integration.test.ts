import { expect, it } from 'vitest'
import type { OfferView } from '../../../src/views/offer/offer-view.js'
import { createCliFixture } from '../cli-fixture.js'

it('`compare` and `report` show the same price per tonne where lines and stated figures differ', async () => {
  const channels = [
    { org: 'acme', channel: 'forest', theme: 'forest' as const, listings: 3, rfqs: 1, responsesPerRfq: 2 },
  ]
  const { quotekeeper, sandbox } = await createCliFixture({ channels })
  const rfq = sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]
  const [fromLines, fromStated] = rfq?.responses ?? []
  if (rfq === undefined || fromLines === undefined || fromStated === undefined) throw new Error('no offers')
  const vintages = fromLines.offer.scheduledDeliveries.flatMap((delivery) => delivery.vintages)
  const lineVolume = vintages.reduce((total, { volume }) => total + volume, 0)
  const lineTotal = vintages.reduce((total, { volume, unitPrice }) => total + volume * unitPrice, 0)
  sandbox.world.changeResponse(fromLines.id, { offer: { ...fromLines.offer, totalVolume: 1000, totalPrice: 77_000 } })
  sandbox.world.changeResponse(fromStated.id, {
    offer: { ...fromStated.offer, totalVolume: 1000, totalPrice: 77_000, scheduledDeliveries: [] },
  })
  await quotekeeper('sync')

  const { offers } = JSON.parse((await quotekeeper('compare', rfq.terms.id, '--json')).out) as { offers: OfferView[] }
  const report = JSON.parse((await quotekeeper('report', rfq.terms.id, '--json')).out) as { offers: Reported[] }
  const table = (await quotekeeper('compare', rfq.terms.id, '--wide')).out

  const byId = new Map(offers.map(({ id, own }) => [id, own]))
  expect(byId.get(fromLines.id)).toMatchObject({ basis: 'lines', total: lineTotal })
  expect(byId.get(fromLines.id)?.pricePerTonne).toBeCloseTo(lineTotal / lineVolume, 9)
  expect(byId.get(fromStated.id)).toMatchObject({ basis: 'stated', total: 77_000, pricePerTonne: 77 })
  for (const { id, metrics } of report.offers) {
    expect(byId.get(id)).toMatchObject({ pricePerTonne: metrics.pricePerTonne, basis: metrics.basis })
  }
  expect(table).toMatch(/Own per tonne +Own total +Own currency/)
  expect(table).toMatch(/ lines /)
  expect(table).toMatch(/ stated /)
})

interface Reported {
  id: string
  metrics: { pricePerTonne: number | null; basis: string | null }
}
