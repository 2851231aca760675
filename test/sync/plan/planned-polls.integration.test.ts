import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { plannedPoll } from '../../helpers/planned-poll.js'

async function openWithRfqs(rfqs: number, offers: number) {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const ids = Array.from({ length: rfqs }, () => world.addRfq(CHANNEL, { responseDueDate: '2026-12-24' }).id)
  const offerIds = ids.map((id) => Array.from({ length: offers }, () => world.addResponse(id).id))
  return { fixture, world, ids, offerIds }
}

const history = async (fixture: ChannelFixture, rfqId: string, id: string) =>
  (await fixture.store.rfqHistory(KEY, rfqId)).filter((version) => version.id === id)

describe('planned polls', () => {
  it('find a change of a summary at once, any other within the maximum age, and say when it can have happened', async () => {
    const { fixture, world, ids, offerIds } = await openWithRfqs(1, 2)
    const [rfqId = '', [first = '', second = ''] = []] = [ids[0], offerIds[0]]
    await plannedPoll(fixture)
    const firstRead = fixture.now()
    for (let poll = 0; poll < 3; poll++) await plannedPoll(fixture)
    world.changeResponse(first, { offer: { totalPrice: 12_345 } })
    world.changeResponse(second, { offer: { additionalNotesToBuyer: 'Only in the offer itself.' } })
    const changed = await plannedPoll(fixture)
    expect(changed.run.changed).toBe(2)
    expect(await history(fixture, rfqId, rfqId)).toHaveLength(2)
    // The summaries read meanwhile do not show the whole offer.
    expect((await history(fixture, rfqId, first)).at(-1)).toMatchObject({
      notBefore: firstRead.toISOString(),
      observedAt: fixture.now().toISOString(),
    })
    while ((await history(fixture, rfqId, second)).length === 1) await plannedPoll(fixture)
    expect(fixture.now().getTime() - firstRead.getTime()).toBe(55 * 60_000)
    expect((await history(fixture, rfqId, second)).at(-1)).toMatchObject({ notBefore: firstRead.toISOString() })
    const [{ responses } = { responses: [] }] = await fixture.store.rfqs({})
    expect(responses.find(({ id }) => id === second)?.readAt).toBe(fixture.now().toISOString())
  })

  it('never mark an offer missing that was only not read again, and find one that was withdrawn and returns', async () => {
    const { fixture, world, ids, offerIds } = await openWithRfqs(1, 3)
    const [rfqId = '', gone = ''] = [ids[0], offerIds[0]?.[1]]
    for (let poll = 0; poll < 4; poll++) expect((await plannedPoll(fixture)).run.missing).toBe(0)
    const response = world.response(gone)
    world.removeResponse(gone)
    expect((await plannedPoll(fixture)).run.missing).toBe(1)
    const since = fixture.now().toISOString()
    const missingSince = async (asOf?: Date) => {
      const [found] = await fixture.store.rfqs({ ...(asOf && { asOf }) })
      return found?.responses.find(({ id }) => id === gone)?.missingSince
    }
    expect(await missingSince()).toBe(since)
    for (let poll = 0; poll < 3; poll++) expect((await plannedPoll(fixture)).run).toMatchObject({ missing: 0 })
    const place = world.findRfq(rfqId)
    if (place) world.putResponse(place, response)
    expect((await plannedPoll(fixture)).run).toMatchObject({ missing: 0, requests: 1 + 1 + 1 })
    expect(await missingSince()).toBeNull()
    expect(await missingSince(new Date(fixture.now().getTime() - 1))).toBe(since)
  })

  it('postpone what exceeds the request budget, without an error, until everything was read', async () => {
    const { fixture } = await openWithRfqs(4, 5)
    const [first, asOf] = [await plannedPoll(fixture, { budget: 10 }), fixture.now()]
    expect(first.run).toMatchObject({ outcome: 'complete', error: null, requests: 10 })
    expect(first.run.postponed).toBeGreaterThanOrEqual(14)
    expect(await fixture.store.rfqs({})).toHaveLength(4)
    expect(await fixture.store.problems({})).toEqual([])
    const before = await fixture.store.rfqs({ asOf })
    for (let poll = 0; poll < 5; poll++) {
      if (poll === 2) await fixture.reopenStore()
      const { run } = await plannedPoll(fixture, { budget: 10 })
      expect(run.requests).toBeLessThanOrEqual(10)
      expect(run.outcome).toBe('complete')
    }
    const rfqs = await fixture.store.rfqs({})
    const shapes = rfqs.flatMap(({ rfq, responses }) => [rfq.shape, ...responses.map(({ shape }) => shape)])
    expect(shapes).toEqual(Array(24).fill('full'))
    expect(await fixture.store.rfqs({ asOf })).toEqual(before)
    expect((await fixture.store.runs({})).at(-1)).toMatchObject({ postponed: first.run.postponed })
  })

  it('request documents that always fail once each, record the others, and recover at once, also after a restart', async () => {
    const { fixture, world, ids, offerIds } = await openWithRfqs(3, 3)
    const { faults, requests } = fixture.sandbox
    const [rfqId = '', later = ''] = [ids[0], ids[2]]
    const [first = '', second = '', readable = ''] = offerIds[1] ?? []
    const always = { times: Number.POSITIVE_INFINITY, effect: { kind: 'status', status: 500 } } as const
    faults.add({ operation: 'readRfq', rfqId, ...always })
    for (const responseId of [first, second]) faults.add({ responseId, ...always })
    /** How often each was requested by a poll. */
    const attempts = async (poll: () => Promise<unknown> = () => plannedPoll(fixture)) => {
      const before = requests.length
      await poll()
      const paths = requests.slice(before).map(({ path }) => path)
      return [rfqId, first, second, later].map((id) => paths.filter((path) => path.endsWith(id)).length)
    }
    expect(await attempts()).toEqual([3, 3, 3, 1])
    // One that was read before fails from now on.
    faults.add({ operation: 'readRfq', rfqId: later, ...always })
    expect(await attempts()).toEqual([1, 1, 1, 3])
    await fixture.reopenStore()
    world.changeResponse(readable, { offer: { totalPrice: 1_000 } })
    const attempted = await attempts(async () => {
      const { run, failures } = await plannedPoll(fixture)
      expect(run).toMatchObject({ outcome: 'partial', postponed: 0, failedItems: 3 })
      expect(failures.map(({ message }) => message).join(' ')).toContain('1 more of its offers could not be read')
      expect(run.changed).toBeGreaterThan(0)
    })
    expect(attempted).toEqual([1, 1, 1, 1])
    const shapes = async () => {
      const rfqs = new Map((await fixture.store.rfqs({})).map((found) => [found.rfq.id, found]))
      return ids.map((id) => [rfqs.get(id)?.rfq, ...(rfqs.get(id)?.responses ?? [])].map((each) => each?.shape).sort())
    }
    const full = ['full', 'full', 'full', 'full']
    expect(await shapes()).toEqual([['list'], ['full', 'full', 'summary', 'summary'], full])
    // A person who asks for it waits for every attempt.
    expect((await attempts(() => fixture.pollRfqs()))[0]).toBe(3)
    faults.clear()
    expect((await plannedPoll(fixture)).run).toMatchObject({ outcome: 'complete', postponed: 0 })
    expect(await shapes()).toEqual([full, full, full])
  })

  it('name an offer that fails twice in a row, by hand or by the schedule, and count anew once it was read', async () => {
    const { fixture, offerIds } = await openWithRfqs(1, 1)
    const id = offerIds[0]?.[0] ?? ''
    const effect = { kind: 'status', status: 500 } as const
    const byHand = () => {
      fixture.advanceSeconds(300)
      return fixture.pollRfqs()
    }
    const bySchedule = () => plannedPoll(fixture)
    const problemsAfter = async (poll: () => Promise<unknown>) => {
      await poll()
      return (await fixture.store.problems({ entityIds: [id] })).map(({ code, times }) => [code, times])
    }
    for (const [round, [first, second]] of (
      [
        [byHand, byHand],
        [byHand, bySchedule],
        [bySchedule, byHand],
        [bySchedule, bySchedule],
      ] as const
    ).entries()) {
      const known = round === 0 ? [] : [['unavailable', round]]
      const once = [['unavailable', round + 1]]
      fixture.sandbox.world.changeResponse(id, { offer: { totalPrice: 1_000 + round } })
      const fault = fixture.always({ operation: 'readResponse' }, effect)
      expect([round, await problemsAfter(first)]).toEqual([round, known])
      expect([round, await problemsAfter(second)]).toEqual([round, once])
      fault.remove()
      if (round === 1) await fixture.reopenStore()
      expect([round, await problemsAfter(bySchedule)]).toEqual([round, once])
    }
  })
})
