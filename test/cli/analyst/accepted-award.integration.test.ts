import { expect, it } from 'vitest'
import type { OfferView } from '../../../src/views/offer/offer-view.js'
import { createCliFixture } from '../cli-fixture.js'

it('every command says which requirements an accepted offer in another currency does not meet, and its high flags', async () => {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world } = cli.sandbox
  const { id, number } = world.addRfq(channel, {
    ...{ responseDueDate: '2026-06-30', fulfilmentDueDate: '2028-12-31' },
    ...{ minVolume: 10_000, maxVolume: 20_000, minVintageYear: 2021, maxVintageYear: 2028 },
    pricing: { minUnitPrice: 1, maxUnitPrice: 20, currency: 'USD' },
  })
  const line = { volume: 12_000, unitPrice: 9, reportingPeriodStart: '2029-01-01', reportingPeriodEnd: '2029-12-31' }
  const offer = {
    ...{ currency: 'EUR', prePayments: [{ amount: 108_000, paymentDueDate: '2026-04-15' }] },
    scheduledDeliveries: [
      {
        ...{ fulfilmentDueDate: '2029-06-30', fulfilmentMethod: 'registryTransfer' },
        vintages: [{ ...line, name: 'Vintage 2029', mitigationTypes: ['removal'] }],
      },
    ],
    ...{ totalVolume: 12_000, totalPrice: 108_000 },
    review: { ...REVIEW, status: 'rejected' },
  }
  const response = world.addResponse(id, { offer })
  world.changeResponse(response.id, { status: 'accepted' })
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  for (const args of [
    ['compare', `${number}`],
    ['compare', `${number}`, '--json'],
  ]) {
    const { out } = await cli.quotekeeper(...args)
    const text = out.replaceAll(/\s+/g, ' ')
    expect([args, text]).toEqual([args, expect.stringMatching(/review rejected the offer/)])
    expect([args, text]).toEqual([args, expect.stringMatching(/vintage, 2029, is after 2028.*delivery, on 2029-06-30/)])
    expect([args, text]).toEqual([args, expect.stringMatching(/priced in EUR.*the whole total, 108,000 EUR/)])
  }
  const { decision } = JSON.parse((await cli.quotekeeper('report', `${number}`, '--json')).out)
  expect(decision.recommendation).toMatchObject({ status: 'accepted', award: null })
  expect(decision.recommendation.conditions.join(' ')).toMatch(/after 2028.*on 2029-06-30.*priced in EUR/)
})

const REVIEW = {
  ...{ offerId: 'o', source: 'Verra', sourceId: 's', comment: 'Not additional.' },
  ...{ createdAt: '2026-03-05T10:00:00.000Z', updatedAt: '2026-03-05T10:00:00.000Z' },
}

it('compare says what an accepted offer leaves missing, and shows its tonnes as the award', async () => {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world } = cli.sandbox
  const { id, number } = world.addRfq(channel, {
    ...{ responseDueDate: '2026-06-30', fulfilmentDueDate: null as never },
    ...{ minVintageYear: null as never, maxVintageYear: null as never },
    minVolume: 10_000,
    maxVolume: 14_000,
    pricing: { minUnitPrice: 1, maxUnitPrice: 1_000, currency: 'USD' },
  })
  const terms = (volume: number) => ({
    offer: { currency: 'USD', scheduledDeliveries: [], prePayments: [], totalVolume: volume, totalPrice: volume * 10 },
  })
  const small = world.addResponse(id, terms(5_000))
  world.addResponse(id, terms(10_000))
  world.changeResponse(small.id, { status: 'accepted' })
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  const { decision, offers } = JSON.parse((await cli.quotekeeper('compare', `${number}`, '--json')).out)
  expect(decision.recommendation.headline).toMatch(/^Accepted: .*: 5,000 t .*50 % of the requested 10,000 t/)
  const awards = offers.map((offer: OfferView) => [offer.id === small.id, offer.awardedTonnes])
  expect(awards.sort()).toEqual([
    [false, 0],
    [true, 5_000],
  ])
  const { out } = await cli.quotekeeper('compare', `${number}`)
  expect(out.replaceAll(/\s+/g, ' ')).toContain('50 % of the requested 10,000 t')

  world.addResponse(id, terms(6_000))
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  const [listed] = JSON.parse((await cli.quotekeeper('rfqs', '--json')).out)
  expect(listed.figures.accepted.message).toMatch(/^Accepted: .*, 5,000 t at 10\.00 USD\/t\. Award also .*, 6,000 t at/)
  expect((await cli.quotekeeper('rfqs', '--csv')).out).toMatch(/\(accepted\) \+ \w/)
})
