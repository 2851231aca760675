import { describe, expect, it } from 'vitest'
import type { ClosingContext } from '../../../src/closing/contract.js'
import type { Effect } from '../../../src/sandbox/index.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'

/** The only RFQ, past due; each POST of its close has the next effect, without one the close is done and confirmed. */
async function openPastDue(effects: readonly Effect[]) {
  const fixture = await openClosingFixture()
  for (const effect of effects) fixture.sandbox.faults.add({ operation: 'closeRfq', effect })
  const pauses: number[] = []
  let onPause = () => {}
  const close = async (context: Partial<ClosingContext> = {}) => {
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds)
      onPause()
      fixture.advanceSeconds(milliseconds / 1000)
    }
    const { decisions } = await fixture.closeExpired({}, { pause, ...context })
    return decisions[0]
  }
  /** Changes the RFQ during the pause, as somebody else would. */
  const changeInPause = (change: object) => {
    onPause = () => void fixture.sandbox.world.changeRfq(rfqId(1), change)
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
    [
      'ok: false',
      [{ kind: 'status', status: 200, body: { ok: false } }],
      'refused',
      1,
      /^the marketplace replied 200, ok: false; .* open$/,
    ],
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
      [{ kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, text: '<p>Hi</p>', apply: true }],
      'closed',
      1,
      /replied 200 without ok: Hi; .* closed$/,
    ],
  ])('and answered with %s has its outcome by a read', async (_title, effects, outcome, count, reason) => {
    const { close, pauses, posts } = await openPastDue(effects)
    const sent = [FIRST_SENT, SECOND_SENT].slice(0, count)
    const decision = await close()
    expect(decision).toMatchObject({
      outcome,
      evidence: { result: expect.stringMatching(reason), request: { sentAt: sent, posts: count } },
    })
    if (effects[0]?.kind === 'reset') {
      const failure = expect.stringContaining('ECONNRESET')
      expect(decision).toMatchObject({ httpStatus: null, message: failure, evidence: { answer: null, failure } })
    }
    expect(posts()).toHaveLength(count)
    // A reply that says nothing is verified after a pause; what is conclusive, at once.
    expect(pauses).toEqual(effects.flatMap((effect) => (isInconclusive(effect) ? [5000] : [])))
  })

  it.each<[string, object | null, string]>([
    ['closed', { state: 'closed' }, 'replied 200, ok: true; a read shows state closed'],
    ['failed', null, 'replied 200, ok: true; a read shows state open: the close had no effect, check it'],
  ])('and confirmed without effect is read again 5 seconds later: %s', async (outcome, change, reason) => {
    const { close, changeInPause, pauses, posts } = await openPastDue([NO_EFFECT])
    if (change) changeInPause(change)
    const evidence = { result: expect.stringContaining(reason), verified: { readAt: SECOND_SENT } }
    expect(await close()).toMatchObject({ outcome, evidence })
    expect(pauses).toEqual([5000])
    expect(posts()).toHaveLength(1)
  })

  it.each([300, 302, 399, 408, 429, 500, 503])(
    'and answered with %i is sent again after 5 seconds, once',
    async (code) => {
      const once = await openPastDue([status(code)])
      const request = { sentAt: [FIRST_SENT, SECOND_SENT] }
      expect(await once.close()).toMatchObject({ outcome: 'closed', evidence: { request } })
      expect(once.pauses).toEqual([5000])
    },
  )

  it.each<[object, string, string]>([
    [{ state: 'withdrawn' }, 'unknown', 'a read shows state withdrawn after POST 1: check it'],
    [{ state: null }, 'unknown', 'a read shows no state after POST 1: check it'],
    [{ state: 'closed' }, 'closed', 'a read shows state closed'],
    [{ responseDueDate: '2026-12-24' }, 'unknown', 'a read shows state open after POST 1'],
  ])('without a conclusive reply is not sent again if the read shows %j', async (change, outcome, reason) => {
    const { close, changeInPause, posts } = await openPastDue([status(500)])
    changeInPause(change)
    const evidence = { result: expect.stringContaining(reason), request: { sentAt: [FIRST_SENT] } }
    expect(await close()).toMatchObject({ outcome, evidence })
    expect(posts()).toHaveLength(1)
  })

  it('stays open if the round is stopped while it is on its way', async () => {
    const { close, session, store, sandbox, posts } = await openPastDue([])
    const round = new AbortController()
    sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'call', call: () => round.abort() } })
    expect(await close({ session: session(round.signal) })).toBeUndefined()
    expect(await store.openIntents(KEY)).toMatchObject([{ state: 'sending', posts: 1, sentAt: FIRST_SENT }])
    expect(posts()).toHaveLength(1)
  })
})
