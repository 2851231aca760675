import { describe, expect, it } from 'vitest'
import type { ClosingContext } from '../../../src/closing/contract.js'
import { type FreshRead, readAndRecord } from '../../../src/closing/fresh-read.js'
import { createRound } from '../../../src/closing/round.js'
import { readAndSend } from '../../../src/closing/send-close.js'
import { settleByRead, verifyClose } from '../../../src/closing/settlement.js'
import type { Effect } from '../../../src/sandbox/index.js'
import type { CloseIntent } from '../../../src/store/contract.js'
import { newProgress } from '../../../src/store/runs/with-run.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { closingContextOf, openClosingFixture, POLICY, rfqId } from '../../helpers/closing-round-fixture.js'
import { holdingRun } from '../../helpers/store/holding-run.js'

const SENT_AT = '2026-11-21T12:00:00.000Z'
const intent = (posts: number) => ({ posts, sentAt: posts > 0 ? SENT_AT : null }) as CloseIntent
const read = (state: string | null) => ({ state, missingSince: '2026-11-21T13:00:00.000Z' }) as FreshRead
const nothingSent = { reply: null, sent: [] }

describe('an intent that a crash left open', () => {
  it.each([
    [1, 'closed', 'closed', `(sent ${SENT_AT}); a read shows state closed`],
    [1, 'open', 'unknown', `(sent ${SENT_AT}); a read shows state open`],
    [1, null, 'unknown', `(sent ${SENT_AT}); a read shows no state`],
    [0, 'closed', 'already-closed', '(not sent); a read shows state closed'],
    [0, 'open', null, '(not sent); a read shows state open'],
  ])('after %d POSTs and a read of state %s has the outcome %s', (posts, state, outcome, reason) => {
    expect(settleByRead(intent(posts), read(state))).toMatchObject({
      ...nothingSent,
      failure: null,
      outcome,
      reason: expect.stringContaining(reason),
    })
  })

  it.each([
    [1, 'unknown'],
    [0, null],
  ])('after %d POSTs and without a read has the outcome %s', (posts, outcome) => {
    expect(settleByRead(intent(posts), read(null), '404')).toMatchObject({
      ...nothingSent,
      failure: '404',
      outcome,
      reason: expect.stringMatching(/missing from the list .*2026-11-21T13:00:00.000Z/),
    })
  })
})

/** A planned close of the only RFQ; each POST has the next effect, without one the close is done and confirmed. */
async function openPlannedClose(effects: readonly Effect[]) {
  const fixture = await openClosingFixture()
  const { sandbox, store, now } = fixture
  for (const effect of effects) sandbox.faults.add({ operation: 'closeRfq', effect })
  const run = await holdingRun(store, { channel: KEY, kind: 'close', now: now() })
  const planned = await store.planClose({ run: run, rfqId: rfqId(1), evidence: {}, now: now() })
  const pauses: number[] = []
  let onPause = () => {}
  const close = async (context: Partial<ClosingContext> = {}) => {
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds)
      onPause()
      fixture.advanceSeconds(milliseconds / 1000)
    }
    const round = await createRound(closingContextOf(fixture, { pause, ...context }), POLICY, run, newProgress())
    const known = await readAndRecord(round.context, run, rfqId(1))
    const sent = await readAndSend(round, known, async () => ({ intent: planned }))
    if (sent.kind !== 'sent') throw new Error(`${sent.kind}, not sent`)
    return verifyClose(round, sent)
  }
  /** Changes the RFQ during the pause, as somebody else would. */
  const changeInPause = (change: object) => {
    onPause = () => void sandbox.world.changeRfq(rfqId(1), change)
  }
  return Object.assign(fixture, { close, changeInPause, pauses })
}
const FIRST_SENT = '2026-11-21T12:00:00.000Z'
const SECOND_SENT = '2026-11-21T12:00:05.000Z'
const NO_EFFECT: Effect = { kind: 'status', status: 200, body: { ok: true } }

describe('a close that is sent', () => {
  it('and confirmed is verified by one read, at once', async () => {
    const { close, pauses } = await openPlannedClose([])
    expect(await close()).toMatchObject({
      outcome: 'closed',
      reason: expect.stringMatching(/replied 200, ok: true; .*state closed$/),
      failure: null,
      sent: [FIRST_SENT],
      intent: { posts: 1 },
    })
    expect(pauses).toEqual([])
  })

  it.each<[string, object | null, string]>([
    ['closed', { state: 'closed' }, 'closed'],
    ['failed', null, 'failed'],
  ])('and confirmed without effect is read again 5 seconds later: %s', async (_title, change, outcome) => {
    const { close, changeInPause, pauses, posts } = await openPlannedClose([NO_EFFECT])
    if (change) changeInPause(change)
    expect(await close()).toMatchObject({ outcome, after: { readAt: new Date(SECOND_SENT) } })
    expect(pauses).toEqual([5000])
    expect(posts()).toHaveLength(1)
  })

  it.each<[string, Effect, string]>([
    ['400', { kind: 'status', status: 400, body: { message: 'no' } }, 'the marketplace replied 400: no'],
    ['ok: false', { kind: 'not-ok' }, 'the marketplace replied 200, ok: false'],
  ])('and refused with %s is verified at once and sent no more', async (_title, effect, reply) => {
    const { close, pauses, posts } = await openPlannedClose([effect])
    expect(await close()).toMatchObject({ outcome: 'refused', reason: `${reply}; a read shows state open` })
    expect(pauses).toEqual([])
    expect(posts()).toHaveLength(1)
  })

  it.each([300, 302, 399, 408, 429, 500, 503])(
    'and answered with %i is sent again after 5 seconds, once',
    async (status) => {
      const inconclusive: Effect = { kind: 'status', status }
      const once = await openPlannedClose([inconclusive])
      expect(await once.close()).toMatchObject({ outcome: 'closed', sent: [FIRST_SENT, SECOND_SENT] })
      expect(once.pauses).toEqual([5000])
    },
  )

  it('and twice not answered conclusively has an unknown outcome', async () => {
    const inconclusive: Effect = { kind: 'status', status: 503 }
    const { close, posts } = await openPlannedClose([inconclusive, inconclusive])
    expect(await close()).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringMatching(/replied 503.*; a read shows state open after POST 2: check it$/),
      intent: { posts: 2 },
    })
    expect(posts()).toHaveLength(2)
  })

  it.each<[object, string, string]>([
    [{ state: 'withdrawn' }, 'unknown', 'a read shows state withdrawn after POST 1: check it'],
    [{ state: null }, 'unknown', 'a read shows no state after POST 1: check it'],
    [{ state: 'closed' }, 'closed', 'a read shows state closed'],
  ])('without a conclusive reply is not sent again if the RFQ is not open: %j', async (change, outcome, reason) => {
    const { close, changeInPause, posts } = await openPlannedClose([{ kind: 'status', status: 500 }])
    changeInPause(change)
    expect(await close()).toMatchObject({ outcome, reason: expect.stringContaining(reason) })
    expect(posts()).toHaveLength(1)
  })

  it('without a conclusive reply is sent again only if the rules of the round allow it', async () => {
    const unresolved = await openPlannedClose([{ kind: 'status', status: 500 }])
    expect(await unresolved.close({ killSwitch: async () => 'Closing is off.' })).toMatchObject({
      unresolved: 'Closing is off.',
      after: { state: 'open', version: 1 },
    })
    expect(await unresolved.store.openIntents(KEY)).toMatchObject([{ posts: 1 }])
    const over = await openPlannedClose([{ kind: 'status', status: 500 }])
    over.changeInPause({ responseDueDate: '2026-12-24' })
    expect(await over.close()).toMatchObject({
      outcome: 'unknown',
      sent: [FIRST_SENT],
    })
    expect([...unresolved.posts(), ...over.posts()]).toHaveLength(2)
  })

  it('and refused at the second POST was closed by the first, if it is closed', async () => {
    const refusedAndClosed: Effect = { kind: 'status', status: 400, apply: true }
    const first = await openPlannedClose([refusedAndClosed])
    expect(await first.close()).toMatchObject({
      outcome: 'already-closed',
      reason: expect.stringMatching(/elsewhere$/),
    })
    const second = await openPlannedClose([{ kind: 'status', status: 500 }, refusedAndClosed])
    expect(await second.close()).toMatchObject({ outcome: 'closed', intent: { posts: 2 } })
  })

  it('without a reply has the reason of that, and one that is not understood is named', async () => {
    const lost = await openPlannedClose([{ kind: 'reset', apply: true }])
    const { failure, reason } = (await lost.close()) as { failure: string; reason: string }
    expect(failure).not.toBeNull()
    expect(reason).toContain(`(${failure})`)
    expect(reason).toMatch(/state closed$/)
    const page = await openPlannedClose([{ kind: 'text', text: '<html>', apply: true }])
    expect(await page.close()).toMatchObject({ reason: expect.stringContaining('replied 200 without ok: <html>') })
  })

  it('stays open if the round is stopped while it is on its way', async () => {
    const { close, session, store, sandbox, posts } = await openPlannedClose([])
    const round = new AbortController()
    sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => round.abort() } })
    await expect(close({ session: session(round.signal) })).rejects.toThrow('The run was stopped')
    expect(await store.openIntents(KEY)).toMatchObject([{ state: 'sending', posts: 1, sentAt: FIRST_SENT }])
    expect(posts()).toHaveLength(1)
  })
})
