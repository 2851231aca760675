import { describe, expect, it } from 'vitest'
import { rfqs as rfqsList } from '../../../src/tables/lists/rfqs.js'
import { jsonRow } from '../../../src/tables/print/json.js'
import { today } from '../../../src/tables/today/today.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { offerTerms, openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { viewSourceOf } from '../../helpers/view-source.js'

const RULES = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'off' as const }

/** @param before what happens before the cheap offer is awarded */
async function openAward(before: (rfq: Awaited<ReturnType<typeof openAwardedRfq>>) => Promise<void> = async () => {}) {
  const rfq = await openAwardedRfq()
  await before(rfq)
  await rfq.award([rfq.cheap], 'more is needed')
  const { world } = rfq.sandbox
  /** The RFQs that wait because of their award: urgency, next step, and what the marketplace shows. */
  const items = async () => {
    await refreshFigures(rfq)
    const { rfqs } = await today(viewSourceOf(rfq.store, [RULES]), { now: rfq.now() })
    return rfqs.flatMap((row) => {
      const { standing, urgency } = row
      const findings = standing?.findings.filter(({ code }) => code !== 'accepted') ?? []
      const [message, step] = [findings.map((finding) => finding.message).join(' '), jsonRow(rfqsList.columns, row)]
      return findings.length === 0
        ? []
        : [{ urgency, message, next: standing?.next, step: step.step, command: step.command }]
    })
  }
  const poll = async (time: string) => {
    rfq.setTime(time)
    await rfq.pollRfqs()
  }
  return { rfq, world, items, poll }
}

const found = (items: readonly { urgency: number; step: unknown }[]) =>
  items.map(({ urgency, step }) => [urgency, step])

describe('awards in Today', () => {
  it('are reminded of before an awarded offer expires, and after it expired', async () => {
    const { rfq, items } = await openAward()
    expect(await items()).toEqual([])
    rfq.setTime('2027-01-16T12:00:00.000Z')
    expect(await items()).toEqual([])
    rfq.setTime('2027-01-17T12:00:00.000Z')
    const [item] = await items()
    expect(item).toMatchObject({ urgency: 1, command: `quotekeeper award 1042 --channel ${KEY}` })
    expect(item?.message).toMatch(/expires on 2027-01-31/)
    expect(item?.next).toMatch(/Accept .* on the marketplace by 2027-01-31/)
    rfq.setTime('2027-01-30T12:00:00.000Z')
    expect(found(await items())).toEqual([[2, 'See the award']])
    rfq.setTime('2027-02-01T12:00:00.000Z')
    expect(found(await items())).toEqual([[2, 'Decide again']])
    await rfq.store.withdrawAward({
      award: 1,
      at: rfq.now().toISOString(),
      by: 'ana',
      because: null,
      programVersion: 'test',
    })
    expect(await items()).toEqual([])
  })

  it('count at stake after the RFQ closed, with what they save and the letters about them, until they are accepted', async () => {
    const { rfq, world, items, poll } = await openAward()
    world.changeRfq(rfq.rfqId, { state: 'closed' })
    await poll('2026-11-22T12:00:00.000Z')
    await items()
    const source = viewSourceOf(rfq.store, [RULES])
    const atStake = async () => (await today(source, { now: rfq.now() })).summary.atStake
    expect(await atStake()).toMatchObject([{ kind: 'awarded', total: 18_000 }])
    await rfq.store.withdrawAward({
      award: 1,
      at: rfq.now().toISOString(),
      by: 'ana',
      because: 'x',
      programVersion: 't',
    })
    rfq.advanceSeconds(60)
    await rfq.award([rfq.other], 'delivers earlier')
    const { decision } = await source.compare({ channel: KEY, rfqId: rfq.rfqId, now: rfq.now() })
    expect(decision.savings).toMatchObject({ tonnes: 2_000, maxPrice: { amount: 20_000 } })
    await items()
    expect(await atStake()).toMatchObject([{ kind: 'awarded', total: 20_000 }])
    rfq.setTime('2027-01-17T12:00:00.000Z')
    expect(found(await items())).toEqual([[1, 'See the award']])
    world.changeResponse(rfq.other, { status: 'accepted' })
    await poll('2027-01-18T12:00:00.000Z')
    await items()
    expect(await atStake()).toEqual([])
  })

  type World = Awaited<ReturnType<typeof openAward>>['world']
  it.each<[what: string, act: (world: World, rfq: { cheap: string; other: string; rfqId: string }) => void, unknown[]]>(
    [
      ['rejected', (world, { cheap }) => world.changeResponse(cheap, { status: 'rejected' }), []],
      ['no longer listed', (world, { cheap }) => world.removeResponse(cheap), []],
      [
        'passed over for another offer of a closed RFQ',
        (world, { other, rfqId }) => {
          world.changeResponse(other, { status: 'accepted' })
          world.changeRfq(rfqId, { state: 'closed' })
        },
        [{ kind: 'accepted', total: 20_000 }],
      ],
    ],
  )('do not count at stake once their offers are %s', async (_what, act, expected) => {
    const { rfq, world, items, poll } = await openAward()
    act(world, rfq)
    await poll('2026-11-22T12:00:00.000Z')
    await items()
    const { summary } = await today(viewSourceOf(rfq.store, [RULES]), { now: rfq.now() })
    expect(summary.atStake).toMatchObject(expected)
    expect(summary.atStake).toHaveLength(expected.length)
  })

  it('leave nothing to do until the due date, if nothing is awarded or the award is accepted', async () => {
    for (const isAwarded of [false, true]) {
      const { rfq, world, items, poll } = await openAward()
      if (isAwarded) world.changeResponse(rfq.cheap, { status: 'accepted' })
      else {
        const withdrawal = { at: rfq.now().toISOString(), by: 'ana', because: 'x', programVersion: 't' }
        await rfq.store.withdrawAward({ award: 1, ...withdrawal })
        rfq.advanceSeconds(60)
        await rfq.award([], 'no budget')
      }
      const waiting = async (time: string) => {
        await poll(time)
        await items()
        return (await today(viewSourceOf(rfq.store, [RULES]), { now: rfq.now() })).summary.waiting
      }
      expect(await waiting('2027-06-29T12:00:00.000Z')).toBe(0)
      expect(await waiting('2027-07-02T12:00:00.000Z')).toBe(1)
    }
  })

  it('ask again when an awarded offer changed, is not open any more, or disappeared', async () => {
    for (const [change, message] of [
      ['price', /changed: total 18,000 USD → 24,000 USD/],
      ['status', /status of the offer is “withdrawn”/],
      ['removed', /missing from the RFQ since 2026-11-22/],
    ] as const) {
      const { rfq, world, items, poll } = await openAward()
      if (change === 'price') world.changeResponse(rfq.cheap, { offer: offerTerms(12) })
      else if (change === 'status') world.changeResponse(rfq.cheap, { status: 'withdrawn' as never })
      else world.removeResponse(rfq.cheap)
      await poll('2026-11-22T12:00:00.000Z')
      const [item] = await items()
      expect([change, item?.urgency, item?.step]).toEqual([change, 2, 'Decide again'])
      expect(item?.message).toMatch(message)
    }
  })

  it('say that another offer was accepted as long as that is so, and nothing of the recorded one', async () => {
    const { rfq, world, items, poll } = await openAward()
    world.changeResponse(rfq.cheap, { status: 'accepted' })
    await poll('2026-11-22T12:00:00.000Z')
    expect(await items()).toEqual([])
    rfq.setTime('2027-03-01T12:00:00.000Z') // An accepted offer does not expire.
    expect(await items()).toEqual([])
    world.changeResponse(rfq.other, { status: 'accepted' })
    await poll('2027-03-02T12:00:00.000Z')
    const [differs] = await items()
    expect(differs).toMatchObject({
      urgency: 2,
      message: expect.stringContaining('which the recorded award does not have'),
    })
  })

  it('know which offers were accepted before the award was recorded', async () => {
    const { items } = await openAward(async (rfq) => {
      rfq.sandbox.world.changeResponse(rfq.other, { status: 'accepted' })
      rfq.setTime('2026-11-21T18:00:00.000Z')
      await rfq.pollRfqs()
      rfq.setTime('2026-11-21T19:00:00.000Z')
    })
    expect(await items()).toEqual([])
  })

  it('say which of several awarded offers is not accepted yet', async () => {
    const rfq = await openAwardedRfq()
    await rfq.award([rfq.cheap, rfq.other], 'both are needed')
    rfq.sandbox.world.changeResponse(rfq.cheap, { status: 'accepted' })
    rfq.setTime('2026-11-22T12:00:00.000Z')
    await rfq.pollRfqs()
    await refreshFigures(rfq)
    const { rfqs } = await today(viewSourceOf(rfq.store, [RULES]), { now: rfq.now() })
    expect(rfqs[0]?.urgency).toBe(1)
    expect(rfqs[0]?.standing?.findings[0]?.message).toMatch(/as accepted, but not .* yet/)
  })
})
