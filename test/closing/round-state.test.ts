import { describe, expect, it } from 'vitest'
import type { ClosingContext, ClosingPolicy } from '../../src/closing/contract.js'
import type { Candidate } from '../../src/closing/evaluate.js'
import type { FreshRead } from '../../src/closing/fresh-read.js'
import {
  createRound,
  dayBefore,
  decideResend,
  evaluateNow,
  isInScope,
  sendBlockReason,
  withItemFailures,
} from '../../src/closing/round-state.js'
import type { DecisionRecord } from '../../src/core/records.js'
import {
  AbortedError,
  ChannelError,
  ItemError,
  LedgerError,
  MarketplaceError,
  PausedError,
  UnavailableError,
} from '../../src/marketplace/errors.js'
import type { ListRun, RunHandle } from '../../src/store/contract.js'
import { CHANNEL } from '../helpers/channel-fixture.js'
import { POLICY } from '../helpers/closing-round-fixture.js'
import { anRfq } from '../helpers/data/sample-documents.js'

const NOW = new Date('2026-11-21T12:00:00Z')

/** @param poll the newest poll of the channel */
function aRound(
  policy: Partial<ClosingPolicy> = {},
  context: Partial<ClosingContext> = {},
  poll: ListRun | null = null,
) {
  const store = { newestListRead: async () => poll }
  const defaults = { session: { channel: CHANNEL }, store, now: () => NOW, killSwitch: async () => null }
  return createRound(
    { ...defaults, ...context } as unknown as ClosingContext,
    { ...POLICY, ...policy },
    { id: 1 } as unknown as RunHandle,
    { failures: [] },
  )
}
function aRead(rfq: Record<string, unknown> = {}, times: Partial<FreshRead> = {}): FreshRead {
  const body = anRfq('rfq-1', { state: 'open', responseDueDate: '2026-11-20', ...rfq })
  const read = { id: 'rfq-1', body, document: body, state: body.state, hash: 'hash' }
  const known = { valid: true, entry: null, listEntryOnly: false, missingSince: null, version: 1 }
  return { ...read, ...known, readAt: NOW, answeredAt: NOW, serverDate: NOW, ...times } as unknown as FreshRead
}
const answered = (outcome: string) =>
  ({
    id: 5,
    decision: 'close',
    outcome,
    decidedAt: '2026-11-21T11:00:00.000Z',
    evidence: { verified: { hash: 'hash' } },
  }) as unknown as DecisionRecord

describe('a round that begins', () => {
  it('has no decisions, counts or failures', () => {
    expect(aRound()).toMatchObject({
      decisions: [],
      repeated: [],
      unsettled: [],
      counts: { closed: 0, alreadyClosed: 0, wouldClose: 0, blocked: 0 },
    })
  })
})

describe('the RFQs that a round decides about', () => {
  it('are all, or those that it was asked for', () => {
    expect(isInScope(aRound(), 'rfq-1')).toBe(true)
    const round = aRound({ only: ['rfq-1'] })
    expect(['rfq-1', 'rfq-2'].map((id) => isInScope(round, id))).toEqual([true, false])
  })
})

describe('the 24 hours in which closes are limited', () => {
  it('begin a day ago', () => {
    expect(dayBefore(NOW).toISOString()).toBe('2026-11-20T12:00:00.000Z')
  })
})

describe('an evaluation of a round', () => {
  it('uses the time zone and the grace hours of the channel', () => {
    const codes = (policy: Partial<ClosingPolicy>) =>
      evaluateNow(aRound(policy), aRead()).against.map(({ code }) => code)
    expect(codes({})).toEqual([])
    expect(codes({ timeZone: 'Pacific/Pago_Pago' })).toEqual([])
    expect(codes({ timeZone: 'Pacific/Pago_Pago', graceHours: 2 })).toEqual(['not-past-due'])
    expect(codes({ graceHours: 13 })).toEqual(['not-past-due'])
  })
})

describe('the reason that blocks another close', () => {
  const candidate: Candidate = aRead()

  it('does not exist for an RFQ of which no close was sent', () => {
    const round = aRound()
    round.closeReplies.set('rfq-2', answered('unknown'))
    round.sentIntents.set('rfq-2', 9)
    expect(sendBlockReason(round, candidate)).toBeNull()
  })

  it('is the last reply, even if few closes were sent', () => {
    const round = aRound()
    round.closeReplies.set('rfq-1', answered('refused'))
    expect(sendBlockReason(round, candidate)).toMatchObject({ code: 'refused' })
  })

  it('is the second close within 24 hours, whatever the first one led to', () => {
    const round = aRound()
    round.sentIntents.set('rfq-1', 1)
    expect(sendBlockReason(round, candidate)).toBeNull()
    round.sentIntents.set('rfq-1', 2)
    expect(sendBlockReason(round, candidate)).toEqual({
      code: 'daily-limit',
      text: expect.stringContaining('2 times'),
    })
  })

  it('does not exist for an RFQ that a person asked for by name, and for that one only', () => {
    const round = aRound({ retry: ['rfq-1'] })
    for (const id of ['rfq-1', 'rfq-2']) {
      round.closeReplies.set(id, answered('unknown'))
      round.sentIntents.set(id, 2)
    }
    expect(sendBlockReason(round, candidate)).toBeNull()
    expect(sendBlockReason(round, { ...candidate, id: 'rfq-2' })).toMatchObject({ code: 'uncertain' })
  })
})

describe('a second POST', () => {
  const suspicious = { id: 7, suspicious: true } as ListRun

  it('is sent if the RFQ still qualifies and nothing else blocks it', async () => {
    for (const poll of [{ id: 7, suspicious: false, isListRecorded: true } as ListRun, null]) {
      expect(await decideResend(aRound({}, {}, poll), aRead())).toEqual({ kind: 'send' })
    }
  })

  it.each<[string, Partial<ClosingPolicy>, Partial<ClosingContext>, Partial<FreshRead>, ListRun | null, string]>([
    ['the kill switch is on', {}, { killSwitch: async () => 'stopped' }, {}, null, 'stopped'],
    ['the round is a dry run', { mode: 'dry-run' }, {}, {}, null, 'the round is a dry run'],
    [
      'the clocks differ',
      {},
      {},
      { serverDate: new Date(NOW.getTime() - 62_000) },
      null,
      'the clocks differ by more than 60 s',
    ],
    ['there is no Date header', {}, {}, { serverDate: null }, null, 'sent no Date header'],
    ['the list may not be whole', {}, {}, {}, suspicious, '(run 7) may not be whole'],
  ])('waits while %s', async (_title, policy, context, times, poll, reason) => {
    const round = aRound(policy, context, poll)
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
      const round = aRound({}, { killSwitch: async () => stopped })
      expect(await decideResend(round, aRead(rfq))).toEqual({ kind: 'never', reason: expect.stringContaining(reason) })
    }
  })
})

describe('a failure while an RFQ is closed', () => {
  const failWith = async (error: Error) => {
    const round = aRound()
    const failure = withItemFailures(round, 'rfq-1', async () => Promise.reject(error))
    return { round, failure }
  }

  it.each([new ItemError('404'), new UnavailableError('503')])('concerns only that RFQ: %s', async (error) => {
    const { round, failure } = await failWith(error)
    await failure
    expect(round).toMatchObject({ failures: [{ id: 'RFQ rfq-1', message: error.message }], stop: null })
  })

  it('stops the round if the API key is refused', async () => {
    const { round, failure } = await failWith(new ChannelError('401'))
    await failure
    expect(round).toMatchObject({
      failures: [{ id: 'RFQ rfq-1', message: '401' }],
      stop: { code: 'channel', text: '401' },
    })
  })

  it.each([
    new PausedError('wait', NOW),
    new LedgerError('not reached'),
    new AbortedError('stopped'),
    new MarketplaceError('other'),
    new Error('the database is full'),
  ])('ends the round: %s', async (error) => {
    const { round, failure } = await failWith(error)
    await expect(failure).rejects.toBe(error)
    expect(round.failures).toEqual([])
  })
})
