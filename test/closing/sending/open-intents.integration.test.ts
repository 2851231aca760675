import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../src/sandbox/index.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'

const EXTENDED = { responseDueDate: '2026-12-24' }

/**
 * One RFQ past due, whose close a crash left open after a number of POSTs.
 * @param options.age how many seconds ago the POSTs were sent
 */
async function openCrashedFixture(posts: 0 | 1 | 2, { planned = 0, age = 120, id = rfqId(1), rfqs = [{}] } = {}) {
  const fixture = await openClosingFixture(rfqs)
  await fixture.leaveIntent(id, { posts, planned })
  fixture.advanceSeconds(age)
  return fixture
}

describe('an intent that a crash left open', () => {
  it('is sent once more a minute after its first POST and what clocks may differ, not earlier', async () => {
    const fixture = await openCrashedFixture(1, { planned: 300, age: 119 })
    const early = await fixture.closeExpired()
    expect(early.decisions).toMatchObject([
      {
        decision: 'keep',
        reason: expect.stringMatching(/not settled yet \(its close was sent less than 120 s ago/),
      },
    ])
    expect(early.run).toMatchObject({ seen: 1, error: 'RFQs that need attention: 1 not settled (1001).' })
    expect(fixture.posts()).toEqual([])
    fixture.advanceSeconds(1)
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { decision: 'close', outcome: 'closed', evidence: { request: { posts: 2 } } },
    ])
    expect(fixture.posts()).toHaveLength(1)
  })

  it.each<[string, 0 | 1 | 2, object | null, string | null]>([
    ['not sent: given up', 0, null, null],
    ['not sent and its RFQ is not past due any more: given up', 0, EXTENDED, null],
    ['sent and its RFQ is not past due any more: unknown', 1, EXTENDED, 'unknown'],
    ['sent twice: unknown', 2, null, 'unknown'],
    ['sent and its RFQ is in another state: unknown', 1, { state: 'withdrawn' }, 'unknown'],
    ['sent and its RFQ has no state: unknown', 1, { state: null }, 'unknown'],
    ['sent and its RFQ is closed: closed', 2, { state: 'closed' }, 'closed'],
    ['not sent and its RFQ is closed: closed elsewhere', 0, { state: 'closed' }, 'already-closed'],
  ])('is settled by reading if it was %s', async (_title, posts, change, outcome) => {
    const fixture = await openCrashedFixture(posts)
    if (change !== null) fixture.sandbox.world.changeRfq(rfqId(1), change)
    const { decisions, counts } = await fixture.closeExpired({ maxPerRun: 0 })
    const sent = posts === 0 ? 'not sent' : 'sent 2026-11-21T12:00:00.000Z'
    const reason = expect.stringContaining(`(${sent}); a read shows`)
    expect(decisions[0]).toMatchObject({ decision: 'close', outcome, reason })
    expect(counts).toMatchObject({ closed: outcome === 'closed' ? 1 : 0 })
    expect(await fixture.store.openIntents(KEY)).toEqual([])
    expect(fixture.posts()).toEqual([])
  })

  it.each<[string, object, Effect]>([
    ['the list may not be whole', { operation: 'listRfqs' }, { kind: 'empty' }],
    ['the marketplace sent no Date header', {}, { kind: 'date', value: null }],
    ["the marketplace's clock is 119 s behind ours", {}, { kind: 'date', skewMs: -120_000 }],
  ])('waits while %s', async (reason, where, effect) => {
    const fixture = await openCrashedFixture(1)
    fixture.always(where, effect)
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { decision: 'keep', reason: expect.stringContaining(reason), evidence: { codes: ['open-intent'] } },
    ])
    expect(await fixture.store.openIntents(KEY)).toMatchObject([{ posts: 1 }])
    expect(fixture.posts()).toEqual([])
  })

  it.each([
    [0, null],
    [1, 'unknown'],
  ] as const)('after %d POSTs is not sent while its RFQ is missing from the list', async (posts, outcome) => {
    const fixture = await openCrashedFixture(posts)
    const empty = fixture.always({ operation: 'listRfqs' }, { kind: 'empty' })
    await fixture.pollRfqs({ acceptLoss: true })
    expect((await fixture.closeExpired()).decisions[0]).toMatchObject({ decision: 'close', outcome })
    for (let round = 0; round < 6; round++) await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    expect((await fixture.store.rfqs({ channel: KEY }))[0]?.rfq.missingSince).not.toBeNull()
    empty.remove()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(posts === 0 ? 1 : 0)
  })

  it.each<[number, 0 | 1, string | null]>([
    [404, 1, 'unknown'],
    [404, 0, null],
    [503, 1, null],
  ])('stays open if its RFQ cannot be read (%i after %i POSTs), unless it is gone for good', async (...given) => {
    const [status, posts, outcome] = given
    const rfqs = [{ responseDueDate: '2026-12-24' }, {}]
    const fixture = await openCrashedFixture(posts, { id: rfqId(2), rfqs })
    fixture.always({ rfqId: rfqId(2), operation: 'readRfq' }, { kind: 'status', status })
    expect((await fixture.closeExpired()).failures).toMatchObject([{ id: `RFQ ${rfqId(2)}` }])
    expect(await fixture.store.openIntents(KEY)).toHaveLength(1)
    fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: [rfqId(2)] } })
    const { decisions, failures } = await fixture.closeExpired()
    const gone = { decision: 'close', outcome, reason: expect.stringContaining('can no longer be read') }
    // Only 404 says that it is gone.
    expect(decisions[0]).toMatchObject(status === 404 ? gone : { rfqId: rfqId(2), decision: 'keep' })
    expect(failures).toHaveLength(status === 404 ? 0 : 1)
    expect(fixture.posts()).toEqual([])
  })
})
