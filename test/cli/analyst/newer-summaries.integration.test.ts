import { describe, expect, it } from 'vitest'
import { createCliFixture, NOW } from '../cli-fixture.js'

const TONNES = 12_000
type Change = Parameters<Awaited<ReturnType<typeof createCliFixture>>['sandbox']['world']['changeResponse']>[1]

const lineOf = (unitPrice: number) => ({
  ...{ reportingPeriodStart: '2024-01-01', reportingPeriodEnd: '2024-12-31', mitigationTypes: ['removal'] },
  ...{ volume: TONNES, unitPrice, name: null },
})

/** An RFQ with offers of Alpha at 9, Beta at 8 and Gamma at 10 USD per tonne, which was read with all of them at 09:30. */
async function openThreeOffers() {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world, faults } = cli.sandbox
  const rfq = world.addRfq(channel, {
    ...{ responseDueDate: '2026-03-12', fulfilmentDueDate: '2026-12-31', minVolume: 10_000, maxVolume: 20_000 },
    ...{ contractTypes: ['spot' as const], minVintageYear: 2020, maxVintageYear: 2028, listingIds: [] },
    pricing: { minUnitPrice: 1, maxUnitPrice: 20, currency: 'USD' },
  })
  const add = (projectDeveloperName: string, price: number) =>
    world.addResponse(rfq.id, {
      ...{ projectDeveloperName, submittedAt: '2026-03-05T09:00:00.000Z', status: 'submitted' },
      offer: {
        ...{ currency: 'USD', contractType: 'spot', prePayments: [], expiryDate: '2026-12-31' },
        scheduledDeliveries: [
          { fulfilmentDueDate: '2026-09-30', fulfilmentMethod: 'transfer', vintages: [lineOf(price)] },
        ],
        ...{ totalVolume: TONNES, totalPrice: TONNES * price, review: null },
      },
    }).id
  const [alpha, beta, gamma] = [add('Alpha', 9), add('Beta', 8), add('Gamma', 10)]
  const number = String(rfq.number)
  let minutes = 0
  const run = (...args: string[]) =>
    cli.quotekeeperWith({ now: () => new Date(NOW.getTime() + minutes * 60_000) }, ...args)
  expect((await run('sync')).status).toBe(0)
  return {
    ...{ cli, faults, number, rfqId: rfq.id, alpha, beta, gamma },
    /** Each of the offers answers 500 from now on. */
    fail: (...ids: string[]) => {
      for (const responseId of ids)
        faults.add({
          ...{ responseId, operation: 'readResponse', times: Number.POSITIVE_INFINITY },
          effect: { kind: 'status', status: 500 },
        })
    },
    change: (id: string, change: Change) => world.changeResponse(id, change),
    withdraw: (id: string) => world.removeResponse(id),
    /** Polls later. */
    poll: async (afterMinutes: number) => {
      minutes += afterMinutes
      return (await run('sync', '--only', 'rfqs')).status
    },
    text: async (...args: string[]) => (await run(...args)).out.replaceAll(/\s+/g, ' '),
    json: async (...args: string[]) => JSON.parse((await run(...args, '--json')).out),
    run,
  }
}

const GAMMA =
  'The RFQ, read at 2026-03-10 09:40 UTC, says total 60,000 USD; the offer itself, read at 09:30, says total 120,000 USD.'

describe('an offer that cannot be read, of which the RFQ says something newer', () => {
  it('is accepted or rejected as the RFQ says, and has other newer terms as a flag, on every surface and at that moment', async () => {
    const { fail, change, poll, text, json, number, alpha, beta, gamma } = await openThreeOffers()
    expect(await text('compare', number)).toContain('Award Beta')
    fail(alpha, beta, gamma)
    change(alpha, { status: 'accepted' })
    change(beta, { status: 'rejected' })
    change(gamma, { offer: { totalPrice: 60_000 } })
    expect(await poll(10)).toBe(1)
    const gammaText = GAMMA.replace('The', 'the')
    const compared = await text('compare', number)
    expect(compared).toMatch(/Accepted: .*Alpha.*: 12,000 t/)
    expect(compared).toContain(gammaText)
    expect(compared).toContain('Nothing more is recommended.')
    expect(compared).toContain('Gamma (newer terms)')
    const { offers } = await json('compare', number)
    const byId = new Map(offers.map((offer: { id: string }) => [offer.id, offer]))
    expect(byId.get(alpha)).toMatchObject({ status: 'accepted', awardedTonnes: TONNES })
    expect(byId.get(beta)).toMatchObject({ status: 'rejected', rank: null, awardedTonnes: 0 })
    expect(byId.get(gamma)).toMatchObject({
      status: 'submitted',
      own: { total: 120_000 },
      newerTerms: true,
      flags: [{ severity: 'high', message: GAMMA }],
    })
    const today = await text('today')
    expect(today).toMatch(/Accepted: Alpha.*12,000 t at 9.00 USD\/t/)
    expect(today).toContain('Of 1 offer the RFQ shows newer terms than were read.')
    const report = await json('report', number)
    expect(report.decision.recommendation.accepted).toMatchObject({ offers: [{ id: alpha }] })
    expect((await json('report', '--channel', 'acme/forest')).rfqs[0].accepted).toMatchObject({ offers: ['Alpha'] })
    // As of that moment, from the times of the versions; as of the moment before, nothing of it.
    const asOf = ['--as-of', '2026-03-10T09:41:00Z']
    await poll(60)
    expect(await text('compare', number, ...asOf)).toMatch(/Accepted: .*Alpha/)
    expect(await text('compare', number, ...asOf)).toContain(gammaText.replaceAll('read at', 'first read so at'))
    expect(await text('compare', number, '--as-of', '2026-03-10T09:35:00Z')).not.toMatch(
      /Accepted|the RFQ, (first )?read/,
    )
  })

  it('has the difference as the first thing to check if it is the award, until the offer is read', async () => {
    const { fail, change, poll, text, json, faults, number, beta } = await openThreeOffers()
    fail(beta)
    change(beta, { offer: { totalPrice: 240_000, totalVolume: 13_000, expiryDate: '2026-11-30', currency: 'EUR' } })
    await poll(10)
    const message =
      'The RFQ, read at 2026-03-10 09:40 UTC, says total 240,000 EUR, volume 13,000 t, currency EUR, expiry 2026-11-30; the offer itself, ' +
      'read at 09:30, says total 96,000 USD, volume 12,000 t, currency USD, expiry 2026-12-31.'
    expect(await text('compare', number)).toContain(`Check: ${message}`)
    expect((await json('report', number)).decision).toMatchObject({
      banners: [{ code: 'summary-differs' }],
      recommendation: {
        award: { offers: [{ id: beta }] },
        conditions: [message, 'The offer has not been reviewed yet.', expect.anything(), expect.anything()],
      },
    })
    // The RFQ is read again and again, the offer is not.
    await poll(60)
    expect(await text('compare', number)).toContain(
      'Check: The RFQ, read at 2026-03-10 10:40 UTC, says total 240,000 EUR',
    )
    faults.clear()
    await poll(10)
    expect(await text('compare', number)).not.toContain('The RFQ, read at')
    expect((await json('compare', number)).offers.map((offer: { newerTerms: boolean }) => offer.newerTerms)).toEqual([
      false,
      false,
      false,
    ])
  })

  it('is what it says itself if it was read with the RFQ that contradicts it, at that poll and the next', async () => {
    const { poll, change, text, json, faults, rfqId, number, beta, fail, alpha } = await openThreeOffers()
    const contradict = (rfq: { responses: { id: string }[] }) => ({
      ...rfq,
      responses: rfq.responses.map((each) => (each.id === beta ? { ...each, status: 'rejected' } : each)),
    })
    faults.add({
      ...{ operation: 'readRfq', rfqId, times: Number.POSITIVE_INFINITY },
      effect: { kind: 'transform', change: contradict },
    })
    expect(await poll(10)).toBe(0)
    expect(await text('compare', number)).toContain('Award Beta')
    // From now on it cannot be read; the RFQ changes, but says the same of this offer.
    fail(beta)
    change(alpha, { offer: { totalPrice: TONNES * 9 + 1 } })
    await poll(10)
    expect(await text('compare', number)).toContain('Award Beta')
    expect(await text('compare', number, '--as-of', '2026-03-10T09:50:00Z')).toContain('Award Beta')
    expect(await json('problems')).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ entityId: beta, code: 'conflict', path: 'status' })]),
    )
  })
})

describe('an offer that only the RFQ showed as accepted, and that it no longer has', () => {
  const ALPHA =
    'The RFQ, first read so at 2026-03-10 09:40 UTC, says accepted; the offer itself, first read so at 09:30, says submitted.'

  it('stays accepted, as one whose own document said so, on every surface and as of that moment', async () => {
    const { fail, change, withdraw, poll, text, json, number, alpha } = await openThreeOffers()
    fail(alpha)
    change(alpha, { status: 'accepted' })
    await poll(10)
    withdraw(alpha)
    for (let round = 0; round < 3; round++) {
      await poll(10)
      const compared = await text('compare', number)
      expect(compared).toMatch(/Accepted: .*Alpha.*: 12,000 t/)
      expect(compared).toContain('missing from the RFQ since 2026-03-10')
      expect(compared).toContain('Nothing more is recommended.')
    }
    const today = await text('today')
    expect(today).toMatch(/Accepted: Alpha.*12,000 t at 9.00 USD\/t/)
    const report = await json('report', number)
    expect(report.decision.recommendation.accepted).toMatchObject({ offers: [{ id: alpha }] })
    const offer = report.offers.find(({ id }: { id: string }) => id === alpha)
    expect(offer).toMatchObject({ status: 'accepted', inView: false, newerSummary: { message: ALPHA } })
    expect((await json('report', '--channel', 'acme/forest')).rfqs[0].accepted).toMatchObject({ offers: ['Alpha'] })
    for (const [moment, isAccepted] of [
      ['2026-03-10T09:35:00Z', false],
      ['2026-03-10T09:45:00Z', true],
      ['2026-03-10T09:55:00Z', true],
    ] as const) {
      expect([moment, /Accepted: .*Alpha/.test(await text('compare', number, '--as-of', moment))]).toEqual([
        moment,
        isAccepted,
      ])
    }
  })

  it('is what it says itself if it was read again after the RFQ, and is submitted if that is what the RFQ said last', async () => {
    const { fail, change, withdraw, poll, text, faults, rfqId, number, alpha, gamma } = await openThreeOffers()
    fail(gamma)
    change(gamma, { status: 'accepted' })
    const claim = (rfq: { responses: { id: string }[] }) => ({
      ...rfq,
      responses: rfq.responses.map((each) => (each.id === alpha ? { ...each, status: 'accepted' } : each)),
    })
    const claimed = faults.add({
      ...{ operation: 'readRfq', rfqId, times: Number.POSITIVE_INFINITY },
      effect: { kind: 'transform', change: claim },
    })
    await poll(10)
    change(gamma, { status: 'submitted' })
    await poll(10)
    claimed.remove()
    withdraw(alpha)
    withdraw(gamma)
    await poll(10)
    expect(await text('compare', number)).toContain('Award Beta')
    expect(await text('compare', number)).not.toContain('Accepted')
  })
})
