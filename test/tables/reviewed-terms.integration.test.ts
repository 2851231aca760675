import { expect, it } from 'vitest'
import { viewConfigOf } from '../../src/tables/source.js'
import { createViews } from '../../src/tables/views.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { offerOf } from '../helpers/store/figures.js'
import { testConfig } from '../helpers/test-config.js'

/** An offer with one line, that is reviewed and changed between polls. */
async function openReviewed() {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const rfq = world.addRfq(CHANNEL, { responseDueDate: '2027-01-31' }).id
  const offer = world.addResponse(rfq).id
  const views = createViews(fixture.store, viewConfigOf(testConfig()))
  const poll = async () => {
    fixture.advanceSeconds(86_400)
    await fixture.pollRfqs()
  }
  const change = async (terms: object) => {
    world.changeResponse(offer, { offer: terms })
    await poll()
  }
  const priced = (unitPrice: number) => {
    const { scheduledDeliveries, totalVolume, totalPrice } = offerOf(unitPrice, 1_000)
    return { scheduledDeliveries, totalVolume, totalPrice, prePayments: [] }
  }
  const review = (status: string) => ({
    review: { status, createdAt: fixture.now().toISOString(), updatedAt: fixture.now().toISOString() },
  })
  const said = async () => {
    const { flags } = await views.offer({ channel: KEY, name: rfq, now: fixture.now(), offer })
    return flags.flatMap(({ message }) => (message.startsWith('Review accepted ') ? [message] : []))
  }
  await change(priced(17.08))
  return { fixture, change, priced, review, said }
}

it('an offer says how its price changed since a review accepted it, until it is reviewed again', async () => {
  const { fixture, change, priced, review, said } = await openReviewed()
  const day = () => fixture.now().toISOString().slice(0, 10)
  const reviewed = day()
  await change(review('accepted'))
  expect(await said()).toEqual([])
  await change({ additionalNotesToBuyer: 'Thank you.' })
  expect(await said()).toEqual([])
  await change(priced(9.9))
  const message = `Review accepted ${reviewed}; price 17.08 → 9.90 on ${day()}.`
  expect(await said()).toEqual([message])
  await change({ additionalNotesToBuyer: 'Thank you again.' })
  expect(await said()).toEqual([message])
  await change(review('accepted'))
  expect(await said()).toEqual([])
})

it('an offer that changed before its review, or back to what the review saw, says nothing', async () => {
  const { change, priced, review, said } = await openReviewed()
  await change(priced(9.9))
  await change(review('accepted'))
  expect(await said()).toEqual([])
  await change({ ...priced(9.9), totalVolume: 900 })
  expect(await said()).toEqual([expect.stringContaining('other terms')])
  await change(priced(9.9))
  expect(await said()).toEqual([])
})
