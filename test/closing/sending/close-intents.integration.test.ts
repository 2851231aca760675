import { describe, expect, it } from 'vitest'
import type { IntentState } from '../../../src/core/close-intent.js'
import { CLOSE_OUTCOMES, type CloseOutcome } from '../../../src/core/records.js'
import type { CloseIntent } from '../../../src/store/contract.js'
import { StoreError } from '../../../src/store/errors.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { at, noonStore } from '../../helpers/store/recording-store.js'

const LEGAL: [from: IntentState, to: IntentState][] = [
  ['planned', 'sending'],
  ['planned', 'already-closed'],
  ['planned', 'failed'],
  ['sending', 'sending'],
  ['sending', 'closed'],
  ['sending', 'already-closed'],
  ['sending', 'refused'],
  ['sending', 'failed'],
  ['sending', 'unknown'],
]
const STATES: IntentState[] = ['planned', 'sending', ...CLOSE_OUTCOMES]
/** No operation of the store leads back to `planned`. */
const ILLEGAL = STATES.flatMap((from) =>
  STATES.filter((to) => to !== 'planned' && !LEGAL.some(([a, b]) => a === from && b === to)).map(
    (to) => [from, to] as const,
  ),
)

/** A new store with the intents of one RFQ. */
async function openIntents() {
  const store = await noonStore()
  const run = await holdingRun(store, { channel: KEY, kind: 'close', now: at('12:00:00') })
  const settle = (intent: CloseIntent, outcome: CloseOutcome) =>
    store.settleClose(intent, newDecision(run.id, { decision: 'close', outcome }))
  const plan = () => store.planClose({ run, rfqId: 'rfq-1', evidence: {}, now: at('12:00:00') })
  return {
    plan,
    /** Writes the transition to a state with the operation that leads there. */
    changeTo: (intent: CloseIntent, state: IntentState): Promise<unknown> =>
      state === 'sending' ? store.markSending(intent, run) : settle(intent, state as CloseOutcome),
    intentIn: async (state: IntentState) => {
      const planned = await plan()
      if (state === 'planned') return planned
      const sending = await store.markSending(planned, run)
      if (state !== 'sending') await settle(sending, state)
      return sending
    },
    open: () => store.openIntents(KEY),
    stored: async () => ({ open: await store.openIntents(KEY), decisions: await store.decisions({}) }),
  }
}

describe('close intents', () => {
  it.each(ILLEGAL)('from %s to %s: the store refuses it and writes nothing', async (from, to) => {
    const { intentIn, changeTo, stored } = await openIntents()
    const intent = await intentIn(from)
    const before = await stored()
    await expect(changeTo(intent, to)).rejects.toThrow(`is ${from}; it cannot become ${to}`)
    expect(await stored()).toEqual(before)
  })

  it.each(LEGAL)('from %s to %s: the store accepts it', async (from, to) => {
    const { intentIn, changeTo, open } = await openIntents()
    await changeTo(await intentIn(from), to)
    expect((await open()).map(({ state }) => state)).toEqual(to === 'sending' ? ['sending'] : [])
  })

  it('are open once at most per RFQ, and sent twice at most', async () => {
    const { intentIn, changeTo, open, plan } = await openIntents()
    const first = await intentIn('sending')
    await expect(plan()).rejects.toThrow(StoreError)
    const second = (await changeTo(first, 'sending')) as CloseIntent
    expect(second.posts).toBe(2)
    await expect(changeTo(second, 'sending')).rejects.toThrow('was sent 2 times')
    await expect(changeTo(first, 'sending')).rejects.toThrow('was continued by another process')
    expect(await open()).toMatchObject([{ posts: 2 }])
  })
})
