import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClosingContext } from '../../../src/closing/contract.js'
import { createMarketplace } from '../../../src/marketplace/client.js'
import type { ChannelSession, Timing } from '../../../src/marketplace/contract.js'
import { ChannelError, NotSentError } from '../../../src/marketplace/errors.js'
import type { Store } from '../../../src/store/contract.js'
import { CHANNEL, KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'

const LATER = '2026-12-24'
const ROUNDS = 6

/** RFQs that are past due, and closing rounds whose monotonic clock the test moves; waits of the client end at once. */
async function openSlowFixture({ rfqs = 1 }: { rfqs?: number } = {}) {
  const fixture = await openClosingFixture(Array.from({ length: rfqs }, () => ({})))
  const other = { org: 'acme', channel: 'swamp', apiKey: 'key of acme' }
  let elapsed = 0
  const timing: Timing = {
    elapsed: () => elapsed,
    wait: async (milliseconds, signal) => {
      signal.throwIfAborted()
      elapsed += milliseconds
      fixture.advanceSeconds(milliseconds / 1000)
    },
  }
  const limits = { concurrency: 2, perSecond: 100_000, timeoutMs: 2000, retries: 0, maxBodyMiB: 1 }
  const marketplace = createMarketplace({
    baseUrl: fixture.sandbox.url,
    limits,
    version: 'test',
    now: fixture.now,
    timing,
  })
  onTestFinished(() => marketplace.close())
  const closeNow = (context: Partial<ClosingContext> = {}) => {
    const session = marketplace.session({ ...CHANNEL, apiKey: 'key of acme' })
    return fixture.closeExpired({}, { session, ...context })
  }
  /** A store that does something right after a close was marked as being sent. */
  const afterMarking = (act: () => unknown): Store => ({
    ...fixture.store,
    markSending: async (...args) => {
      const intent = await fixture.store.markSending(...args)
      await act()
      return intent
    },
  })
  return Object.assign(fixture, {
    closeNow,
    afterMarking,
    /** Another channel asks for its listings. */
    askOther: () => marketplace.session(other).listListings(),
    suspend: (seconds: number) => {
      elapsed += seconds * 1000
    },
  })
}

/** A session in which something happens between the read of a close and its POST. */
const withReadForClose = (real: ChannelSession, readForClose: ChannelSession['readForClose']): ChannelSession =>
  new Proxy(real, {
    get: (_, name) => {
      const value = name === 'readForClose' ? readForClose : Reflect.get(real, name)
      return typeof value === 'function' ? value.bind(real) : value
    },
  })

describe('a close that could be sent only after a while', () => {
  it.each<[string, (fixture: Awaited<ReturnType<typeof openSlowFixture>>) => unknown]>([
    ['by the monotonic clock', (fixture) => fixture.suspend(3)],
    ['by the wall clock', (fixture) => fixture.advanceSeconds(3)],
    ['by a wall clock that was set back', (fixture) => fixture.advanceSeconds(-60)],
  ])('%s is not sent, and is no attempt; the next round sends it', async (_title, delay) => {
    const fixture = await openSlowFixture()
    const { posts } = fixture
    for (let round = 0; round < ROUNDS; round++) {
      const { decisions, run } = await fixture.closeNow({ store: fixture.afterMarking(() => delay(fixture)) })
      expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('its close was not sent: ') })
      if (round === 0)
        expect(decisions).toMatchObject([{ decision: 'keep', outcome: null, evidence: { codes: ['not-sent'] } }])
      expect(await fixture.store.openIntents(KEY)).toEqual([])
      expect(posts()).toEqual([])
      if (round === 3) await fixture.reopenStore()
    }
    const { decisions } = await fixture.closeNow({ store: fixture.store })
    expect(decisions).toMatchObject([{ outcome: 'closed', evidence: { request: { posts: 1 } } }])
    expect(posts()).toHaveLength(1)
  })

  it.each([
    [3, 1, null],
    [6, 0, /its close was not sent: the RFQ was read 6\.0 s before it could be sent/],
  ])('because the read took %d s is sent %d times', async (seconds, posts, error) => {
    const fixture = await openSlowFixture()
    for (let round = 0; round < (posts === 0 ? ROUNDS : 1); round++) {
      const real = fixture.session()
      const session = withReadForClose(real, async (id) => {
        const slot = await real.readForClose(id)
        const readAge = slot.readAge()
        return { ...slot, readAge: () => readAge + seconds * 1000 }
      })
      const { run } = await fixture.closeNow({ session })
      if (error === null) expect(run.error).toBeNull()
      else expect(run.error).toMatch(error)
      expect(await fixture.store.openIntents(KEY)).toEqual([])
    }
    expect(fixture.posts()).toHaveLength(posts)
  })

  it('is not sent if the round was stopped, or its run taken over, meanwhile', async () => {
    for (const isLost of [false, true]) {
      const fixture = await openSlowFixture()
      const [stopped, lost] = [new AbortController(), new AbortController()]
      const store: Store = {
        ...fixture.afterMarking(() => (isLost ? lost : stopped).abort(new Error('taken over'))),
        beginRun: async (start) => ({ ...(await fixture.store.beginRun(start)), lost: lost.signal }),
      }
      await fixture.closeNow({ store, signal: stopped.signal }).catch(() => undefined)
      expect(fixture.posts()).toEqual([])
      expect(await fixture.store.openIntents(KEY)).toEqual([])
    }
  })

  it('is read again at once, and sent if that was quick enough', async () => {
    const fixture = await openSlowFixture({ rfqs: 3 })
    let delays = 0
    const store = fixture.afterMarking(() => (++delays % 2 === 1 ? fixture.suspend(3) : undefined))
    const { decisions } = await fixture.closeNow({ store })
    expect(decisions.map(({ outcome, evidence }) => [outcome, evidence.request])).toEqual(
      decisions.map(() => ['closed', expect.objectContaining({ posts: 1 })]),
    )
    expect(fixture.posts().map(({ rfqId: id }) => id)).toEqual(fixture.ids)
  })

  it.each([
    ['finds what changed', 0],
    ['obeys a stop order that was given', 0],
    ['obeys a stop order that was given', 1],
  ])('because another channel was asked for a pause %s meanwhile (after %d POSTs)', async (what, posts) => {
    const fixture = await openSlowFixture()
    const { sandbox } = fixture
    let stopped: string | null = null
    let pausedAt = 0
    if (posts === 1) fixture.answerCloses(rfqId(1), 503)
    const store = fixture.afterMarking(async () => {
      if (fixture.posts().length < posts || pausedAt > 0) return
      pausedAt = fixture.now().getTime()
      const effect = { kind: 'status', status: 429, headers: { 'Retry-After': '55' } } as const
      sandbox.faults.add({ operation: 'listListings', effect })
      await fixture.askOther().catch(() => undefined)
      if (what === 'finds what changed') sandbox.world.changeRfq(rfqId(1), { responseDueDate: LATER })
      else stopped = 'somebody stopped it'
    })
    for (let round = 0; round < ROUNDS; round++) {
      await fixture.closeNow({ store, killSwitch: async () => stopped })
      expect(fixture.now().getTime() - pausedAt).toBeGreaterThanOrEqual(55_000)
      fixture.advanceSeconds(120)
    }
    expect(pausedAt).toBeGreaterThan(0)
    expect(fixture.posts()).toHaveLength(posts)
    expect((await fixture.store.openIntents(KEY)).map((intent) => intent.posts)).toEqual(posts === 1 ? [1] : [])
  })
})

describe('a close of which nothing was sent', () => {
  it.each<[string, Error, object[], object]>([
    [
      'no connection could be made',
      new NotSentError('connection refused'),
      [{ decision: 'keep', evidence: { codes: ['not-sent'] } }],
      { outcome: 'partial', error: expect.stringContaining('its close was not sent: connection refused') },
    ],
    [
      'the API key was refused meanwhile',
      new ChannelError('401'),
      [],
      { outcome: 'partial', stop: { code: 'channel' } },
    ],
  ])(
    'because %s is no attempt and leaves nothing to settle; the next round sends it',
    async (_title, error, kept, end) => {
      const fixture = await openSlowFixture()
      for (let round = 0; round < ROUNDS; round++) {
        const real = fixture.session()
        const close = async () => Promise.reject(error)
        const session = withReadForClose(real, async (id) => ({ ...(await real.readForClose(id)), close }))
        const { decisions, run, unsettled } = await fixture.closeNow({ session })
        // The same decision is not recorded again.
        expect(decisions).toMatchObject(round === 0 ? kept : [])
        expect(unsettled).toEqual([])
        expect(run).toMatchObject(end)
        expect(await fixture.store.openIntents(KEY)).toEqual([])
        expect(await fixture.store.sentIntents(KEY, new Date(0))).toEqual(new Map())
      }
      expect(fixture.posts()).toEqual([])
      expect((await fixture.closeNow()).decisions).toMatchObject([{ outcome: 'closed' }])
    },
  )
})

describe('a close one of whose reads fails', () => {
  const failReads = (fixture: Awaited<ReturnType<typeof openClosingFixture>>, skip: number) => {
    fixture.sandbox.faults.clear()
    fixture.always({ operation: 'readRfq', skip }, { kind: 'status', status: 503 })
  }

  it.each([
    ['first', 0],
    ['confirming', 1],
  ])('is not sent if that is the %s one, until it succeeds', async (_title, skip) => {
    const fixture = await openClosingFixture()
    for (let round = 0; round < 3; round++) {
      failReads(fixture, skip)
      expect((await fixture.closeExpired()).failures).toMatchObject([{ id: 'RFQ 1001' }])
      expect(await fixture.store.openIntents(KEY)).toEqual([])
      expect(fixture.posts()).toEqual([])
      if (round === 1) await fixture.reopenStore()
    }
    fixture.sandbox.faults.clear()
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ outcome: 'closed' }])
  })

  it('stays open if that is the one that verifies it, and is settled by the first that succeeds', async () => {
    const fixture = await openClosingFixture()
    failReads(fixture, 2)
    expect(await fixture.closeExpired()).toMatchObject({ decisions: [], run: { outcome: 'partial' } })
    for (let round = 0; round < 3; round++) {
      fixture.advanceSeconds(120)
      failReads(fixture, 0)
      expect((await fixture.closeExpired()).unsettled).toMatchObject([{ outcome: 'open' }])
      if (round === 1) await fixture.reopenStore()
    }
    fixture.sandbox.faults.clear()
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { decision: 'close', outcome: 'closed', evidence: { request: { posts: 1 } } },
    ])
    expect(fixture.posts()).toHaveLength(1)
  })
})
