import { expect, it } from 'vitest'
import { stepOf } from '../../src/tables/lists/rfq-row.js'
import { CHANNEL } from '../helpers/channel-fixture.js'
import { offerTerms, openAwardedRfq } from '../helpers/store/awarded-rfq.js'
import { rfqRows } from '../helpers/view-source.js'

type Rfq = Awaited<ReturnType<typeof openAwardedRfq>>

/** Polls, records figures, and returns whether somebody has to decide about the RFQ, as Today says it, also after a restart. */
async function isUndecided(rfq: Rfq, rfqId = rfq.rfqId): Promise<boolean> {
  rfq.advanceSeconds(3600)
  await rfq.pollRfqs()
  await rfq.reopenStore()
  const { store } = rfq
  const row = (await rfqRows(store, rfq.now())).find(({ id }) => id === rfqId)
  if (row === undefined) throw new Error('the RFQ is not listed')
  const { undecided } = row.figures
  expect([row.urgency, stepOf(row)?.message]).toEqual(undecided ? [1, 'Decide'] : [0, undefined])
  return undecided
}

const close = ({ sandbox, rfqId }: Rfq) => sandbox.world.changeRfq(rfqId, { state: 'closed' } as never)

it('an RFQ that closes with an offer to award is undecided until somebody awards one or none, over restarts', async () => {
  const rfq = await openAwardedRfq()
  expect(await isUndecided(rfq)).toBe(false)
  close(rfq)
  expect(await isUndecided(rfq)).toBe(true)
  await rfq.award([], 'the budget was cut')
  expect(await isUndecided(rfq)).toBe(false)
  expect(await rfq.store.awards({ standing: true })).toMatchObject([
    { offers: [], tonnes: 0, total: 0, followed: false, because: 'the budget was cut' },
  ])
  expect((await rfq.store.verifyDecisions()).brokenAt).toBeNull()
  await rfq.withdraw(1)
  expect(await isUndecided(rfq)).toBe(true)
  await rfq.award([rfq.cheap])
  expect(await isUndecided(rfq)).toBe(false)
  await rfq.withdraw(3)
  // What happens to the offers after it closed does not decide it, except that one is accepted.
  const { world } = rfq.sandbox
  for (const id of [rfq.cheap, rfq.other]) world.changeResponse(id, { status: 'rejected' })
  world.changeRfq(rfq.rfqId, { title: 'So that it is read again' })
  expect(await isUndecided(rfq)).toBe(true)
  world.changeResponse(rfq.other, { status: 'accepted' })
  world.changeRfq(rfq.rfqId, { title: 'And again' })
  expect(await isUndecided(rfq)).toBe(false)
})

it('an RFQ that was never seen open, or had nothing to award when it closed, is not undecided', async () => {
  const rfq = await openAwardedRfq()
  for (const id of [rfq.cheap, rfq.other]) rfq.sandbox.world.changeResponse(id, { status: 'rejected' })
  expect(await isUndecided(rfq)).toBe(false)
  close(rfq)
  expect(await isUndecided(rfq)).toBe(false)
  const { world } = rfq.sandbox
  const { id } = world.addRfq(CHANNEL, { state: 'closed', minVolume: 1_000, maxVolume: 5_000 } as never)
  world.addResponse(id, { offer: offerTerms(9) })
  expect(await isUndecided(rfq, id)).toBe(false)
  world.changeRfq(id, { title: 'Another title' })
  expect(await isUndecided(rfq, id)).toBe(false)
})

it('an open RFQ is to be decided while more than what is accepted is recommended', async () => {
  const rfq = await openAwardedRfq()
  const { world } = rfq.sandbox
  const step = async (minVolume: number) => {
    world.changeRfq(rfq.rfqId, { minVolume, responseDueDate: rfq.now().toISOString().slice(0, 10) })
    await rfq.change(rfq.cheap, { status: 'accepted' })
    const [row] = await rfqRows(rfq.store, rfq.now())
    return row && [row.figures.decision?.basis, row.figures.coverage, stepOf(row)?.message]
  }
  expect(await step(3_200)).toEqual(['accepted', 0.625, 'Decide'])
  expect(await step(2_000)).toEqual(['accepted', 1, 'See the RFQ'])
})

it('no award is recorded without a reason, or beside an accepted offer, and another offer that is accepted contradicts it', async () => {
  const rfq = await openAwardedRfq()
  await expect(rfq.award([])).rejects.toThrow('Say why nothing is awarded')
  await rfq.award([], 'too expensive')
  await rfq.change(rfq.cheap, { status: 'accepted' })
  const [row] = await rfqRows(rfq.store, rfq.now())
  expect(row?.standing).toMatchObject({ status: 'differs', findings: [{ code: 'other-accepted' }] })
  await rfq.withdraw(1)
  await expect(rfq.award([], 'too expensive')).rejects.toThrow('is accepted.')
})
