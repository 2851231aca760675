import { describe, expect, it } from 'vitest'
import type { ClosingPolicy } from '../../src/closing/contract.js'
import { hashWithoutUpdateTimes, storedCandidate } from '../../src/closing/evaluate.js'
import type { Effect } from '../../src/sandbox/index.js'
import { KEY } from '../helpers/channel-fixture.js'
import { DUE, openClosingFixture, rfqId } from '../helpers/closing-round-fixture.js'

/** A placeholder for no date: such an RFQ is kept open in every round. */
const UNKNOWN = '0001-01-01'
type Fixture = Awaited<ReturnType<typeof openClosingFixture>>
/** What is stored of the only RFQ. */
const candidatesOf = async ({ store }: Fixture) => (await store.rfqs({})).map(({ rfq }) => storedCandidate(rfq))
/** Oldest first. */
const decisionsOf = async ({ store }: Fixture) => (await store.decisions({ channel: KEY })).reverse()

it('a dry run by a person shows what would be closed while closing is stopped, and the approval that it would need', async () => {
  const fixture = await openClosingFixture([{}, {}])
  const stopped = { stopped: () => 'stopped by alice (prices)' }
  const byHand = { mode: 'dry-run', byHand: true } as const
  expect(await fixture.closeExpired({ ...byHand, maxPerRun: 1 }, stopped)).toMatchObject({
    counts: { wouldClose: 2, blocked: 0 },
    stopReason: expect.stringMatching(/more than maxPerRun \(1\).*--approve plan-/),
  })
  expect(await fixture.closeExpired({ mode: 'dry-run' }, stopped)).toMatchObject({
    counts: { wouldClose: 0, blocked: 2 },
  })
})

describe('the evidence of a decision', () => {
  it('of a dry run has everything that it is based on', async () => {
    const fixture = await openClosingFixture()
    const [known] = await candidatesOf(fixture)
    const { decisions } = await fixture.closeExpired({
      mode: 'dry-run',
      timeZone: 'Europe/Berlin',
      graceHours: 1,
      startedBy: 'anna',
    })
    const reasons = [
      'its state is open',
      'its response due date 2026-11-20 plus 1 h of grace has passed (today is 2026-11-21 in Europe/Berlin)',
      'its document is valid',
      'it is in the newest list',
    ]
    expect(decisions).toMatchObject([
      {
        channel: KEY,
        rfqId: rfqId(1),
        rfqNumber: 1001,
        decision: 'would-close',
        reason: `would be closed: ${reasons.join('; ')} (dry run)`,
        outcome: null,
        dueDate: DUE,
        timeZone: 'Europe/Berlin',
        decidedAt: '2026-11-21T12:00:00.000Z',
        versionBefore: 1,
        versionAfter: null,
        httpStatus: null,
        message: null,
        evidence: {
          mode: 'dry-run',
          byHand: false,
          startedBy: 'anna',
          approvedPlan: null,
          approvedBy: null,
          retryOf: null,
          approvalPlan: null,
          codes: [],
          dueDateAsSent: DUE,
          timeZone: 'Europe/Berlin',
          graceHours: 1,
          today: '2026-11-21',
          for: reasons,
          against: [],
          list: { runId: 2, readAt: '2026-11-21T12:00:00.000Z', isWhole: true },
          version: 1,
          hash: known?.hash,
          hashWithoutUpdateTimes: hashWithoutUpdateTimes(known?.body),
          reading: {
            readAt: '2026-11-21T12:00:00.000Z',
            clock: '2026-11-21T12:00:00.000Z',
            marketplaceClock: '2026-11-21T12:00:00.000Z',
            skewSeconds: 0,
            maxClockSkewSeconds: 60,
          },
        },
      },
    ])
  })

  it('of a close has the request, the reply and what the verifying read showed, and it is sent once', async () => {
    const fixture = await openClosingFixture()
    const { decisions, run } = await fixture.closeExpired()
    const [after] = await candidatesOf(fixture)
    const result = 'the marketplace replied 200, ok: true; a read shows state closed'
    expect(decisions).toMatchObject([
      {
        decision: 'close',
        outcome: 'closed',
        reason: expect.stringMatching(
          /^its state is open; .+; it is in the newest list\. The marketplace replied 200, .+ closed\.$/,
        ),
        httpStatus: 200,
        message: null,
        versionBefore: 1,
        versionAfter: 2,
        evidence: {
          version: 1,
          result,
          request: { operation: 'POST …/rfqs/{id}/close', sentAt: ['2026-11-21T12:00:00.000Z'], posts: 1 },
          answer: { status: 200, ok: true, message: null },
          failure: null,
          verified: {
            readAt: '2026-11-21T12:00:00.000Z',
            state: 'closed',
            version: 2,
            hash: after?.hash,
            hashWithoutUpdateTimes: hashWithoutUpdateTimes(after?.body),
          },
        },
      },
    ])
    expect(run).toMatchObject({ outcome: 'complete', seen: 1, changed: 1, error: null })
    expect(fixture.sandbox.world.rfq(rfqId(1)).state).toBe('closed')
    fixture.advanceSeconds(600)
    expect((await fixture.closeExpired()).decisions).toEqual([])
    expect(fixture.posts()).toMatchObject([{ rfqId: rfqId(1), applied: true, bodyLength: 0 }])
    expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })
})

describe('a decision that a round repeats', () => {
  it.each<[string, Partial<ClosingPolicy>, ((fixture: Fixture) => unknown) | null, number]>([
    ['is counted if nothing changed', {}, null, 1],
    ['is counted with other hours of grace', { graceHours: 1 }, null, 1],
    [
      'is counted if only updatedAt changed',
      {},
      ({ sandbox }) => sandbox.world.changeRfq(rfqId(1), { updatedAt: '2026-11-21T12:30:00.000Z' }),
      1,
    ],
    ['is recorded with another time zone', { timeZone: 'Europe/Berlin' }, null, 2],
    [
      'is recorded if the document changed',
      {},
      ({ sandbox }) => sandbox.world.changeRfq(rfqId(1), { title: 'Another title' }),
      2,
    ],
    [
      'is recorded for another reason',
      {},
      ({ sandbox }) => sandbox.faults.add({ operation: 'listRfqs', times: 3, effect: { kind: 'empty' } }),
      2,
    ],
  ])('%s', async (_title, policy, change, rows) => {
    const fixture = await openClosingFixture([{ responseDueDate: UNKNOWN }])
    await fixture.closeExpired()
    await change?.(fixture)
    await fixture.pollRfqs({ acceptLoss: true })
    for (let round = 0; round < 2; round++) await fixture.closeExpired(policy)
    const decisions = await decisionsOf(fixture)
    expect(decisions.map(({ times }) => times)).toEqual(rows === 1 ? [3] : [1, 2])
    expect(decisions.every(({ decision }) => decision === 'keep')).toBe(true)
  })

  it('is recorded if it is another decision or stopped by somebody else, and counted in the results of each round', async () => {
    const fixture = await openClosingFixture()
    const [byAlice, byBob] = ['stopped by alice (prices)', 'stopped by bob (court order)'].map((reason) => ({
      stopped: () => reason,
    }))
    const rounds = [
      await fixture.closeExpired({ mode: 'dry-run' }),
      await fixture.closeExpired({ mode: 'dry-run' }),
      await fixture.closeExpired({}, byAlice),
      await fixture.closeExpired({}, byAlice),
      await fixture.closeExpired({}, byBob),
      await fixture.closeExpired({ retry: [rfqId(1)], approvedBy: 'anna' }, byBob),
      await fixture.closeExpired({ mode: 'dry-run' }),
    ]
    const counted = rounds.map(({ counts: { wouldClose, blocked } }) => `${wouldClose} would close, ${blocked} blocked`)
    const [would, blocked] = ['1 would close, 0 blocked', '0 would close, 1 blocked']
    expect(counted).toEqual([would, would, blocked, blocked, blocked, blocked, would])
    expect(await decisionsOf(fixture)).toMatchObject([
      { decision: 'would-close', approvedBy: null, times: 2 },
      { decision: 'blocked', approvedBy: null, times: 2, reason: 'stopped by alice (prices)' },
      { decision: 'blocked', approvedBy: null, times: 1, reason: 'stopped by bob (court order)' },
      { decision: 'blocked', approvedBy: 'anna', times: 1 },
      { decision: 'would-close', approvedBy: null, times: 1 },
    ])
  })

  it('is still a refusal after an intent that a crash left open was given up', async () => {
    const fixture = await openClosingFixture()
    fixture.answerCloses(rfqId(1), 400)
    await fixture.closeExpired()
    await fixture.leaveIntent()
    const { decisions } = await fixture.closeExpired()
    expect(decisions).toMatchObject([
      { decision: 'close', outcome: null },
      { decision: 'keep', evidence: { codes: ['refused'] } },
    ])
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is compared with the newest decision, also with one of the same round', async () => {
    const fixture = await openClosingFixture([{ responseDueDate: UNKNOWN }])
    await fixture.closeExpired()
    await fixture.leaveIntent()
    await fixture.closeExpired()
    expect((await decisionsOf(fixture)).map(({ decision, times }) => [decision, times])).toEqual([
      ['keep', 1],
      ['close', 1],
      ['keep', 1],
    ])
  })
})

describe('closes with an uncertain effect', () => {
  const status = (code: number, more: object = {}): Effect => ({ kind: 'status', status: code, ...more })

  it.each<[string, (Effect | null)[], outcomes: string[], RegExp | null]>([
    [
      'stop the round if they are two in a row',
      [null, status(500), status(200, { body: { ok: true } }), null],
      ['closed', 'unknown', 'failed'],
      /2 closes in a row.* uncertain/,
    ],
    [
      'do not stop the round if another outcome comes in between',
      [status(500), status(400, { apply: true }), status(500), null],
      ['unknown', 'already-closed', 'unknown', 'closed'],
      null,
    ],
  ])('%s', async (_title, effects, outcomes, stop) => {
    const fixture = await openClosingFixture(effects.map(() => ({})))
    for (const [index, effect] of effects.entries())
      if (effect !== null) fixture.always({ rfqId: rfqId(index + 1), operation: 'closeRfq' }, effect)
    const { decisions, stopReason, counts } = await fixture.closeExpired()
    expect(decisions.map(({ outcome }) => outcome)).toEqual(outcomes)
    if (stop === null) expect(stopReason).toBeNull()
    else expect(stopReason).toMatch(stop)
    expect(counts).toMatchObject({ closed: 1, alreadyClosed: outcomes.includes('already-closed') ? 1 : 0 })
  })
})
