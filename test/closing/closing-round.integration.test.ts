import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import type { NewDecision } from '../../src/store/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { holdDeadlines } from '../helpers/request-deadlines.js'
import { holdingRun } from '../helpers/store/holding-run.js'

const DUE = '2026-11-20'
const ALWAYS = Number.POSITIVE_INFINITY

type PolledFixture = ChannelFixture & { id: string }

/** A fixture that has polled one RFQ, past due, with one response. */
async function openPolledFixture(due = DUE): Promise<PolledFixture> {
  const opened = await openChannelFixture()
  const { id } = opened.sandbox.world.addRfq(CHANNEL, { responseDueDate: due })
  opened.sandbox.world.addResponse(id)
  await opened.pollRfqs()
  return { ...opened, id }
}
const failClose = (fixture: ChannelFixture, effect: Effect, times = 1) =>
  fixture.sandbox.faults.add({ operation: 'closeRfq', times, effect })

describe('closing an RFQ that is past due', () => {
  it('closes it once, verifies the effect by reading, and records the evidence', async () => {
    const fixture = await openPolledFixture()
    const { run, decisions } = await fixture.closeExpired()
    expect(run).toMatchObject({ outcome: 'complete', seen: 1, changed: 1, error: null })
    expect(decisions).toMatchObject([
      {
        rfqId: fixture.id,
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
    expect(decisions[0]?.reason).toMatch(/2026-11-20 has passed.* 2026-11-21 in UTC/)
    expect(fixture.posts()).toMatchObject([{ rfqId: fixture.id, applied: true, bodyLength: 0 }])
    expect(fixture.sandbox.world.rfq(fixture.id).state).toBe('closed')
    expect((await fixture.store.rfqs({ channel: KEY }))[0]?.rfq.body).toMatchObject({ state: 'closed' })
    fixture.advanceSeconds(600)
    expect((await fixture.closeExpired()).decisions).toEqual([])
    expect(fixture.posts()).toHaveLength(1)
    expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('reads the RFQ and every offer before each close, however lately a poll read them, and the RFQ alone in a dry run', async () => {
    const fixture = await openChannelFixture()
    const { world, requests } = fixture.sandbox
    for (let round = 0; round < 6; round++) {
      const { id } = world.addRfq(CHANNEL, { responseDueDate: DUE })
      const offers = Array.from({ length: 3 }, () => world.addResponse(id).id)
      await fixture.pollRfqs()
      if (round === 3) await fixture.reopenStore()
      requests.length = 0
      await fixture.closeExpired({ mode: 'dry-run' })
      expect(fixture.sandbox.requests.map(({ operation }) => operation)).toEqual(['listRfqs', 'readRfq'])
      // What only the offer itself shows is known when the RFQ is closed.
      world.changeResponse(offers[round % 3] as string, { offer: { additionalNotesToBuyer: `round ${round}` } })
      requests.length = 0
      expect((await fixture.closeExpired()).decisions).toMatchObject([{ rfqId: id, outcome: 'closed' }])
      const operations = fixture.sandbox.requests.map(({ operation }) => operation)
      const before = operations.slice(0, operations.indexOf('closeRfq'))
      expect(before).toEqual(['listRfqs', 'readRfq', 'readResponse', 'readResponse', 'readResponse', 'readRfq'])
      const [, first] = fixture.sandbox.requests
      const known = await fixture.store.rfqs({ channel: KEY, ids: [id] })
      const changed = known[0]?.responses.find((response) => response.id === offers[round % 3])
      expect(changed?.body).toMatchObject({ offer: { additionalNotesToBuyer: `round ${round}` } })
      expect(first?.rfqId).toBe(id)
    }
  })

  it('never closes an RFQ that is due today or whose date, state or document is not as documented', async () => {
    const fixture = await openChannelFixture()
    const unusual: Record<string, object> = {
      'no date': { responseDueDate: null },
      'another form': { responseDueDate: '20/11/2026' },
      'a time': { responseDueDate: '2026-11-19T00:00:00Z' },
      'no such day': { responseDueDate: '2026-02-30' },
      'unknown state': { responseDueDate: DUE, state: 'paused' },
      'no state': { responseDueDate: DUE, state: null },
      'wrong type': { responseDueDate: DUE, minVolume: 'many' },
    }
    for (const change of Object.values(unusual)) {
      const { id } = fixture.sandbox.world.addRfq(CHANNEL)
      fixture.sandbox.faults.add({
        rfqId: id,
        operation: 'readRfq',
        times: ALWAYS,
        effect: { kind: 'transform', change: (body) => ({ ...body, ...change }) },
      })
    }
    fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-21' }) // Due today: nothing is decided about it yet.
    await fixture.pollRfqs()
    const { decisions, run } = await fixture.closeExpired()
    expect(run).toMatchObject({ outcome: 'complete', seen: Object.keys(unusual).length, changed: 0 })
    expect(decisions.map((decision) => decision.decision)).toEqual(Object.keys(unusual).map(() => 'keep'))
    expect(fixture.posts()).toEqual([])
    fixture.advanceSeconds(600)
    expect((await fixture.closeExpired()).decisions).toEqual([]) // The same reasons are not recorded again.
  })

  it('waits for the end of the day in the time zone of the channel, and for the grace period', async () => {
    const fixture = await openPolledFixture()
    fixture.setTime('2026-11-21T07:59:00Z')
    await fixture.closeExpired({ timeZone: 'America/Los_Angeles' })
    fixture.setTime('2026-11-21T08:59:00Z')
    await fixture.closeExpired({ timeZone: 'America/Los_Angeles', graceHours: 1 })
    expect(fixture.posts()).toEqual([])
    fixture.setTime('2026-11-21T09:00:00Z')
    expect((await fixture.closeExpired({ timeZone: 'America/Los_Angeles', graceHours: 1 })).run.changed).toBe(1)
  })

  it('sends nothing in a dry run, and records what it would close', async () => {
    const fixture = await openPolledFixture()
    const { decisions } = await fixture.closeExpired({ mode: 'dry-run' })
    expect(decisions).toMatchObject([{ decision: 'would-close', outcome: null }])
    expect(fixture.posts()).toEqual([])
    expect((await fixture.closeExpired({ mode: 'dry-run' })).decisions).toEqual([])
    expect((await fixture.closeExpired()).run.changed).toBe(1)
  })

  it('does not close an RFQ that a fresh read shows to be extended, closed or gone', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const [extended, closed, gone, missing] = Array.from({ length: 4 }, () =>
      world.addRfq(CHANNEL, { responseDueDate: DUE }),
    )
    await fixture.pollRfqs()
    fixture.advanceSeconds(60)
    // After the list of the round was read.
    const change = () => {
      world.changeRfq(extended?.id ?? '', { responseDueDate: '2026-12-01' })
      world.closeRfq(closed?.id ?? '')
      world.removeRfq(gone?.id ?? '')
      return null
    }
    world.removeRfq(missing?.id ?? '')
    const { decisions, failures, run } = await fixture.closeExpired({}, { stopped: change })
    expect(fixture.posts()).toEqual([])
    expect(decisions.map(({ decision, outcome, rfqId }) => ({ decision, outcome, rfqId }))).toEqual(
      expect.arrayContaining([
        { decision: 'keep', outcome: null, rfqId: extended?.id },
        { decision: 'keep', outcome: 'already-closed', rfqId: closed?.id },
        { decision: 'keep', outcome: null, rfqId: missing?.id },
      ]),
    )
    expect(failures).toMatchObject([{ id: `RFQ ${gone?.id}` }])
    expect(run.outcome).toBe('partial')
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { rfqId: gone?.id, reason: expect.stringContaining('missing from the list') },
    ])
  })
})

describe('the reply to a close', () => {
  it.each<[string, Effect, Partial<Omit<NewDecision, 'reason'>> & { reason?: RegExp }, number]>([
    ['ok: false: refused', { kind: 'not-ok' }, { outcome: 'refused', httpStatus: 200 }, 1],
    ['400: refused', { kind: 'status', status: 400 }, { outcome: 'refused', httpStatus: 400 }, 1],
    [
      '404: refused',
      { kind: 'status', status: 404 },
      { outcome: 'refused', httpStatus: 404, reason: /The marketplace replied 404.*; a read shows state open/ },
      1,
    ],
    [
      '400 and yet closed: closed elsewhere',
      { kind: 'status', status: 400, apply: true },
      { outcome: 'already-closed', reason: /replied 400.*: it was closed elsewhere/ },
      1,
    ],
    ['500 without effect: a second POST closes it', { kind: 'status', status: 500 }, { outcome: 'closed' }, 2],
    [
      '500 with effect: no second POST',
      { kind: 'status', status: 500, apply: true },
      { outcome: 'closed', httpStatus: 500 },
      1,
    ],
    [
      'a lost reply: closed, as a read shows',
      { kind: 'reset', apply: true },
      { outcome: 'closed', httpStatus: null, reason: /No reply to the POST \(.+\); a read shows state closed/ },
      1,
    ],
    [
      'a redirect: not followed, a second POST closes it',
      { kind: 'redirect', location: 'http://127.0.0.1:9/' },
      { outcome: 'closed' },
      2,
    ],
    [
      'an HTML page instead of JSON, with effect: closed',
      { kind: 'text', text: '<html>', apply: true },
      { outcome: 'closed', reason: /The marketplace replied 200 without ok/ },
      1,
    ],
    [
      'ok: true without effect: failed, for a person to check',
      { kind: 'status', status: 200, body: { ok: true } },
      { outcome: 'failed', reason: /replied 200, ok: true; .*the close had no effect/ },
      1,
    ],
  ])('%s', async (_title, effect, { reason = /./, ...decision }, posts) => {
    const fixture = await openPolledFixture()
    failClose(fixture, effect)
    const { decisions } = await fixture.closeExpired()
    expect(decisions).toMatchObject([{ decision: 'close', ...decision, reason: expect.stringMatching(reason) }])
    expect(fixture.posts()).toHaveLength(posts)
    expect(await fixture.store.openIntents(KEY)).toEqual([])
  })

  it('is settled by a read after a time-out', async () => {
    const fixture = await openPolledFixture()
    failClose(fixture, { kind: 'hang', apply: true })
    const deadlines = holdDeadlines()
    const round = fixture.closeExpired()
    await deadlines.waitUntil(() => fixture.posts().length === 1)
    deadlines.pass(30_000)
    expect((await round).decisions).toMatchObject([{ decision: 'close', outcome: 'closed', httpStatus: null }])
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is unknown after two POSTs, and no third is sent unless a person asks', async () => {
    const fixture = await openPolledFixture()
    const broken = failClose(fixture, { kind: 'status', status: 500 }, ALWAYS)
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { outcome: 'unknown', evidence: { request: { posts: 2 } } },
    ])
    expect(fixture.pauses).toEqual([5000, 5000])
    fixture.advanceSeconds(48 * 3600)
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ decision: 'keep' }])
    expect(fixture.posts()).toHaveLength(2)
    broken.remove()
    expect((await fixture.closeExpired({ byHand: true })).decisions).toEqual([])
    expect((await fixture.closeExpired({ retry: [fixture.id] })).decisions).toMatchObject([{ outcome: 'closed' }])
  })

  it('is not asked for again for a day after a refusal, unless the document changes', async () => {
    const fixture = await openPolledFixture()
    failClose(fixture, { kind: 'status', status: 400 }, 2)
    await fixture.closeExpired()
    fixture.advanceSeconds(3600)
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    fixture.sandbox.world.changeRfq(fixture.id, { title: 'Another title' })
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(2)
    fixture.advanceSeconds(25 * 3600)
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(3)
  })

  it('leads to no second POST if the due date was extended in between', async () => {
    const fixture = await openPolledFixture()
    fixture.sandbox.faults.add({
      operation: 'closeRfq',
      effect: [
        {
          kind: 'call',
          call: () => void fixture.sandbox.world.changeRfq(fixture.id, { responseDueDate: '2026-12-24' }),
        },
        { kind: 'status', status: 503 },
      ],
    })
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ outcome: 'unknown' }])
    expect(fixture.posts()).toHaveLength(1)
  })
})

describe('a closing round', () => {
  it('is blocked if it is larger than maxPerRun, until a person approves exactly its RFQs', async () => {
    const fixture = await openChannelFixture()
    for (let n = 0; n < 3; n++) fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await fixture.pollRfqs()
    const blocked = await fixture.closeExpired({ maxPerRun: 2 })
    expect(blocked.run).toMatchObject({
      outcome: 'partial',
      error: expect.stringContaining(`--approve ${blocked.approvalPlan}`),
    })
    expect(blocked.decisions.map((decision) => decision.decision)).toEqual(['blocked', 'blocked', 'blocked'])
    expect((await fixture.closeExpired({ maxPerRun: 2 })).approvalPlan).toBe(blocked.approvalPlan)
    const approved = await fixture.closeExpired({ maxPerRun: 2, approvedPlan: blocked.approvalPlan ?? '' })
    expect(approved.run.changed).toBe(3)
  })

  it('closes nothing while the clocks differ too much, or the marketplace sends no Date header', async () => {
    const fixture = await openPolledFixture()
    for (const effect of [
      { kind: 'date', skewMs: 120_000 },
      { kind: 'date', skewMs: -120_000 },
      { kind: 'date', value: null },
    ] as const) {
      const skewed = fixture.sandbox.faults.add({ times: ALWAYS, effect })
      expect((await fixture.closeExpired()).run).toMatchObject({
        outcome: 'partial',
        error: expect.stringContaining('No RFQ was closed'),
      })
      skewed.remove()
    }
    expect(fixture.posts()).toEqual([])
    expect((await fixture.closeExpired()).run.changed).toBe(1)
  })
})

describe('an intent that a crash left open', () => {
  const leaveOpenIntent = async (fixture: PolledFixture) => {
    const run = await holdingRun(fixture.store, { channel: KEY, kind: 'close', now: fixture.now() })
    const intent = await fixture.store.planClose({
      run,
      rfqId: fixture.id,
      evidence: {},
      now: fixture.now(),
    })
    await fixture.store.markSending(intent, run)
    const end = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }
    await run.finish({ ...end, outcome: 'failed' }, fixture.now())
  }

  it('is sent once more after two minutes if the POST had no effect, and never a third time', async () => {
    const fixture = await openPolledFixture()
    await leaveOpenIntent(fixture)
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    expect(await fixture.store.openIntents(KEY)).toHaveLength(1)
    fixture.advanceSeconds(121)
    failClose(fixture, { kind: 'status', status: 500 }, ALWAYS)
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { outcome: 'unknown', evidence: { request: { posts: 2 } } },
    ])
    expect(fixture.posts()).toHaveLength(1)
    fixture.advanceSeconds(3600)
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })

  it('stays open while the RFQ cannot be read, and blocks another close', async () => {
    const fixture = await openPolledFixture()
    failClose(fixture, { kind: 'reset', apply: true })
    fixture.sandbox.faults.add({
      operation: 'readRfq',
      skip: 2,
      times: ALWAYS,
      effect: { kind: 'status', status: 503 },
    })
    const { run, failures } = await fixture.closeExpired()
    expect(run.outcome).toBe('partial')
    expect(failures).toHaveLength(1)
    expect(await fixture.store.openIntents(KEY)).toHaveLength(1)
    fixture.sandbox.faults.clear()
    fixture.advanceSeconds(600)
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ outcome: 'closed' }])
    expect(fixture.posts()).toHaveLength(1)
  })
})
