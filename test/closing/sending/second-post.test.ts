import { describe, expect, it } from 'vitest'
import type { ClosingContext, ClosingPolicy } from '../../../src/closing/contract.js'
import type { FreshRead } from '../../../src/closing/fresh-read.js'
import { createRound } from '../../../src/closing/round.js'
import { decideResend } from '../../../src/closing/settlement.js'
import type { RunHandle } from '../../../src/store/contract.js'
import type { RunProgress } from '../../../src/store/runs/with-run.js'
import { CHANNEL } from '../../helpers/channel-fixture.js'
import { POLICY } from '../../helpers/closing-round-fixture.js'
import { anRfq } from '../../helpers/data/sample-documents.js'

const NOW = new Date('2026-11-21T12:00:00Z')

/** @param progress of the run */
function aRound(policy: Partial<ClosingPolicy> = {}, context: Partial<ClosingContext> = {}, progress: object = {}) {
  const store = {
    openIntents: async () => [],
    latestCloseReplies: async () => [],
    sentIntents: async () => new Map(),
    restoredAt: async () => null,
  }
  const defaults = { session: { channel: CHANNEL }, store, now: () => NOW, killSwitch: async () => null }
  return createRound(
    { ...defaults, ...context } as unknown as ClosingContext,
    { ...POLICY, ...policy },
    { id: 1 } as unknown as RunHandle,
    { failures: [], suspicious: false, ...progress } as unknown as RunProgress,
  )
}
function aRead(rfq: Record<string, unknown> = {}, times: Partial<FreshRead> = {}): FreshRead {
  const body = anRfq('rfq-1', { state: 'open', responseDueDate: '2026-11-20', ...rfq })
  const read = { id: 'rfq-1', body, document: body, state: body.state, hash: 'hash' }
  const known = { valid: true, entry: null, listEntryOnly: false, missingSince: null, version: 1 }
  return { ...read, ...known, readAt: NOW, answeredAt: NOW, serverDate: NOW, ...times } as unknown as FreshRead
}
describe('a second POST', () => {
  it('is sent if the RFQ still qualifies and nothing else blocks it', async () => {
    expect(await decideResend(await aRound(), aRead())).toEqual({ kind: 'send' })
  })

  it.each<[string, Partial<ClosingPolicy>, Partial<ClosingContext>, Partial<FreshRead>, object, string]>([
    ['the kill switch is on', {}, { killSwitch: async () => 'stopped' }, {}, {}, 'stopped'],
    ['the round is a dry run', { mode: 'dry-run' }, {}, {}, {}, 'the round is a dry run'],
    [
      'the clocks differ',
      {},
      {},
      { serverDate: new Date(NOW.getTime() - 62_000) },
      {},
      'the clocks differ by more than 60 s',
    ],
    ['there is no Date header', {}, {}, { serverDate: null }, {}, 'sent no Date header'],
    ['the list may not be whole', {}, {}, {}, { suspicious: true }, 'the list may not be whole'],
  ])('waits while %s', async (_title, policy, context, times, progress, reason) => {
    const round = await aRound(policy, context, progress)
    expect(await decideResend(round, aRead({}, times))).toEqual({
      kind: 'wait',
      reason: expect.stringContaining(reason),
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['its due date was extended', { responseDueDate: '2026-12-24' }, 'has not passed'],
    ['it is not open any more', { state: 'withdrawn' }, 'its state is withdrawn'],
  ])('is never sent if %s, even while the kill switch is on', async (_title, rfq, reason) => {
    for (const stopped of [null, 'stopped']) {
      const round = await aRound({}, { killSwitch: async () => stopped })
      expect(await decideResend(round, aRead(rfq))).toEqual({ kind: 'never', reason: expect.stringContaining(reason) })
    }
  })
})
