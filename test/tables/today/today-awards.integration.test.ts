import { describe, expect, it } from 'vitest'
import { today } from '../../../src/tables/today/today.js'
import type { TodayRfq } from '../../../src/tables/today/today-view.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { offerTerms, openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { openRecorder } from '../../helpers/store/recorder.js'
import { todaySource } from '../../helpers/today-source.js'

const RULES = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'off' as const }

/** @param before what happens before the cheap offer is awarded */
async function openAward(before: (rfq: Awaited<ReturnType<typeof openAwardedRfq>>) => Promise<void> = async () => {}) {
  const rfq = await openAwardedRfq()
  await before(rfq)
  await rfq.award([rfq.cheap], 'more is needed')
  const { world } = rfq.sandbox
  const items = async (options: { since?: string } = {}): Promise<TodayRfq[]> => {
    await openRecorder(rfq).round()
    const found = await today(todaySource(rfq.store, [RULES]), {
      now: rfq.now(),
      since: new Date(options.since ?? rfq.now()),
    })
    return found.rfqs.filter(({ kind }) => kind === 'award')
  }
  const poll = async (time: string) => {
    rfq.setTime(time)
    await rfq.pollRfqs()
  }
  return { rfq, world, items, poll }
}

const found = (items: readonly TodayRfq[]) => items.map(({ severity, action }) => [severity, action.message])

describe('awards in Today', () => {
  it('are reminded of before an awarded offer expires, and after it expired', async () => {
    const { rfq, items } = await openAward()
    expect(await items()).toEqual([])
    rfq.setTime('2027-01-16T12:00:00.000Z')
    expect(await items()).toEqual([])
    rfq.setTime('2027-01-17T12:00:00.000Z')
    const [item] = await items()
    expect(item).toMatchObject({ severity: 'medium', rfqNumber: 1042 })
    expect(item?.message).toMatch(/expires on 2027-01-31.*Accept .* on the marketplace by 2027-01-31/)
    expect(item?.action).toMatchObject({
      command: `quotekeeper award 1042 --channel ${KEY}`,
      path: `/rfqs/${KEY}/1042/award`,
    })
    rfq.setTime('2027-01-30T12:00:00.000Z')
    expect(found(await items())).toEqual([['high', 'See the award']])
    rfq.setTime('2027-02-01T12:00:00.000Z')
    expect(found(await items())).toEqual([['high', 'Decide again']])
    await rfq.store.withdrawAward({
      award: 1,
      at: rfq.now().toISOString(),
      by: 'ana',
      because: null,
      programVersion: 'test',
    })
    expect(await items()).toEqual([])
  })

  it('ask again when an awarded offer changed, is not open any more, or disappeared', async () => {
    for (const [change, message] of [
      ['price', /now has a total of 24,000 USD; recorded is a total of 18,000 USD/],
      ['status', /status of the offer is “withdrawn”/],
      ['removed', /missing from the RFQ since 2026-11-22/],
    ] as const) {
      const { rfq, world, items, poll } = await openAward()
      if (change === 'price') world.changeResponse(rfq.cheap, { offer: offerTerms(12) })
      else if (change === 'status') world.changeResponse(rfq.cheap, { status: 'withdrawn' as never })
      else world.removeResponse(rfq.cheap)
      await poll('2026-11-22T12:00:00.000Z')
      const [item] = await items()
      expect([change, item?.severity, item?.action.message]).toEqual([change, 'high', 'Decide again'])
      expect(item?.message).toMatch(message)
    }
  })

  it('say once that the recorded award was accepted, and that another one was as long as that is so', async () => {
    const { rfq, world, items, poll } = await openAward()
    world.changeResponse(rfq.cheap, { status: 'accepted' })
    await poll('2026-11-22T12:00:00.000Z')
    const [item] = await items({ since: '2026-11-22T00:00:00.000Z' })
    expect(item).toMatchObject({ severity: 'low', message: expect.stringContaining('that is the recorded award') })
    expect(await items({ since: '2026-11-23T00:00:00.000Z' })).toEqual([])
    rfq.setTime('2027-03-01T12:00:00.000Z') // An accepted offer does not expire.
    expect(await items()).toEqual([])
    world.changeResponse(rfq.other, { status: 'accepted' })
    await poll('2027-03-02T12:00:00.000Z')
    const [differs] = await items({ since: '2027-03-03T00:00:00.000Z' })
    expect(differs).toMatchObject({
      severity: 'high',
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
    await openRecorder(rfq).round()
    const { rfqs } = await today(todaySource(rfq.store, [RULES]), { now: rfq.now(), since: rfq.now() })
    const item = rfqs.find(({ kind }) => kind === 'award')
    expect(item).toMatchObject({ severity: 'medium', message: expect.stringMatching(/as accepted, but not .* yet/) })
  })
})
