import { describe, expect, it, vi } from 'vitest'
import type { World } from '../../src/sandbox/index.js'
import { READ_EVERYTHING } from '../../src/sync/plan.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { rowsOf } from '../helpers/store/store-engine.js'

const sql = (fixture: ChannelFixture, text: string) => rowsOf(fixture.store, text)
describe('polling RFQs', () => {
  it('reads open RFQs every time, and closed ones when their list entry changed or recheckClosedHours have passed', async () => {
    const fixture = await openChannelFixture()
    const { world, requests } = fixture.sandbox
    const open = world.addRfq(CHANNEL)
    const closed = world.addRfq(CHANNEL)
    world.addResponse(closed.id)
    world.closeRfq(closed.id)
    /** The numbers of RFQs and of responses that a poll reads. */
    const reads = async (options = {}) => {
      requests.length = 0
      await fixture.pollRfqs(options)
      return ['readRfq', 'readResponse'].map((name) => requests.filter(({ operation }) => operation === name).length)
    }
    expect(await reads()).toEqual([2, 1])
    expect(await reads()).toEqual([1, 0])
    world.changeRfq(closed.id, { title: 'Another title' })
    expect(await reads()).toEqual([2, 1])
    fixture.advanceSeconds(24 * 3600)
    expect(await reads()).toEqual([2, 1])
    expect(await reads({ recheckClosedHours: 0 })).toEqual([2, 1])
    world.closeRfq(open.id)
    expect(await reads()).toEqual([1, 0])
    expect(await sql(fixture, 'select distinct state from rfqs')).toEqual([{ state: 'closed' }])
  })

  it('records an RFQ without an offer that cannot be read, names it, and reads it as soon as it can', async () => {
    const fixture = await openChannelFixture()
    const { world, faults } = fixture.sandbox
    const [rfqId, other] = [world.addRfq(CHANNEL).id, world.addRfq(CHANNEL).id]
    const offerId = world.addResponse(rfqId).id
    await fixture.pollRfqs()
    for (const id of [rfqId, other]) world.changeRfq(id, { title: 'New' })
    // Read again later although it is closed, because it was not read whole.
    world.closeRfq(rfqId)
    world.changeResponse(offerId, { offer: { totalPrice: 4711 } })
    fixture.always({ responseId: offerId }, { kind: 'status', status: 500 })
    for (let round = 0; round < 3; round++) {
      fixture.advanceSeconds(60)
      const { run, failures } = await fixture.pollRfqs()
      expect(run.outcome).toBe('partial')
      expect(failures).toHaveLength(1)
      expect(run.error).toContain(failures[0]?.message ?? '?')
      expect(await sql(fixture, `select count(*) as n from rfqs where title = 'New'`)).toEqual([{ n: 2 }])
      expect(await sql(fixture, 'select version, shape from offers')).toEqual([{ version: 1, shape: 'full' }])
    }
    faults.clear()
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    expect(await sql(fixture, 'select total_price from offers')).toEqual([{ total_price: 4711 }])
    // The list, and the RFQ that is open.
    expect((await fixture.pollRfqs()).run.requests).toBe(2)
  })

  it('records an RFQ of which nothing has changed as if each document were compared, over many rounds', async () => {
    const told = await openChannelFixture({ rfqs: 6, responsesPerRfq: 3 })
    const comparing = await openChannelFixture({ rfqs: 6, responsesPerRfq: 3 })
    const { recordRfq } = comparing.store
    const counts = { same: 0, others: 0 }
    comparing.store.recordRfq = (run, { isSame, ...snapshot }, now) => {
      counts[isSame ? 'same' : 'others']++
      return recordRfq(run, snapshot, now)
    }
    const rfqs = [...(told.sandbox.world.channel(CHANNEL)?.rfqs ?? [])].map(({ terms, responses }) => ({
      id: terms.id,
      offers: responses.map(({ id }) => id),
    }))
    const unread = { kind: 'status', status: 500 } as const
    const changes = [
      (world, { id }) => world.changeRfq(id, { title: 'Another' }),
      (world, { offers }) => world.changeResponse(offers[0] as string, { offer: { totalPrice: 4711 } }),
      (world, { offers }) => world.removeResponse(offers[1] as string),
      (world, { id }) => world.addResponse(id),
      (world, { id }) => world.closeRfq(id),
      (_, { id }, faults) => faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: [id] } }),
      (_, { offers }, faults) => faults.add({ responseId: offers[2] as string, effect: unread, times: 3 }),
      (_, { id }, faults) => faults.add({ rfqId: id, operation: 'readRfq', effect: unread, times: 3 }),
    ] satisfies ((world: World, rfq: (typeof rfqs)[number], faults: ChannelFixture['sandbox']['faults']) => unknown)[]
    for (const [round, change] of [...changes, ...changes].entries()) {
      for (const { sandbox } of [told, comparing])
        change(sandbox.world, rfqs[round % rfqs.length] as (typeof rfqs)[number], sandbox.faults)
      for (const recheckClosedHours of [24, 0])
        for (const fixture of [told, comparing]) {
          fixture.advanceSeconds(60)
          await fixture.pollRfqs({ recheckClosedHours })
        }
      for (const table of ['documents', 'versions', 'problems']) {
        const rows = (fixture: ChannelFixture) => sql(fixture, `select * from ${table} order by 1, 2, 3, 4, 5`)
        expect(await rows(told)).toEqual(await rows(comparing))
      }
    }
    expect(counts.same).toBeGreaterThan(60)
    expect(counts.others).toBeGreaterThan(15)
  })

  it('records nothing of an RFQ that cannot be read, and is gone from a list that another run has read meanwhile', async () => {
    const fixture = await openChannelFixture({ rfqs: 2 })
    const [rfq] = fixture.sandbox.world.channel(CHANNEL)?.rfqs ?? []
    fixture.always({ rfqId: rfq?.terms.id ?? '', operation: 'readRfq' }, { kind: 'status', status: 404 })
    fixture.store.listEntry = async () => null
    const { run, failures } = await fixture.pollRfqs()
    expect([run.outcome, failures.length]).toEqual(['partial', 1])
    expect(await sql(fixture, 'select id from rfqs')).toHaveLength(1)
  })

  it('reads at most as many RFQs at once as requests may be in flight', async () => {
    const fixture = await openChannelFixture({ rfqs: 12, responsesPerRfq: 5 })
    await fixture.pollRfqs({ concurrency: 3 })
    const left = new Map<string | null, number>()
    for (const { operation, rfqId } of fixture.sandbox.requests.slice(1)) {
      left.set(rfqId, operation === 'readRfq' ? 5 : (left.get(rfqId) ?? 0) - 1)
      expect([...left.values()].filter((count) => count > 0).length).toBeLessThanOrEqual(3)
    }
    expect([...left.values()]).toEqual(Array(12).fill(0))
  })

  it('reads the others while an RFQ with many offers does not answer', async () => {
    const fixture = await openChannelFixture({ rfqs: 6, responsesPerRfq: 20 })
    const readRfqs = () => fixture.sandbox.requests.filter(({ operation }) => operation === 'readRfq').length
    let begun = 0
    const waitForOthers = async () => {
      await vi.waitUntil(() => readRfqs() === 6, 5_000).catch(() => undefined)
      begun = readRfqs()
    }
    fixture.sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'call', call: waitForOthers } })
    await fixture.pollRfqs()
    expect(begun).toBe(6)
  })

  it('reads all others after a poll that an RFQ with many offers that fail has ended', async () => {
    const fixture = await openChannelFixture({ rfqs: 20, responsesPerRfq: 1, retries: 5 })
    const { world, requests } = fixture.sandbox
    const { id } = world.addRfq(CHANNEL)
    for (let n = 0; n < 40; n++) world.addResponse(id)
    fixture.always({ operation: 'readResponse', rfqId: id }, { kind: 'status', status: 503 })
    const poll = () => fixture.pollRfqs({ planning: READ_EVERYTHING, recheckClosedHours: 0 })
    for (let round = 0; round < 4; round++) await poll()
    requests.length = 0
    expect((await poll()).failures).toHaveLength(1)
    expect(requests.filter(({ operation }) => operation === 'readRfq')).toHaveLength(21)
  })

  it('stops between two RFQs when it is aborted', async () => {
    const fixture = await openChannelFixture({ rfqs: 8, responsesPerRfq: 1 })
    const stop = new AbortController()
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 3, effect: { kind: 'call', call: () => stop.abort() } })
    const { run } = await fixture.pollRfqs({ concurrency: 1, signal: stop.signal })
    expect(run.outcome).toBe('partial')
    expect(await sql(fixture, 'select count(*) as n from rfqs')).toEqual([{ n: 3 }])
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete' })
    expect(await sql(fixture, 'select count(*) as n from rfqs')).toEqual([{ n: 8 }])
  })
})

it.each([
  ['is read', 'complete'],
  ['cannot be read', 'partial'],
])(
  'a missing RFQ is not deleted, and its absence ends when the list shows it again, and it %s',
  async (read, outcome) => {
    const fixture = await openChannelFixture({ rfqs: 3, responsesPerRfq: 1 })
    await fixture.pollRfqs()
    const [{ id }] = (await sql(fixture, 'select id from rfqs')) as [{ id: string }]
    const fault = fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: [id] } })
    fixture.advanceSeconds(60)
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', missing: 1 })
    expect(fault.hits).toBe(1)
    const missing = 'select id, missing_since from rfqs where missing_since is not null'
    expect(await sql(fixture, missing)).toEqual([{ id, missing_since: '2026-11-21T12:01:00.000Z' }])
    // Its offers are not.
    expect(await sql(fixture, 'select 1 as n from offers where missing_since is not null')).toEqual([])
    fixture.advanceSeconds(60)
    const effect = { kind: 'status', status: 404 } as const
    if (read === 'cannot be read') fixture.sandbox.faults.add({ rfqId: id, operation: 'readRfq', effect })
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome, missing: 0, inserted: 0, changed: 0 })
    expect(await sql(fixture, missing)).toEqual([])
  },
)

describe('documents that do not match the documented format', () => {
  it('without an identifier, or with a duplicate one, are recorded with a problem', async () => {
    const fixture = await openChannelFixture()
    const rfq = fixture.sandbox.world.addRfq(CHANNEL, { title: 'First' })
    fixture.sandbox.faults.add({
      operation: 'listRfqs',
      effect: {
        kind: 'transform',
        change: (body) => ({
          items: [{ ...body.items[0], title: 'Other' }, ...body.items, null, { title: 'Nameless' }],
        }),
      },
    })
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', seen: 3, invalid: 2, inserted: 3 })
    expect(await sql(fixture, 'select count(*) as n, sum(valid) as valid from rfqs')).toEqual([{ n: 3, valid: 1 }])
    expect((await fixture.store.problems({ entityIds: [rfq.id] })).map(({ code }) => code)).toEqual(['duplicate'])
  })
})
