import { describe, expect, it } from 'vitest'
import { freshnessLabel } from '../../../reports/layout/wording.js'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { settingsSchema } from '../../../src/core/decision/settings.js'
import { gatherChannelInput, gatherRfqInput, type ReportSource } from '../../../src/views/rfq/report-input.js'
import { type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'

const source = (fixture: ChannelFixture, asOf = fixture.now()): ReportSource => ({
  store: fixture.store,
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
  const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 3 })
  await fixture.pollListings()
  await fixture.pollRfqs()
  const rfqId = (await fixture.store.rfqs({ channel: KEY }))[0]?.rfq.id
  return { ...fixture, rfqId: rfqId ?? 'none' }
}

describe('input of an RFQ report', () => {
  it('contains everything stored about the RFQ and nothing about others', async () => {
    const fixture = await polled()
    const input = await gatherRfqInput({ ...source(fixture), rfqId: fixture.rfqId })
    expect(input.rfq.id).toBe(fixture.rfqId)
    expect(input.rfq.document?.state).toMatch(/open|closed/)
    const responses = [...input.responses]
    expect(responses).toHaveLength(3)
    expect([...input.versions]).toHaveLength(4)
    expect([...input.responses, ...input.versions], 'given once, so that no text stays in memory').toEqual([])
    const named = [...(input.rfq.document?.listingIds ?? []), ...responses.map((one) => one.document?.listingId)]
    expect(input.listings.length).toBeGreaterThan(0)
    expect(input.listings.every(({ id }) => named.includes(id))).toBe(true)
    expect(input.problems.every(({ entityId }) => !entityId.startsWith('other'))).toBe(true)
  })

  it('contains what a poll recorded whose clock was ahead, as of the present, and not as of an earlier moment', async () => {
    const fixture = await polled()
    const { sandbox, rfqId, now } = fixture
    const before = now()
    fixture.advanceSeconds(3_600)
    sandbox.world.changeRfq(rfqId, { title: 'From the future' })
    await fixture.pollRfqs()
    fixture.advanceSeconds(-3_000)
    const titleAsOf = async (asOf: Date) => {
      const input = await gatherRfqInput({ ...source(fixture, asOf), now: now(), rfqId })
      return input.rfq.document?.title
    }
    expect(await titleAsOf(now())).toBe('From the future')
    expect(await titleAsOf(before)).not.toBe('From the future')
    const channel = await gatherChannelInput({ ...source(fixture), now: now() })
    expect([...channel.rfqs].map(({ rfq }) => rfq.document?.title)).toContain('From the future')
  })

  it('passes the configured settings and the report parameters on', async () => {
    const fixture = await polled()
    const report = compareOffers(await gatherRfqInput({ ...source(fixture), rfqId: fixture.rfqId }))
    expect(report.context).toMatchObject({
      channel: KEY,
      timeZone: 'Europe/Paris',
      asOf: fixture.now().toISOString(),
      generatedAt: '2026-11-22T08:00:00.000Z',
      programVersion: '1.2.3',
    })
    expect(report.settings).toMatchObject({ currency: 'EUR', weights: { price: 60, coverage: 15 } })
    expect(report.settings.exchangeRates).toMatchObject({ USD: { rate: 0.9, source: 'the bank' } })
  })

  it('is as of the requested moment, whatever was observed later', async () => {
    const fixture = await polled()
    const then = fixture.now()
    const report = async (asOf: Date) =>
      compareOffers(await gatherRfqInput({ ...source(fixture, asOf), rfqId: fixture.rfqId }))
    const before = await report(then)
    fixture.advanceSeconds(3_600)
    fixture.sandbox.world.closeRfq(fixture.rfqId)
    await fixture.pollRfqs({ full: true })
    expect(await report(then)).toEqual(before)
    expect((await report(fixture.now())).rfq.state).toBe('closed')
  })

  it('says when the terms of the offers were read, but not as of a past moment, which later reads would change', async () => {
    const fixture = await polled()
    const readAt = fixture.now().toISOString()
    const termsRead = async (now: Date, asOf = now) =>
      (await gatherRfqInput({ ...source(fixture, asOf), now, rfqId: fixture.rfqId })).termsRead
    fixture.advanceSeconds(840)
    expect(await termsRead(fixture.now())).toEqual({ oldest: readAt, newest: readAt, unread: 0 })
    expect(await termsRead(fixture.now(), new Date(readAt))).toBe(undefined)
  })

  it('says when status and prices were read, and whether the newest poll left them, but not as of a past moment', async () => {
    const fixture = await polled()
    const readAt = fixture.now().toISOString()
    const pricesRead = async (now: Date, asOf = now) =>
      (await gatherRfqInput({ ...source(fixture, asOf), now, rfqId: fixture.rfqId })).pricesRead
    expect(await pricesRead(fixture.now())).toEqual({ oldest: readAt, newest: readAt, behindPoll: false })
    fixture.advanceSeconds(300)
    const nextPollAt = new Date(fixture.now().getTime() + 300_000)
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24, intervalMs: 300_000, nextPollAt }
    await fixture.pollRfqs({ planning: { budget: 1, usualBudget: 1, ...rules } })
    expect(await pricesRead(fixture.now())).toEqual({ oldest: readAt, newest: readAt, behindPoll: true })
    expect(await pricesRead(fixture.now(), new Date(readAt))).toBe(undefined)
    const { context } = compareOffers(
      await gatherRfqInput({ ...source(fixture, fixture.now()), now: fixture.now(), rfqId: fixture.rfqId }),
    )
    expect(freshnessLabel(context)).toContain(', prices and status read 5 min before, terms read 5 min before')
  })

  it('rejects an RFQ that was not known at that moment', async () => {
    const fixture = await polled()
    const early = new Date('2020-01-01T00:00:00Z')
    await expect(gatherRfqInput({ ...source(fixture, early), rfqId: fixture.rfqId })).rejects.toThrow(
      `RFQ ${fixture.rfqId} of acme/forest was not known at 2020-01-01T00:00:00.000Z`,
    )
  })

  it('does not take an id for the number of another RFQ', async () => {
    const fixture = await polled()
    const { rfq } = await gatherRfqInput({ ...source(fixture), rfqId: fixture.rfqId })
    await expect(gatherRfqInput({ ...source(fixture), rfqId: String(rfq.document?.number) })).rejects.toThrow(
      'was not known at',
    )
  })
})

it('input of a channel report › contains the whole channel', async () => {
  const fixture = await polled()
  const report = summariseChannel(await gatherChannelInput(source(fixture)))
  expect(report.summary).toMatchObject({ rfqs: 2, offers: 6, listings: 3 })
})
