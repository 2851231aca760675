import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import type { NewDecision } from '../../src/store/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const DUE = '2026-11-20'
const again = Number.POSITIVE_INFINITY

/** A desk that has polled one RFQ, past due, with one response. */
async function desk(due = DUE): Promise<ChannelFixture & { id: string }> {
  const opened = await openChannelFixture()
  const { id } = opened.sandbox.world.addRfq(CHANNEL, { responseDueDate: due })
  opened.sandbox.world.addResponse(id)
  await opened.pollRfqs()
  return { ...opened, id }
}
const fault = (at: ChannelFixture, effect: Effect, times = 1) =>
  at.sandbox.faults.add({ operation: 'closeRfq', times, effect })

describe('closing what is past due', () => {
  it('closes it once, proves it by reading, and records why', async () => {
    const at = await desk()
    const { run, decisions } = await at.closeExpired()
    expect(run).toMatchObject({ outcome: 'complete', seen: 1, changed: 1, error: null })
    expect(decisions).toMatchObject([
      {
        rfqId: at.id,
        decision: 'close',
        outcome: 'closed',
        dueDate: DUE,
        timeZone: 'UTC',
        httpStatus: 200,
        versionBefore: 1,
        versionAfter: 2,
        evidence: {
          dueDateAsSent: DUE,
          graceHours: 0,
          request: { posts: 1 },
          verified: { state: 'closed' },
          against: [],
        },
      },
    ])
    expect(decisions[0]?.reason).toContain('its response due date 2026-11-20 has passed (today is 2026-11-21 in UTC)')
    expect(at.posts()).toMatchObject([{ rfqId: at.id, applied: true, bodyLength: 0 }])
    expect(at.sandbox.world.rfq(at.id).state).toBe('closed')
    expect((await at.store.rfqs({ channel: KEY }))[0]?.rfq.body).toMatchObject({ state: 'closed' })
    at.advanceSeconds(600)
    expect((await at.closeExpired()).decisions).toEqual([])
    expect(at.posts()).toHaveLength(1)
    expect(await at.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('never closes what is due today, has an odd date, an odd state, or an odd document', async () => {
    const at = await openChannelFixture()
    const odd: Record<string, object> = {
      'due today': { responseDueDate: '2026-11-21' },
      'no date': { responseDueDate: null },
      'another form': { responseDueDate: '20/11/2026' },
      'a time': { responseDueDate: '2026-11-19T00:00:00Z' },
      'no such day': { responseDueDate: '2026-02-30' },
      'unknown state': { responseDueDate: DUE, state: 'paused' },
      'no state': { responseDueDate: DUE, state: null },
      'wrong type': { responseDueDate: DUE, minVolume: 'many' },
    }
    for (const change of Object.values(odd)) {
      const { id } = at.sandbox.world.addRfq(CHANNEL)
      at.sandbox.faults.add({
        rfqId: id,
        operation: 'readRfq',
        times: again,
        effect: { kind: 'transform', change: (body) => ({ ...body, ...change }) },
      })
    }
    await at.pollRfqs()
    const { decisions, run } = await at.closeExpired()
    expect(run).toMatchObject({ outcome: 'complete', seen: Object.keys(odd).length, changed: 0 })
    expect(decisions.map((decision) => decision.decision)).toEqual(Object.keys(odd).map(() => 'keep'))
    expect(at.posts()).toEqual([])
    at.advanceSeconds(600)
    expect((await at.closeExpired()).decisions).toEqual([]) // The same reasons are not recorded again.
  })

  it('waits for the end of the day in the channel zone, and for the grace', async () => {
    const at = await desk()
    at.setTime('2026-11-21T07:59:00Z')
    await at.closeExpired({ timeZone: 'America/Los_Angeles' })
    at.setTime('2026-11-21T08:59:00Z')
    await at.closeExpired({ timeZone: 'America/Los_Angeles', graceHours: 1 })
    expect(at.posts()).toEqual([])
    at.setTime('2026-11-21T09:00:00Z')
    expect((await at.closeExpired({ timeZone: 'America/Los_Angeles', graceHours: 1 })).run.changed).toBe(1)
  })

  it('only says what it would do in a dry run', async () => {
    const at = await desk()
    const { decisions } = await at.closeExpired({ mode: 'dry-run' })
    expect(decisions).toMatchObject([{ decision: 'would-close', outcome: null }])
    expect(at.posts()).toEqual([])
    expect((await at.closeExpired({ mode: 'dry-run' })).decisions).toEqual([])
    expect((await at.closeExpired()).run.changed).toBe(1)
  })

  it('does not close what a fresh reading shows extended, closed, or gone', async () => {
    const at = await openChannelFixture()
    const { world } = at.sandbox
    const [extended, closed, gone, missing] = Array.from({ length: 4 }, () =>
      world.addRfq(CHANNEL, { responseDueDate: DUE }),
    )
    await at.pollRfqs()
    at.advanceSeconds(60)
    world.changeRfq(extended?.id ?? '', { responseDueDate: '2026-12-01' })
    world.closeRfq(closed?.id ?? '')
    world.removeRfq(gone?.id ?? '')
    world.removeRfq(missing?.id ?? '')
    const { decisions, failures, run } = await at.closeExpired()
    expect(at.posts()).toEqual([])
    expect(decisions.map(({ decision, outcome, rfqId }) => ({ decision, outcome, rfqId }))).toEqual(
      expect.arrayContaining([
        { decision: 'keep', outcome: null, rfqId: extended?.id },
        { decision: 'keep', outcome: 'already-closed', rfqId: closed?.id },
      ]),
    )
    expect(failures).toHaveLength(2)
    expect(run.outcome).toBe('partial')
    await at.pollRfqs()
    expect((await at.closeExpired()).decisions.map((decision) => decision.reason)).toEqual([
      expect.stringContaining('it has been missing from the list since'),
      expect.stringContaining('it has been missing from the list since'),
    ])
  })

  it('closes the earliest due first', async () => {
    const at = await openChannelFixture()
    for (const responseDueDate of ['2026-11-19', '2026-11-01', '2026-11-10']) {
      at.sandbox.world.addRfq(CHANNEL, { responseDueDate })
    }
    await at.pollRfqs()
    const { decisions } = await at.closeExpired()
    expect(decisions.map((decision) => decision.dueDate)).toEqual(['2026-11-01', '2026-11-10', '2026-11-19'])
  })
})

describe('an answer to a close', () => {
  it.each<[string, Effect, Partial<NewDecision>, number]>([
    ['ok: false is a refusal', { kind: 'not-ok' }, { outcome: 'refused', httpStatus: 200 }, 1],
    ['400 is a refusal', { kind: 'status', status: 400 }, { outcome: 'refused', httpStatus: 400 }, 1],
    ['404 is a refusal', { kind: 'status', status: 404 }, { outcome: 'refused', httpStatus: 404 }, 1],
    [
      '400 although it closed was somebody else',
      { kind: 'status', status: 400, apply: true },
      { outcome: 'already-closed' },
      1,
    ],
    ['500 without effect leads to one more POST', { kind: 'status', status: 500 }, { outcome: 'closed' }, 2],
    [
      '500 with effect needs no other',
      { kind: 'status', status: 500, apply: true },
      { outcome: 'closed', httpStatus: 500 },
      1,
    ],
    ['a lost answer is found by reading', { kind: 'reset', apply: true }, { outcome: 'closed', httpStatus: null }, 1],
    ['a hang is found by reading', { kind: 'hang', apply: true }, { outcome: 'closed', httpStatus: null }, 1],
    ['a redirect is not followed', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, { outcome: 'closed' }, 2],
    ['a page in place of JSON, with effect', { kind: 'text', text: '<html>', apply: true }, { outcome: 'closed' }, 1],
    [
      'ok that shows no effect is for a person',
      { kind: 'status', status: 200, body: { ok: true } },
      { outcome: 'failed' },
      1,
    ],
  ])('%s', async (_title, effect, decision, posts) => {
    const at = await desk()
    fault(at, effect)
    expect((await at.closeExpired()).decisions).toMatchObject([{ decision: 'close', ...decision }])
    expect(at.posts()).toHaveLength(posts)
    expect(await at.store.openIntents(KEY)).toEqual([])
  })

  it('that stays unknown is asked for twice, then never again by itself', async () => {
    const at = await desk()
    const broken = fault(at, { kind: 'status', status: 500 }, again)
    expect((await at.closeExpired()).decisions).toMatchObject([
      { outcome: 'unknown', evidence: { request: { posts: 2 } } },
    ])
    expect(at.pauses).toEqual([5000, 5000])
    at.advanceSeconds(48 * 3600)
    expect((await at.closeExpired()).decisions).toMatchObject([{ decision: 'keep' }])
    expect(at.posts()).toHaveLength(2)
    broken.remove()
    expect((await at.closeExpired({ byHand: true })).decisions).toMatchObject([{ outcome: 'closed' }])
  })

  it('of refusal holds for a day, or until the document changes', async () => {
    const at = await desk()
    fault(at, { kind: 'status', status: 400 }, 2)
    await at.closeExpired()
    at.advanceSeconds(3600)
    await at.closeExpired()
    expect(at.posts()).toHaveLength(1)
    at.sandbox.world.changeRfq(at.id, { title: 'Another title' })
    await at.pollRfqs()
    await at.closeExpired()
    expect(at.posts()).toHaveLength(2)
    at.advanceSeconds(25 * 3600)
    await at.closeExpired()
    expect(at.posts()).toHaveLength(3)
  })

  it('is not followed by a second POST when the due date moved meanwhile', async () => {
    const at = await desk()
    at.sandbox.faults.add({
      operation: 'closeRfq',
      effect: [
        { kind: 'call', call: () => void at.sandbox.world.changeRfq(at.id, { responseDueDate: '2026-12-24' }) },
        { kind: 'status', status: 503 },
      ],
    })
    expect((await at.closeExpired()).decisions).toMatchObject([{ outcome: 'unknown' }])
    expect(at.posts()).toHaveLength(1)
  })

  it('stops the round after two unknown ones in a row', async () => {
    const at = await openChannelFixture()
    for (let n = 0; n < 4; n++) at.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await at.pollRfqs()
    fault(at, { kind: 'reset' }, again)
    const { run, decisions } = await at.closeExpired()
    expect(decisions).toHaveLength(2)
    expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('The round stopped') })
  })
})

describe('a round', () => {
  it('larger than the limit is held, until a person approves exactly it', async () => {
    const at = await openChannelFixture()
    for (let n = 0; n < 3; n++) at.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await at.pollRfqs()
    const held = await at.closeExpired({ maxPerRun: 2 })
    expect(held.run).toMatchObject({
      outcome: 'partial',
      error: expect.stringContaining(`--approve ${held.approvalPlan}`),
    })
    expect(held.decisions.map((decision) => decision.decision)).toEqual(['held', 'held', 'held'])
    expect((await at.closeExpired({ maxPerRun: 2 })).approvalPlan).toBe(held.approvalPlan)
    const late = at.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await at.pollRfqs()
    const approved = await at.closeExpired({ maxPerRun: 2, approvedPlan: held.approvalPlan ?? '' })
    expect(approved.run.changed).toBe(3)
    expect(at.posts().map((post) => post.rfqId)).not.toContain(late.id)
    await expect(at.closeExpired({ approvedPlan: 'plan-none' })).rejects.toThrow(/plan-none does not exist/)
    at.advanceSeconds(24 * 3600)
    await expect(at.closeExpired({ approvedPlan: held.approvalPlan ?? '' })).rejects.toThrow(
      /has expired \(after 24 hours\)/,
    )
  })

  it('closes nothing when clocks are apart, or the marketplace does not tell its time', async () => {
    const at = await desk()
    for (const effect of [
      { kind: 'date', skewMs: 120_000 },
      { kind: 'date', skewMs: -120_000 },
      { kind: 'date', value: null },
    ] as const) {
      const skewed = at.sandbox.faults.add({ times: again, effect })
      expect((await at.closeExpired()).run).toMatchObject({
        outcome: 'partial',
        error: expect.stringContaining('No RFQ was closed'),
      })
      skewed.remove()
    }
    expect(at.posts()).toEqual([])
    expect((await at.closeExpired()).run.changed).toBe(1)
  })

  it('closes nothing while the list is not believed', async () => {
    const at = await openChannelFixture({ rfqs: 12, responsesPerRfq: 0 })
    await at.pollRfqs()
    at.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', count: 7 } })
    await at.pollRfqs()
    const { decisions } = await at.closeExpired()
    expect(decisions.filter((decision) => decision.decision === 'held').length).toBeGreaterThan(0)
    expect(at.posts()).toEqual([])
    await at.pollRfqs()
    expect((await at.closeExpired()).run.changed).toBeGreaterThan(0)
  })

  it('obeys the switch before each POST', async () => {
    const at = await openChannelFixture()
    for (let n = 0; n < 3; n++) at.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await at.pollRfqs()
    const stopped = () => (at.posts().length > 0 ? 'Closing is switched off.' : null)
    const { decisions, run } = await at.closeExpired({}, { stopped })
    expect(decisions.map((decision) => decision.decision)).toEqual(['close', 'held'])
    expect(run).toMatchObject({ outcome: 'partial', error: 'Closing is switched off.' })
    expect(at.posts()).toHaveLength(1)
  })
})

describe('what a crash left', () => {
  const crashed = async (at: ChannelFixture & { id: string }, sent: boolean) => {
    const run = await at.store.beginRun({ channel: KEY, kind: 'close', now: at.now() })
    const intent = await at.store.planClose({ channel: KEY, rfqId: at.id, runId: run.id, evidence: {}, now: at.now() })
    if (sent) await at.store.markSending(intent, at.now())
    const end = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }
    await run.finish({ ...end, outcome: 'failed' }, at.now())
  }

  it('before sending is weighed anew', async () => {
    const at = await desk()
    await crashed(at, false)
    const { decisions } = await at.closeExpired()
    expect(decisions).toMatchObject([{ outcome: null }, { outcome: 'closed' }])
    expect(at.posts()).toHaveLength(1)
  })

  it('after an effect is settled by reading', async () => {
    const at = await desk()
    at.sandbox.world.closeRfq(at.id)
    await crashed(at, true)
    const { decisions, run } = await at.closeExpired()
    expect(decisions).toMatchObject([{ decision: 'close', outcome: 'closed' }])
    expect(run).toMatchObject({ seen: 1, changed: 1, unchanged: 0 })
    expect(at.posts()).toEqual([])
  })

  it('without effect is sent once more, after a minute, and no third time', async () => {
    const at = await desk()
    await crashed(at, true)
    await at.closeExpired()
    expect(at.posts()).toEqual([])
    expect(await at.store.openIntents(KEY)).toHaveLength(1)
    at.advanceSeconds(61)
    fault(at, { kind: 'status', status: 500 }, again)
    expect((await at.closeExpired()).decisions).toMatchObject([
      { outcome: 'unknown', evidence: { request: { posts: 2 } } },
    ])
    expect(at.posts()).toHaveLength(1)
    at.advanceSeconds(3600)
    await at.closeExpired()
    expect(at.posts()).toHaveLength(1)
  })

  it('is settled as unknown when the RFQ is gone from the list and cannot be read', async () => {
    const at = await desk()
    await crashed(at, true)
    at.sandbox.world.removeRfq(at.id)
    const { run, failures } = await at.closeExpired()
    expect(run.outcome).toBe('partial') // The list may yet show it: one 404 proves nothing.
    expect(failures).toHaveLength(1)
    await at.pollRfqs()
    expect((await at.closeExpired()).decisions).toMatchObject([
      { decision: 'close', outcome: 'unknown', reason: expect.stringContaining('can no longer be read') },
    ])
    expect(await at.store.openIntents(KEY)).toEqual([])
    expect((await at.closeExpired()).run.outcome).toBe('complete')
    expect(at.posts()).toEqual([])
  })

  it('stays open while the marketplace cannot be read, and blocks another close', async () => {
    const at = await desk()
    fault(at, { kind: 'reset', apply: true })
    at.sandbox.faults.add({ operation: 'readRfq', skip: 1, times: again, effect: { kind: 'status', status: 503 } })
    const { run, failures } = await at.closeExpired()
    expect(run.outcome).toBe('partial')
    expect(failures).toHaveLength(1)
    expect(await at.store.openIntents(KEY)).toHaveLength(1)
    at.sandbox.faults.clear()
    at.advanceSeconds(600)
    expect((await at.closeExpired()).decisions).toMatchObject([{ outcome: 'closed' }])
    expect(at.posts()).toHaveLength(1)
  })
})
