import { createAwardDesk } from '../../../src/cli/service/award-desk.js'
import { DEFAULT_SETTINGS, type Settings } from '../../../src/core/decision/settings.js'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import { createViews } from '../../../src/tables/views.js'
import { CHANNEL, KEY, openChannelFixture } from '../channel-fixture.js'
import { testConfig } from '../test-config.js'
import { figuresWith, offerOf } from './figures.js'

/** The terms of an offer of 2,000 t in USD that expires on 2027-01-31. */
export const offerTerms = (
  unitPrice: number,
  { totalVolume = 2_000, ...changes }: { expiryDate?: string; totalVolume?: number } = {},
) => {
  const { contractType: _, ...terms } = offerOf(unitPrice, totalVolume)
  return { ...terms, expiryDate: '2027-01-31', ...changes }
}

/** RFQ 1042 for 1,000 to 5,000 t with two offers of 2,000 t, at 9 and at 10 USD/t; the first is recommended. Polls and awards record figures. */
export async function openAwardedRfq() {
  const fixture = await openChannelFixture({ figures: figuresWith() })
  const { world } = fixture.sandbox
  const { id: rfqId } = world.addRfq(CHANNEL, {
    ...{ number: 1042, responseDueDate: '2027-06-30', fulfilmentDueDate: '2028-12-31' },
    ...{ minVolume: 1_000, maxVolume: 5_000, minVintageYear: 2021, maxVintageYear: 2028 },
    pricing: { minUnitPrice: 1, maxUnitPrice: 20, currency: 'USD' },
  })
  const [cheap, other] = [9, 10].map((price) => world.addResponse(rfqId, { offer: offerTerms(price) }).id as string)
  await fixture.pollListings()
  await fixture.pollRfqs()
  return Object.assign(fixture, {
    ...{ rfqId, cheap: cheap ?? '', other: other ?? '' },
    /** Changes an offer, and polls a minute later. */
    async change(offerId: string, changes: Parameters<typeof world.changeResponse>[1]) {
      world.changeResponse(offerId, changes)
      fixture.advanceSeconds(60)
      await fixture.pollRfqs()
    },
    /** Withdraws an award by its id. */
    withdraw: (award: number, because: string | null = null, by = 'ana') =>
      fixture.store.withdrawAward({ award, at: fixture.now().toISOString(), by, because, programVersion: 'test' }),
    /** @param basis the comparison that it is based on; default: the present one with the default settings */
    async award(ids: string[], because?: string, basis: { asOf?: Date; settings?: Settings } = {}) {
      const { store, now } = fixture
      const config = testConfig()
      const order = {
        ...{ channel: KEY, rfqId, offers: ids, because: because ?? null, by: 'ana', now: now() },
        ...{ asOf: basis.asOf ?? now(), settings: basis.settings ?? DEFAULT_SETTINGS },
      }
      const prepared = await createViews(store, viewConfigOf(config)).prepareAward(order)
      if (prepared.refusals.length > 0) throw new Error(prepared.refusals.join(' '))
      await createAwardDesk({ store, makeReport: makeReportInProcess(store, viewConfigOf(config)), now }).record(
        order,
        prepared,
      )
    },
  })
}
