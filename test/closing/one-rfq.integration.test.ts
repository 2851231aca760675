import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { DUE, openClosingFixture } from '../helpers/closing-round-fixture.js'
import { openAgain } from '../helpers/store/store-engine.js'

/** RFQs that a round closes, and one of each kind that it keeps open. */
async function manyKinds(): Promise<ChannelFixture & { ids: string[] }> {
  const fixture = await openChannelFixture()
  const { world, faults } = fixture.sandbox
  const add = (fields: object = {}) => world.addRfq(CHANNEL, { responseDueDate: DUE, ...fields }).id
  const changed = (body: object) => {
    const rfqId = add()
    const change = (found: object) => ({ ...found, ...body })
    fixture.always({ rfqId, operation: 'readRfq' }, { kind: 'transform', change })
    return rfqId
  }
  const due = [add(), add({ responseDueDate: '2026-11-01' })]
  const never = [
    add({ responseDueDate: '2026-11-21' }),
    add({ responseDueDate: '2026-12-24' }),
    changed({ state: 'paused' }),
    changed({ minVolume: 'many' }),
    changed({ responseDueDate: '0001-01-01' }),
  ]
  const [missing, extended, refused, uncertain] = [add(), add(), add(), add()]
  faults.add({
    rfqId: refused,
    operation: 'closeRfq',
    times: 1,
    effect: { kind: 'status', status: 200, body: { ok: false } },
  })
  faults.add({ rfqId: uncertain, operation: 'closeRfq', times: 2, effect: { kind: 'status', status: 500 } })
  await fixture.pollRfqs()
  await fixture.closeExpired({ only: [refused] })
  await fixture.closeExpired({ only: [uncertain] })
  world.removeRfq(missing)
  fixture.advanceSeconds(60)
  await fixture.pollRfqs()
  world.changeRfq(extended, { responseDueDate: '2026-12-01' })
  return Object.assign(fixture, { ids: [...due, ...never, missing, extended, refused, uncertain] })
}

describe('a closing round for one RFQ', () => {
  it('never closes what the round of the schedule would not, and never another RFQ', async () => {
    const [one, scheduled] = [await manyKinds(), await manyKinds()]
    const posts = (fixture: typeof one) => fixture.posts().map(({ rfqId }) => one.ids.indexOf(rfqId ?? ''))
    const [before, after] = [one.posts().length, scheduled.posts().length]
    expect(one.ids).toEqual(scheduled.ids)
    await scheduled.closeExpired()
    for (const [at, id] of one.ids.entries()) {
      const sent = one.posts().length
      const { decisions } = await one.closeExpired({ only: [id], byHand: true, startedBy: 'page ana' })
      expect(decisions.every(({ rfqId }) => rfqId === id)).toBe(true)
      expect(posts(one).slice(sent)).toEqual(one.posts().length > sent ? [at] : [])
      if (at === 5) await one.reopenStore()
    }
    expect(posts(one).slice(before).sort()).toEqual(posts(scheduled).slice(after).sort())
    expect(one.posts().length).toBe(before + 2)
    expect(await one.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('is blocked if more RFQs than maxPerRun qualify, by the kill switch, and while the clocks differ', async () => {
    const fixture = await openClosingFixture([{}, {}, {}])
    const only = fixture.ids.slice(0, 1)
    for (let round = 0; round < 6; round++) {
      const blocked = await fixture.closeExpired({ only, maxPerRun: 2, startedBy: 'page ana' })
      expect(blocked).toMatchObject({
        approvalPlan: expect.any(String),
        counts: { blocked: 1 },
      })
      await fixture.closeExpired({ only }, { stopped: () => 'stop file' })
      await fixture.closeExpired({ only, maxClockSkewSeconds: -1 })
      await fixture.closeExpired({ only, mode: 'dry-run' })
      if (round === 3) await fixture.reopenStore()
    }
    expect(fixture.posts()).toEqual([])
    expect(new Set((await fixture.store.decisions({})).map(({ rfqId }) => rfqId))).toEqual(new Set(only))
    expect((await fixture.closeExpired({ only })).counts).toMatchObject({ closed: 1 })
    expect(fixture.posts()).toHaveLength(1)
  })

  it('leaves the open intent of another RFQ to the next round', async () => {
    const fixture = await openClosingFixture([{}, {}])
    const [id = '', other = ''] = fixture.ids
    await fixture.leaveIntent(other, { posts: 1 })
    fixture.advanceSeconds(120)
    await fixture.closeExpired({ only: [id] })
    expect(fixture.posts().map(({ rfqId }) => rfqId)).toEqual([id])
    expect(await fixture.store.openIntents('acme/forest')).toMatchObject([{ rfqId: other, posts: 1 }])
    await fixture.closeExpired()
    expect(fixture.posts().map(({ rfqId }) => rfqId)).toEqual([id, other])
  })

  it('are decided once by two rounds at the same time, neither of which fails', async () => {
    const fixture = await openChannelFixture()
    const store = await openAgain(fixture.store.name, { clock: fixture.now })
    for (let round = 1; round <= 4; round++) {
      for (let rfq = 0; rfq < 5; rfq++) fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
      await fixture.pollRfqs()
      const rounds = await Promise.all(
        [undefined, store].map((other) => fixture.closeExpired({ byHand: true }, other && { store: other })),
      )
      expect(rounds.map(({ run }) => run.outcome)).toEqual(['complete', 'complete'])
      for (const { run, counts } of rounds) expect(counts.closed + counts.alreadyClosed).toBe(run.seen)
      expect(fixture.posts()).toHaveLength(5 * round)
      const decisions = await store.decisions({ channel: 'acme/forest' })
      expect(decisions.map(({ outcome }) => outcome)).toEqual(Array(5 * round).fill('closed'))
    }
  })

  it('are sent twice at most by two rounds at the same time, of which no close has a certain effect', async () => {
    const fixture = await openChannelFixture()
    const store = await openAgain(fixture.store.name, { clock: fixture.now })
    const ids = Array.from({ length: 5 }, () => fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE }).id)
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'closeRfq', times: 100, effect: { kind: 'reset', apply: false } })
    for (let round = 0; round < 4; round++) {
      const rounds = await Promise.all(
        [undefined, store].map((other) => fixture.closeExpired({ byHand: true }, other && { store: other })),
      )
      for (const { run } of rounds) expect(run.error ?? '').not.toMatch(/intent/)
      fixture.advanceSeconds(300)
    }
    for (const id of ids) expect(fixture.posts().filter(({ rfqId }) => rfqId === id).length).toBeLessThanOrEqual(2)
  })

  it('asked for by a person has a decision of its own, even for the same reasons', async () => {
    const fixture = await openClosingFixture([{ responseDueDate: '0001-01-01' }])
    const [id = ''] = fixture.ids
    const asked = { only: [id], byHand: true, startedBy: 'page ana' }
    for (const policy of [{}, {}, asked, asked, {}]) await fixture.closeExpired(policy)
    const decisions = await fixture.store.decisions({ rfqId: id })
    expect(decisions.map(({ evidence, times }) => [evidence.only, evidence.startedBy, times])).toEqual([
      [false, null, 1],
      [true, 'page ana', 2],
      [false, null, 2],
    ])
  })
})
