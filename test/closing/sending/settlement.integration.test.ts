import { describe, expect, it } from 'vitest'
import type { ClosingContext } from '../../../src/closing/contract.js'
import { readAndRecord } from '../../../src/closing/fresh-read.js'
import { createRound } from '../../../src/closing/round.js'
import { readAndSend } from '../../../src/closing/send-close.js'
import { verifyClose } from '../../../src/closing/settlement.js'
import type { Effect } from '../../../src/sandbox/index.js'
import { newProgress } from '../../../src/store/runs/with-run.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { closingContextOf, openClosingFixture, POLICY, rfqId } from '../../helpers/closing-round-fixture.js'
import { holdingRun } from '../../helpers/store/holding-run.js'

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
const status = (code: number, more: object = {}): Effect => ({ kind: 'status', status: code, ...more })
const NO_EFFECT = status(200, { body: { ok: true } })

const isInconclusive = (effect: Effect) => effect.kind === 'reset' || (effect.kind === 'status' && effect.status >= 500)

describe('a close that is sent', () => {
  it.each<[string, Effect[], outcome: string, posts: number, reason: RegExp]>([
    ['ok: true', [], 'closed', 1, /^the marketplace replied 200, ok: true; a read shows state closed$/],
    ['ok: false', [{ kind: 'not-ok' }], 'refused', 1, /^the marketplace replied 200, ok: false; .* open$/],
    ['400', [status(400, { body: { message: 'no' } })], 'refused', 1, /^the marketplace replied 400: no; .* open$/],
    ['404', [status(404)], 'refused', 1, /replied 404.*; a read shows state open$/],
    [
      '400, and yet closed',
      [status(400, { apply: true })],
      'already-closed',
      1,
      /replied 400.*: it was closed elsewhere$/,
    ],
    ['500, with effect', [status(500, { apply: true })], 'closed', 1, /replied 500.*; a read shows state closed$/],
    ['500, then 400 with effect', [status(500), status(400, { apply: true })], 'closed', 2, /replied 400.* closed$/],
    ['503 twice', [status(503), status(503)], 'unknown', 2, /503.*; a read shows state open after POST 2: check it$/],
    ['a lost reply', [{ kind: 'reset', apply: true }], 'closed', 1, /^no reply to the POST \(.+\); .* closed$/],
    [
      'a page',
      [{ kind: 'text', text: '<html>', apply: true }],
      'closed',
      1,
      /replied 200 without ok: <html>; .* closed$/,
    ],
  ])('and answered with %s has its outcome by a read', async (_title, effects, outcome, count, reason) => {
    const { close, pauses, posts } = await openPlannedClose(effects)
    const sent = [FIRST_SENT, SECOND_SENT].slice(0, count)
    expect(await close()).toMatchObject({
      outcome,
      reason: expect.stringMatching(reason),
      sent,
      intent: { posts: count },
    })
    expect(posts()).toHaveLength(count)
    // A reply that says nothing is verified after a pause; what is conclusive, at once.
    expect(pauses).toEqual(effects.flatMap((effect) => (isInconclusive(effect) ? [5000] : [])))
  })

  it.each<[string, object | null, string]>([
    ['closed', { state: 'closed' }, 'replied 200, ok: true; a read shows state closed'],
    ['failed', null, 'replied 200, ok: true; a read shows state open: the close had no effect, check it'],
  ])('and confirmed without effect is read again 5 seconds later: %s', async (outcome, change, reason) => {
    const { close, changeInPause, pauses, posts } = await openPlannedClose([NO_EFFECT])
    if (change) changeInPause(change)
    const after = { readAt: new Date(SECOND_SENT) }
    expect(await close()).toMatchObject({ outcome, reason: expect.stringContaining(reason), after })
    expect(pauses).toEqual([5000])
    expect(posts()).toHaveLength(1)
  })

  it.each([300, 302, 399, 408, 429, 500, 503])(
    'and answered with %i is sent again after 5 seconds, once',
    async (code) => {
      const once = await openPlannedClose([status(code)])
      expect(await once.close()).toMatchObject({ outcome: 'closed', sent: [FIRST_SENT, SECOND_SENT] })
      expect(once.pauses).toEqual([5000])
    },
  )

  it.each<[object, string, string]>([
    [{ state: 'withdrawn' }, 'unknown', 'a read shows state withdrawn after POST 1: check it'],
    [{ state: null }, 'unknown', 'a read shows no state after POST 1: check it'],
    [{ state: 'closed' }, 'closed', 'a read shows state closed'],
    [{ responseDueDate: '2026-12-24' }, 'unknown', 'a read shows state open after POST 1'],
  ])('without a conclusive reply is not sent again if the read shows %j', async (change, outcome, reason) => {
    const { close, changeInPause, posts } = await openPlannedClose([status(500)])
    changeInPause(change)
    expect(await close()).toMatchObject({ outcome, reason: expect.stringContaining(reason), sent: [FIRST_SENT] })
    expect(posts()).toHaveLength(1)
  })

  it('without a conclusive reply waits, open, for what blocks the round', async () => {
    const { close, posts, store } = await openPlannedClose([status(500)])
    expect(await close({ killSwitch: async () => 'Closing is off.' })).toMatchObject({
      unresolved: 'Closing is off.',
      after: { state: 'open', version: 1 },
    })
    expect(await store.openIntents(KEY)).toMatchObject([{ posts: 1 }])
    expect(posts()).toHaveLength(1)
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
