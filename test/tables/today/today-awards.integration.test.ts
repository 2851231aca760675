import { describe, expect, it } from 'vitest'
import { rfqs as rfqsList } from '../../../src/tables/lists/rfqs.js'
import { jsonRow } from '../../../src/tables/print/json.js'
import { today } from '../../../src/tables/today/today.js'
import { CHANNEL, KEY } from '../../helpers/channel-fixture.js'
import { offerTerms, openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { viewSourceOf } from '../../helpers/view-source.js'

type Rfq = Awaited<ReturnType<typeof openAwardedRfq>>

/** Today, after figures were recorded. */
async function todayOf(rfq: Rfq) {
  await refreshFigures(rfq)
  return today(viewSourceOf(rfq.store), { now: rfq.now() })
}
const atStake = async (rfq: Rfq) => (await todayOf(rfq)).summary.atStake

/** The RFQs that wait because of their award: urgency, next step, and what the marketplace shows. */
async function items(rfq: Rfq) {
  return (await todayOf(rfq)).rfqs.flatMap((row) => {
    const findings = row.standing?.findings.filter(({ code }) => code !== 'accepted') ?? []
    const { step, command } = jsonRow(rfqsList.columns, row)
    const message = findings.map((finding) => finding.message).join(' ')
    return findings.length === 0 ? [] : [{ urgency: row.urgency, message, next: row.standing?.next, step, command }]
  })
}
/** What awards save, as the list of RFQs and the comparison say it. */
async function savings(rfq: Rfq) {
  const [row] = (await todayOf(rfq)).rfqs
  const { decision } = await viewSourceOf(rfq.store).compare({ channel: KEY, rfqId: rfq.rfqId, now: rfq.now() })
  return [row?.figures.decision?.savings, decision.savings?.maxPrice?.amount]
}
const steps = async (rfq: Rfq) => (await items(rfq)).map(({ urgency, step }) => [urgency, step])

async function poll(rfq: Rfq, time: string) {
  rfq.setTime(time)
  await rfq.pollRfqs()
}

/** An RFQ of which the cheap offer is awarded. */
async function openAward() {
  const rfq = await openAwardedRfq()
  await rfq.award([rfq.cheap], 'more is needed')
  return rfq
}

describe('awards in Today', () => {
  it('are reminded of before an awarded offer expires, and after it expired', async () => {
    const rfq = await openAward()
    expect(await items(rfq)).toEqual([])
    rfq.setTime('2027-01-16T12:00:00.000Z')
    expect(await items(rfq)).toEqual([])
    rfq.setTime('2027-01-17T12:00:00.000Z')
    const [item] = await items(rfq)
    expect(item).toMatchObject({ urgency: 1, command: `quotekeeper award 1042 --channel ${KEY}` })
    expect(item?.message).toMatch(/expires on 2027-01-31/)
    expect(item?.next).toMatch(/Accept .* on the marketplace by 2027-01-31/)
    rfq.setTime('2027-01-30T12:00:00.000Z')
    expect(await steps(rfq)).toEqual([[2, 'See the award']])
    rfq.setTime('2027-02-01T12:00:00.000Z')
    expect(await steps(rfq)).toEqual([[2, 'Decide again']])
    await rfq.withdraw(1)
    expect(await items(rfq)).toEqual([])
  })

  it('count at stake after the RFQ closed, until they are accepted', async () => {
    const rfq = await openAward()
    const { world } = rfq.sandbox
    world.changeRfq(rfq.rfqId, { state: 'closed' })
    await poll(rfq, '2026-11-22T12:00:00.000Z')
    expect(await atStake(rfq)).toMatchObject([{ kind: 'awarded', total: 18_000 }])
    await rfq.withdraw(1)
    rfq.advanceSeconds(60)
    await rfq.award([rfq.other], 'delivers earlier')
    expect(await atStake(rfq)).toMatchObject([{ kind: 'awarded', total: 20_000 }])
    rfq.setTime('2027-01-17T12:00:00.000Z')
    expect(await steps(rfq)).toEqual([[1, 'See the award']])
    world.changeResponse(rfq.other, { status: 'accepted' })
    await poll(rfq, '2027-01-18T12:00:00.000Z')
    expect(await atStake(rfq)).toEqual([])
  })

  it('count at stake, and save, by the terms that their offers have now, and nothing without them', async () => {
    const rfq = await openAward()
    rfq.sandbox.world.changeResponse(rfq.cheap, { offer: offerTerms(12) })
    await poll(rfq, '2026-11-22T12:00:00.000Z')
    expect(await atStake(rfq)).toMatchObject([{ kind: 'awarded', total: 24_000 }])
    expect(await savings(rfq)).toEqual([16_000, 16_000])
    rfq.sandbox.world.changeResponse(rfq.cheap, { status: 'rejected' })
    await poll(rfq, '2026-11-23T12:00:00.000Z')
    expect(await savings(rfq)).toEqual([null, undefined])
  })

  it.each<[what: string, act: (rfq: Rfq, world: Rfq['sandbox']['world']) => void, unknown[]]>([
    ['rejected', ({ cheap }, world) => world.changeResponse(cheap, { status: 'rejected' }), []],
    ['no longer listed', ({ cheap }, world) => world.removeResponse(cheap), []],
    [
      'missing with their RFQ',
      ({ rfqId }, world) => {
        world.removeRfq(rfqId)
        world.addRfq(CHANNEL)
      },
      [],
    ],
    [
      'passed over for another offer of a closed RFQ',
      ({ other, rfqId }, world) => {
        world.changeResponse(other, { status: 'accepted' })
        world.changeRfq(rfqId, { state: 'closed' })
      },
      [{ kind: 'accepted', total: 20_000 }],
    ],
  ])('do not count at stake once their offers are %s', async (_what, act, expected) => {
    const rfq = await openAward()
    act(rfq, rfq.sandbox.world)
    await poll(rfq, '2026-11-22T12:00:00.000Z')
    const found = await atStake(rfq)
    expect(found).toMatchObject(expected)
    expect(found).toHaveLength(expected.length)
  })

  it('leave nothing to do until the due date, if nothing is awarded or the award is accepted', async () => {
    for (const isAwarded of [false, true]) {
      const rfq = await openAwardedRfq()
      await rfq.award(isAwarded ? [rfq.cheap] : [], 'no budget')
      if (isAwarded) rfq.sandbox.world.changeResponse(rfq.cheap, { status: 'accepted' })
      await poll(rfq, '2027-06-29T12:00:00.000Z')
      expect((await todayOf(rfq)).summary.waiting).toBe(0)
      await poll(rfq, '2027-07-02T12:00:00.000Z')
      expect((await todayOf(rfq)).summary.waiting).toBe(1)
    }
  })

  it.each<[what: string, act: (rfq: Rfq, world: Rfq['sandbox']['world']) => void, message: RegExp]>([
    [
      'changed',
      ({ cheap }, world) => world.changeResponse(cheap, { offer: offerTerms(12) }),
      /changed: total 18,000 USD → 24,000 USD/,
    ],
    [
      'is not open any more',
      ({ cheap }, world) => world.changeResponse(cheap, { status: 'withdrawn' as never }),
      /status of the offer is “withdrawn”/,
    ],
    ['disappeared', ({ cheap }, world) => world.removeResponse(cheap), /missing from the RFQ since 2026-11-22/],
  ])('ask again when an awarded offer %s', async (_what, act, message) => {
    const rfq = await openAward()
    act(rfq, rfq.sandbox.world)
    await poll(rfq, '2026-11-22T12:00:00.000Z')
    expect(await items(rfq)).toMatchObject([
      { urgency: 2, step: 'Decide again', message: expect.stringMatching(message) },
    ])
  })

  it('say that another offer was accepted as long as that is so, and nothing of the recorded one', async () => {
    const rfq = await openAward()
    rfq.sandbox.world.changeResponse(rfq.cheap, { status: 'accepted' })
    await poll(rfq, '2026-11-22T12:00:00.000Z')
    expect(await items(rfq)).toEqual([])
    rfq.setTime('2027-03-01T12:00:00.000Z') // An accepted offer does not expire.
    expect(await items(rfq)).toEqual([])
    rfq.sandbox.world.changeResponse(rfq.other, { status: 'accepted' })
    await poll(rfq, '2027-03-02T12:00:00.000Z')
    const message = expect.stringContaining('which the recorded award does not have')
    expect(await items(rfq)).toMatchObject([{ urgency: 2, message }])
  })

  it('know which offers were accepted before the award was recorded', async () => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.other, { status: 'accepted' })
    rfq.advanceSeconds(3600)
    await rfq.award([rfq.cheap], 'more is needed')
    expect(await items(rfq)).toEqual([])
  })

  it('say which of several awarded offers is not accepted yet', async () => {
    const rfq = await openAwardedRfq()
    await rfq.award([rfq.cheap, rfq.other], 'both are needed')
    await rfq.change(rfq.cheap, { status: 'accepted' })
    const { rfqs } = await todayOf(rfq)
    expect(rfqs[0]?.urgency).toBe(1)
    expect(rfqs[0]?.standing?.findings[0]?.message).toMatch(/as accepted, but not .* yet/)
  })
})
