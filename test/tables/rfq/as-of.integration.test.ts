import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { offerTerms, openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { viewSourceOf } from '../../helpers/view-source.js'

it('a comparison as of a past moment has the documents of then and the settings of now', async () => {
  const rfq = await openAwardedRfq()
  const { store, now } = rfq
  const then = now()
  rfq.advanceSeconds(600)
  rfq.sandbox.world.changeResponse(rfq.other, { offer: offerTerms(8) })
  await rfq.pollRfqs()
  const settings = { ...DEFAULT_SETTINGS, volume: 3_000 }
  const source = viewSourceOf(store, undefined, { reports: { directory: '.', settings } })
  const past = await source.compare({ channel: KEY, rfqId: rfq.rfqId, now: now(), asOf: then })
  expect(past.settings.volume).toBe(3_000)
  expect(past.offers.map(({ metrics }) => metrics.pricePerTonne).sort()).toEqual([10, 9])
  expect(past.decision.recommendation.award?.tonnes).toBe(4_000)
})
