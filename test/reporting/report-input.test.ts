import { describe, expect, it } from 'vitest'
import { summariseChannel } from '../../src/domain/comparison/channel/summarise-channel.js'
import { compareOffers } from '../../src/domain/comparison/report/compare-offers.js'
import { settingsSchema } from '../../src/domain/comparison/settings.js'
import { gatherChannelInput, gatherRfqInput, type ReportSource } from '../../src/reporting/report-input.js'
import { type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'

const source = (desk: ChannelFixture, asOf = desk.now()): ReportSource => ({
  store: desk.store,
  config: testConfig({
    reports: {
      directory: '/nowhere',
      settings: settingsSchema.parse({
        currency: 'EUR',
        exchangeRates: { USD: { rate: 0.9, date: '2026-11-20', source: 'the bank' } },
        weights: { price: 60 },
      }),
    },
  }),
  channel: channelConfig(KEY, { timeZone: 'Europe/Paris' }),
  asOf,
  now: new Date('2026-11-22T08:00:00Z'),
  version: '1.2.3',
})

async function polled(): Promise<ChannelFixture & { rfqId: string }> {
  const desk = await openChannelFixture({ rfqs: 2, responsesPerRfq: 3 })
  await desk.pollListings()
  await desk.pollRfqs()
  const rfqId = (await desk.store.rfqs({ channel: KEY }))[0]?.rfq.id
  return { ...desk, rfqId: rfqId ?? 'none' }
}

describe('what a report on an RFQ is made from', () => {
  it('is all that the store knows of it, and of nothing else', async () => {
    const desk = await polled()
    const input = await gatherRfqInput({ ...source(desk), rfqId: desk.rfqId })
    expect(input.rfq.id).toBe(desk.rfqId)
    expect(input.rfq.document?.state).toMatch(/open|closed/)
    const responses = [...input.responses]
    expect(responses).toHaveLength(3)
    expect(input.versions).toHaveLength(4)
    const named = [...(input.rfq.document?.listingIds ?? []), ...responses.map((one) => one.document?.listingId)]
    expect(input.listings.length).toBeGreaterThan(0)
    expect(input.listings.every(({ id }) => named.includes(id))).toBe(true)
    expect(input.problems.every(({ entityId }) => !entityId.startsWith('other'))).toBe(true)
  })

  it('carries the settings of the configuration and the circumstances into the report', async () => {
    const desk = await polled()
    const report = compareOffers(await gatherRfqInput({ ...source(desk), rfqId: desk.rfqId }))
    expect(report.context).toMatchObject({
      channel: KEY,
      timeZone: 'Europe/Paris',
      asOf: desk.now().toISOString(),
      generatedAt: '2026-11-22T08:00:00.000Z',
      programVersion: '1.2.3',
    })
    expect(report.settings).toMatchObject({ currency: 'EUR', weights: { price: 60, coverage: 15 } })
    expect(report.settings.exchangeRates).toMatchObject({ USD: { rate: 0.9, source: 'the bank' } })
  })

  it('is what was known then, however much is known now', async () => {
    const desk = await polled()
    const then = desk.now()
    const report = async (asOf: Date) =>
      compareOffers(await gatherRfqInput({ ...source(desk, asOf), rfqId: desk.rfqId }))
    const before = await report(then)
    desk.advanceSeconds(3_600)
    desk.sandbox.world.closeRfq(desk.rfqId)
    await desk.pollRfqs({ full: true })
    expect(await report(then)).toEqual(before)
    expect((await report(desk.now())).rfq.state).toBe('closed')
  })

  it('says so where the RFQ was not known', async () => {
    const desk = await polled()
    const early = new Date('2020-01-01T00:00:00Z')
    await expect(gatherRfqInput({ ...source(desk, early), rfqId: desk.rfqId })).rejects.toThrow(
      `no RFQ ${desk.rfqId} was known in acme/forest at 2020-01-01T00:00:00.000Z`,
    )
  })

  it('takes an identifier for nothing else: not for the number of another RFQ', async () => {
    const desk = await polled()
    const { rfq } = await gatherRfqInput({ ...source(desk), rfqId: desk.rfqId })
    await expect(gatherRfqInput({ ...source(desk), rfqId: String(rfq.document?.number) })).rejects.toThrow('no RFQ')
  })
})

it('what the overview of a channel is made from is all of the channel', async () => {
  const desk = await polled()
  const report = summariseChannel(await gatherChannelInput(source(desk)))
  expect(report.summary).toMatchObject({ rfqs: 2, offers: 6, listings: 3 })
})
