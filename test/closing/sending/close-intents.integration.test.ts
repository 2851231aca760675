import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INTENT_STATES, type IntentState, isIntentTransition } from '../../../src/core/close-intent.js'
import type { CloseOutcome } from '../../../src/core/records.js'
import type { CloseIntent, RunHandle, Store } from '../../../src/store/contract.js'
import { IntentOpenError } from '../../../src/store/errors.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { openNewStore } from '../../helpers/store/new-store.js'

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
const pairs = INTENT_STATES.flatMap((from) => INTENT_STATES.map((to) => [from, to] as const))
const isLegal = (from: IntentState, to: IntentState) => LEGAL.some(([a, b]) => a === from && b === to)
/** No operation of the store leads back to `planned`. */
const illegal = pairs.filter(([from, to]) => !isLegal(from, to) && to !== 'planned')

const now = () => new Date('2026-11-21T12:00:00.000Z')

/** One store for all tests, each with RFQs of its own. */
let store: Store
let run: RunHandle
const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-test-'))
beforeAll(async () => {
  store = await openNewStore({ path: join(folder, 'intents.db'), clock: now })
  run = await holdingRun(store, { channel: KEY, kind: 'close', now: now() })
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const settle = (intent: CloseIntent, outcome: CloseOutcome) =>
  store.settleClose(intent, newDecision(run.id, { rfqId: intent.rfqId, decision: 'close', outcome }))
/** Writes the transition to a state with the operation that leads there. */
const changeTo = (intent: CloseIntent, state: IntentState): Promise<unknown> =>
  state === 'sending' ? store.markSending(intent, run) : settle(intent, state as CloseOutcome)
const intentIn = async (state: IntentState, rfqId: string) => {
  const planned = await store.planClose({ run, rfqId, evidence: {}, now: now() })
  if (state === 'planned') return planned
  const sending = await store.markSending(planned, run)
  if (state !== 'sending') await settle(sending, state)
  return sending
}
const openIntentsOf = async (id: string) => (await store.openIntents(KEY)).filter(({ rfqId }) => rfqId === id)

describe('close intents', () => {
  it.each(pairs)('from %s to %s: the table of transitions is the documented one', (from, to) => {
    expect(isIntentTransition(from, to)).toBe(isLegal(from, to))
  })

  it.each(illegal)('from %s to %s: the store refuses it and writes nothing', async (from, to) => {
    const intent = await intentIn(from, `illegal ${from} ${to}`)
    const before = { open: await store.openIntents(KEY), decisions: await store.decisions({}) }
    await expect(changeTo(intent, to)).rejects.toThrow(`is ${from}; it cannot become ${to}`)
    expect({ open: await store.openIntents(KEY), decisions: await store.decisions({}) }).toEqual(before)
  })

  it.each(LEGAL)('from %s to %s: the store accepts it', async (from, to) => {
    const id = `legal ${from} ${to}`
    await changeTo(await intentIn(from, id), to)
    expect((await openIntentsOf(id)).map(({ state }) => state)).toEqual(to === 'sending' ? ['sending'] : [])
  })

  it('are open once at most per RFQ', async () => {
    await intentIn('sending', 'once')
    await expect(intentIn('planned', 'once')).rejects.toThrow(IntentOpenError)
  })

  it('of one close are sent twice at most', async () => {
    const first = await intentIn('sending', 'twice')
    const second = (await changeTo(first, 'sending')) as CloseIntent
    expect(second.posts).toBe(2)
    await expect(changeTo(second, 'sending')).rejects.toThrow('was sent 2 times')
    await expect(changeTo(first, 'sending')).rejects.toThrow('was continued by another process')
    expect(await openIntentsOf('twice')).toMatchObject([{ posts: 2 }])
  })
})
