import { describe, expect, it } from 'vitest'
import { closeExpired } from '../../../src/closing/closing-round.js'
import type { ClosingPolicy } from '../../../src/closing/contract.js'
import { pollRfqs } from '../../../src/sync/poll-rfqs.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { ALWAYS, closingContextOf, openClosingFixture, POLICY, rfqId } from '../../helpers/closing-round-fixture.js'
import { startCachingProxy } from '../../helpers/servers/caching-proxy.js'

const EXTENDED = { responseDueDate: '2026-12-05' }
const ROUNDS = 4

/** Whether a request is not for the list. */
const isRfq = (path: string) => /\/rfqs\/./.test(path)

/** RFQs that are past due, with a cache between Quotekeeper and the marketplace. */
async function openCachedFixture({ rfqs = 1, ...cache }: { rfqs?: number; seconds?: number; obeys?: boolean } = {}) {
  const fixture = await openClosingFixture(Array.from({ length: rfqs }, () => ({})))
  const proxy = await startCachingProxy(fixture.sandbox.url, fixture.now, cache)
  // The list has neither states nor dates, so that it contradicts no old read, and is never from the cache unless a test says so.
  const patch = { state: null, responseDueDate: null }
  for (const id of fixture.ids)
    fixture.sandbox.faults.add({ operation: 'listRfqs', times: ALWAYS, effect: { kind: 'patch', id, patch } })
  proxy.answers = isRfq
  const only = fixture.sessionVia(proxy.url)
  const session = () => only
  return Object.assign(fixture, {
    proxy,
    poll: () =>
      pollRfqs(
        { session: session(), store: fixture.store, now: fixture.now },
        { recheckClosedHours: 24, concurrency: 2 },
      ),
    close: (policy: Partial<ClosingPolicy> = {}) =>
      closeExpired(closingContextOf(fixture, { session: session() }), { ...POLICY, ...policy }),
  })
}

/** The reads of a round that closes one RFQ. */
const [FIRST_READ, CONFIRMING_READ, VERIFYING_READ] = [1, 2, 3]

/** Answers only some reads from the cache, by their number from now on. */
function answerFromCache({ proxy }: Awaited<ReturnType<typeof openCachedFixture>>, numbers: readonly number[]): void {
  let reads = 0
  proxy.answers = (path) => isRfq(path) && numbers.includes(++reads)
  proxy.age = () => '1'
}

describe('a closing round behind a cache', () => {
  it('closes nothing on an old list', async () => {
    const fixture = await openCachedFixture()
    await fixture.poll()
    fixture.proxy.answers = (path) => !isRfq(path)
    for (let round = 0; round < ROUNDS; round++) {
      fixture.advanceSeconds(3)
      expect((await fixture.close()).run).toMatchObject({ error: expect.stringContaining('a cache answered') })
    }
    expect(fixture.posts()).toEqual([])
  })

  it.each(['13', '1', 'soon', '-1', '0, 50'])(
    'closes nothing on replies with "Age: %s", over rounds and restarts',
    async (age) => {
      const fixture = await openCachedFixture()
      fixture.proxy.age = () => age
      await fixture.poll()
      fixture.sandbox.world.changeRfq(rfqId(1), EXTENDED)
      for (const mode of ['on', 'dry-run', 'on'] as const) {
        fixture.advanceSeconds(13)
        const { run, decisions } = await fixture.close({ mode })
        expect(decisions).toEqual([])
        expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('a cache answered') })
        await fixture.reopenStore()
      }
      fixture.proxy.answers = () => false
      expect((await fixture.close()).decisions).toMatchObject([
        {
          decision: 'keep',
          dueDate: EXTENDED.responseDueDate,
          evidence: { codes: expect.arrayContaining(['not-past-due']) },
        },
      ])
      expect(fixture.posts()).toEqual([])
    },
  )

  it('closes nothing on old replies without "Age", which it tells by their "Date"', async () => {
    const fixture = await openCachedFixture({ rfqs: 3, seconds: 3600 })
    fixture.proxy.age = () => undefined
    await fixture.poll()
    for (const rfq of [1, 2, 3]) fixture.sandbox.world.changeRfq(rfqId(rfq), EXTENDED)
    for (const seconds of [6, 20, 30, 3]) {
      fixture.advanceSeconds(seconds)
      expect((await fixture.close()).decisions.map(({ outcome }) => outcome)).not.toContain('closed')
      await fixture.reopenStore()
    }
    expect(fixture.posts()).toEqual([])
    fixture.proxy.answers = () => false
    expect((await fixture.close()).decisions).toMatchObject(Array(3).fill({ dueDate: EXTENDED.responseDueDate }))
    expect(fixture.posts()).toEqual([])
  })

  it.each([
    ['first', FIRST_READ],
    ['confirming', CONFIRMING_READ],
  ])('sends nothing if only its %s read is old, until one is not', async (_title, number) => {
    const fixture = await openCachedFixture()
    await fixture.poll()
    for (let round = 0; round < ROUNDS; round++) {
      answerFromCache(fixture, [number])
      expect((await fixture.close()).failures).toMatchObject([{ message: expect.stringContaining('a cache answered') }])
      expect(fixture.posts()).toEqual([])
      expect(await fixture.store.openIntents(KEY)).toEqual([])
      if (round === 1) await fixture.reopenStore()
    }
    answerFromCache(fixture, [])
    expect((await fixture.close()).decisions).toMatchObject([{ outcome: 'closed' }])
  })

  it('verifies nothing by an old read, and settles the close by the first that is not', async () => {
    const fixture = await openCachedFixture({ seconds: 3600 })
    await fixture.poll()
    answerFromCache(fixture, [VERIFYING_READ])
    expect((await fixture.close()).decisions).toEqual([])
    for (let round = 0; round < ROUNDS; round++) {
      fixture.advanceSeconds(120)
      fixture.proxy.answers = isRfq
      expect((await fixture.close()).unsettled).toMatchObject([{ outcome: 'open' }])
      if (round === 1) await fixture.reopenStore()
    }
    answerFromCache(fixture, [])
    expect((await fixture.close()).decisions).toMatchObject([
      { decision: 'close', outcome: 'closed', evidence: { request: { posts: 1 } } },
    ])
    expect(fixture.posts()).toHaveLength(1)
  })

  it('closes as without one if the cache passes requests that allow no old reply', async () => {
    const fixture = await openCachedFixture({ obeys: true, rfqs: 3 })
    await fixture.poll()
    fixture.sandbox.world.changeRfq(rfqId(2), EXTENDED)
    fixture.advanceSeconds(13)
    const { decisions } = await fixture.close()
    expect(decisions.map(({ rfqId: id, outcome }) => [id, outcome])).toEqual([
      [rfqId(1), 'closed'],
      [rfqId(2), null],
      [rfqId(3), 'closed'],
    ])
  })
})
