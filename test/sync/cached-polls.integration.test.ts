import { expect, it } from 'vitest'
import { pollRfqs } from '../../src/sync/poll-rfqs.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { startCachingProxy } from '../helpers/servers/caching-proxy.js'

/** RFQs with an offer each, and a cache between Quotekeeper and the marketplace. */
async function openCachedFixture() {
  const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1 })
  const proxy = await startCachingProxy(fixture.sandbox.url, fixture.now)
  const poll = async () => {
    const context = { session: fixture.sessionVia(proxy.url), store: fixture.store, now: fixture.now }
    return (await pollRfqs(context, { recheckClosedHours: 24, concurrency: 2 })).run
  }
  const [rfq] = (await fixture.session().listRfqs()).value
  const [response] = rfq?.document?.responses ?? []
  return Object.assign(fixture, { proxy, poll, rfqId: rfq?.id ?? '', responseId: response?.id ?? '' })
}

it('a poll that gets the list from a cache fails, marks nothing missing and makes nothing newer', async () => {
  const fixture = await openCachedFixture()
  await fixture.poll()
  fixture.sandbox.world.changeRfq(fixture.rfqId, { title: 'Changed' })
  const { id } = fixture.sandbox.world.addRfq(CHANNEL)
  await fixture.pollRfqs()
  for (let poll = 0; poll < 3; poll++) {
    fixture.advanceSeconds(13)
    expect(await fixture.poll()).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining('a cache answered'),
    })
    if (poll === 1) await fixture.reopenStore()
  }
  const states = await fixture.store.rfqStates(KEY)
  expect(states.find((state) => state.id === id)).toMatchObject({ missingSince: null })
  fixture.advanceSeconds(13)
  expect(await fixture.poll()).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})

it.each(['rfqId', 'responseId'] as const)(
  'a poll that gets one document (%s) from a cache names it and reads the others',
  async (which) => {
    const fixture = await openCachedFixture()
    const readAt = fixture.now().toISOString()
    await fixture.poll()
    fixture.proxy.answers = (path) => path.endsWith(`/${fixture[which]}`)
    for (let poll = 0; poll < 3; poll++) {
      fixture.advanceSeconds(13)
      fixture.sandbox.world.changeRfq(fixture.rfqId, { title: `Title ${poll}` })
      fixture.sandbox.world.changeResponse(fixture.responseId, { offer: { totalPrice: 1000 + poll } })
      expect(await fixture.poll()).toMatchObject({
        outcome: 'partial',
        failedItems: 1,
        error: expect.stringContaining('a cache answered'),
      })
      if (poll === 1) await fixture.reopenStore()
    }
    fixture.advanceSeconds(13)
    await fixture.poll()
    const kind = which === 'rfqId' ? 'rfq' : 'response'
    const versions = (await fixture.store.rfqHistory(KEY, fixture.rfqId)).filter((version) => version.kind === kind)
    expect(versions.at(-1)).toMatchObject({ version: 2, notBefore: readAt })
  },
)

it.each(['304 Not Modified', '100 Continue before the reply'])(
  'a poll that gets %s for one RFQ names it and reads the others',
  async (reply) => {
    const fixture = await openCachedFixture()
    fixture.proxy.answers = () => false
    const isOdd = (path: string) => path.endsWith(`/${fixture.rfqId}`)
    const notModified = { operation: 'readRfq', rfqId: fixture.rfqId, times: Number.POSITIVE_INFINITY } as const
    if (reply.startsWith('304')) fixture.sandbox.faults.add({ ...notModified, effect: { kind: 'status', status: 304 } })
    else fixture.proxy.continues = isOdd
    for (let poll = 0; poll < 3; poll++) {
      fixture.advanceSeconds(60)
      const run = await fixture.poll()
      expect(run).toMatchObject({ outcome: 'partial', failedItems: 1, error: expect.stringContaining(fixture.rfqId) })
      const reads = fixture.sandbox.requests.filter(({ operation, path }) => operation === 'readRfq' && !isOdd(path))
      expect(reads).toHaveLength(poll + 1)
    }
  },
)
