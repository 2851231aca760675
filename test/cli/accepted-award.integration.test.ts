import { expect, it } from 'vitest'
import { createCliFixture } from './cli-fixture.js'

it('compare says what an accepted offer leaves missing, and shows its tonnes as the award', async () => {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world } = cli.sandbox
  const { id, number } = world.addRfq(channel, {
    responseDueDate: '2026-06-30',
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
  const { recommendation, offers } = JSON.parse((await cli.quotekeeper('compare', `${number}`, '--json')).out)
  expect(recommendation[0]).toContain('It covers 50 % of the wanted 10,000 t: 5,000 t are missing.')
  const awards = offers.map((offer: { id: string; awarded: number | null }) => [offer.id === small.id, offer.awarded])
  expect(awards.sort()).toEqual([
    [false, null],
    [true, 5_000],
  ])
  const { out } = await cli.quotekeeper('compare', `${number}`)
  expect(out.replaceAll(/\s+/g, ' ')).toContain('50 % of the wanted 10,000 t: 5,000 t are missing.')
})
