import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { CHANNEL, KEY } from '../helpers/channel-fixture.js'
import { DUE, openClosingFixture, rfqId } from '../helpers/closing-round-fixture.js'

const threeRfqs = () => openClosingFixture([{}, {}, {}])
type Fixture = Awaited<ReturnType<typeof openClosingFixture>>
const closedIds = (fixture: Fixture) => fixture.posts().map(({ rfqId }) => rfqId)

describe('the RFQs that a round closes', () => {
  it('are taken by due date, and those of one date by identifier', async () => {
    const fixture = await openClosingFixture(
      ['2026-11-19', '2026-11-05', '2026-11-10', '2026-11-05'].map((responseDueDate) => ({ responseDueDate })),
    )
    await fixture.closeExpired()
    expect(closedIds(fixture)).toEqual([rfqId(2), rfqId(4), rfqId(3), rfqId(1)])
  })

  it('are those that a person asked for by name, however many', async () => {
    const fixture = await threeRfqs()
    const { run } = await fixture.closeExpired({ retry: [rfqId(1), rfqId(3)], maxPerRun: 1 })
    expect(closedIds(fixture)).toEqual([rfqId(1), rfqId(3)])
    expect(run).toMatchObject({ outcome: 'complete', seen: 2, changed: 2, unchanged: 0 })
  })

  it('are read with every offer before they are closed, however lately a poll read them, and alone in a dry run', async () => {
    const fixture = await openClosingFixture()
    const { world, requests } = fixture.sandbox
    const offers = [1, 2, 3].map(() => world.addResponse(rfqId(1)).id)
    await fixture.pollRfqs()
    requests.length = 0
    await fixture.closeExpired({ mode: 'dry-run' })
    expect(fixture.operations()).toEqual(['listRfqs', 'readRfq'])
    // What only the offer itself shows is known when the RFQ is closed.
    const offer = { additionalNotesToBuyer: 'changed after the poll' }
    world.changeResponse(offers[1] as string, { offer })
    requests.length = 0
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ rfqId: rfqId(1), outcome: 'closed' }])
    const operations = fixture.operations()
    expect(operations.slice(0, operations.indexOf('closeRfq') + 1)).toEqual([
      ...['listRfqs', 'readRfq', 'readResponse', 'readResponse', 'readResponse', 'readRfq', 'closeRfq'],
    ])
    const [known] = await fixture.store.rfqs({ channel: KEY })
    expect(known?.responses.find(({ id }) => id === offers[1])?.body).toMatchObject({ offer })
  })

  it('are counted without those that were closed before, and invalid ones are counted as such', async () => {
    const fixture = await openClosingFixture([{}, {}, {}, {}])
    fixture.sandbox.world.closeRfq(rfqId(1))
    fixture.always({ rfqId: rfqId(2), operation: 'readRfq' }, { kind: 'patch', patch: { minVolume: 'many' } })
    fixture.sandbox.world.changeRfq(rfqId(2), { title: 'Another title' })
    await fixture.pollRfqs()
    expect((await fixture.closeExpired()).run).toMatchObject({ seen: 3, changed: 2, unchanged: 1, invalid: 1 })
  })
})

describe('a round with more RFQs than maxPerRun', () => {
  it('has one decision per RFQ and day, and is approved also after a restart', async () => {
    const fixture = await threeRfqs()
    const plans = new Set<string | null>()
    for (let round = 0; round < 5; round++) {
      const { approvalPlan, counts } = await fixture.closeExpired({ maxPerRun: 2 })
      plans.add(approvalPlan)
      expect(counts.blocked).toBe(3)
      fixture.advanceSeconds(6 * 3600)
    }
    expect(plans.size).toBe(2)
    const [first, second] = [...plans].map((approvalPlan) => ({ codes: ['max-per-run'], approvalPlan }))
    expect(await fixture.store.decisions({})).toMatchObject([
      ...fixture.ids.map(() => ({ decision: 'blocked', times: 3, evidence: second })),
      ...fixture.ids.map(() => ({ decision: 'blocked', times: 2, evidence: first })),
    ])
    await fixture.reopenStore()
    const approval = { approvedPlan: second?.approvalPlan ?? '', approvedBy: 'anna' }
    const approved = await fixture.closeExpired({ maxPerRun: 2, ...approval })
    expect(approved.decisions).toMatchObject(fixture.ids.map(() => ({ outcome: 'closed', approvedBy: 'anna' })))
    expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('is approved by the round that closes its RFQs, not by a dry run or while the kill switch is on', async () => {
    const fixture = await threeRfqs()
    const { approvalPlan } = await fixture.closeExpired({ maxPerRun: 2 })
    const approval = { maxPerRun: 2, approvedPlan: approvalPlan ?? '', approvedBy: 'anna' }
    const rounds = [
      await fixture.closeExpired({ ...approval, mode: 'dry-run' }),
      await fixture.closeExpired(approval, { stopped: () => 'stopped' }),
    ]
    for (const { decisions } of rounds)
      expect(decisions).toMatchObject(fixture.ids.map(() => ({ approvedBy: null, evidence: { approvedPlan: null } })))
    expect(fixture.posts()).toEqual([])
    expect((await fixture.closeExpired(approval)).decisions).toMatchObject(
      fixture.ids.map(() => ({ outcome: 'closed', approvedBy: 'anna', evidence: { approvedPlan: approvalPlan } })),
    )
    expect(closedIds(fixture)).toEqual(fixture.ids)
  })

  it('is not approved by the plan of another round, but blocked under its own', async () => {
    const fixture = await threeRfqs()
    const { approvalPlan } = await fixture.closeExpired({ maxPerRun: 1 })
    fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await fixture.pollRfqs()
    const approval = { maxPerRun: 1, approvedPlan: approvalPlan ?? '', approvedBy: 'anna' }
    const other = await fixture.closeExpired(approval)
    expect(other.counts).toMatchObject({ closed: 0, blocked: 4 })
    expect(other.approvalPlan).not.toBe(approvalPlan)
    expect(other.stopReason).toMatch(new RegExp(`^Plan ${approvalPlan} is of other RFQs or another day. 4 RFQs`))
    expect(closedIds(fixture)).toEqual([])
    const confirmed = { ...approval, approvedPlan: other.approvalPlan ?? '' }
    expect((await fixture.closeExpired(confirmed)).counts.closed).toBe(4)
  })
})

describe('a round that is blocked', () => {
  it('because the kill switch is on reads only the list and says so', async () => {
    const fixture = await threeRfqs()
    const requests = fixture.operations().length
    const { decisions, run } = await fixture.closeExpired({}, { stopped: () => 'Closing is off.' })
    expect(decisions).toMatchObject(
      fixture.ids.map(() => ({ decision: 'blocked', reason: 'Closing is off.', evidence: { codes: ['kill-switch'] } })),
    )
    expect(run).toMatchObject({ outcome: 'partial', error: 'Closing is off.' })
    expect(fixture.operations().slice(requests)).toEqual(['listRfqs'])
  })

  it('is complete if no RFQ qualifies anyway', async () => {
    const fixture = await threeRfqs()
    for (const id of fixture.ids) fixture.sandbox.world.changeRfq(id, { responseDueDate: '2026-12-24' })
    await fixture.pollRfqs()
    const { stopReason } = await fixture.closeExpired({}, { stopped: () => 'Closing is off.' })
    expect(stopReason).toBeNull()
  })
})

/** Enough RFQs for a list without most of them to be suspicious. */
const manyRfqs = () => openClosingFixture(Array.from({ length: 14 }, () => ({})))
const MANY_PER_RUN = { maxPerRun: 30 }

describe('the list of a round', () => {
  it.each<[string, Effect]>([
    ['lost most of its entries', { kind: 'drop', count: 8 }],
    ['says that it has a next page', { kind: 'patch', patch: { links: { next: '/rfqs?page=2' } } }],
    ['is empty', { kind: 'empty' }],
  ])(
    'that %s closes nothing, not even what a person asked for, until a whole list was read',
    async (_title, effect) => {
      const fixture = await manyRfqs()
      for (let round = 0; round < 6; round++) {
        fixture.sandbox.faults.add({ operation: 'listRfqs', effect })
        fixture.advanceSeconds(60)
        const retry = round === 4 ? { retry: [rfqId(9)] } : {}
        const { run, stopReason } = await fixture.closeExpired({ ...MANY_PER_RUN, ...retry })
        expect(run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0, stop: { code: 'mass-loss' } })
        expect(stopReason).toMatch(/^Nothing is closed. The list of RFQs may not be whole: /)
        expect(await fixture.store.newestRun({ channel: KEY, hasList: true })).toMatchObject({
          id: run.id,
          suspicious: true,
        })
        if (round === 3) await fixture.reopenStore()
      }
      expect(await fixture.store.decisions({ rfqId: rfqId(9) })).toMatchObject([
        { decision: 'blocked', reason: 'the list may not be whole', times: 6, evidence: { codes: ['mass-loss'] } },
      ])
      expect(fixture.posts()).toEqual([])
      expect((await fixture.closeExpired(MANY_PER_RUN)).counts.closed).toBe(14)
      expect(await fixture.store.newestRun({ channel: KEY, hasList: true })).toMatchObject({ suspicious: false })
    },
  )

  it('is read again after a minute, and ends the round if it lost most of its entries by then', async () => {
    const fixture = await manyRfqs()
    let asked = 0
    const killSwitch = async () => {
      // The second RFQ of the round is being closed.
      if (++asked === 3) {
        fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', ids: fixture.ids.slice(4) } })
        fixture.advanceSeconds(60)
      }
      return null
    }
    const { run } = await fixture.closeExpired(MANY_PER_RUN, { killSwitch })
    expect(run).toMatchObject({ outcome: 'partial', stop: { code: 'mass-loss' } })
    expect(fixture.posts().length).toBeLessThanOrEqual(2)
    expect(fixture.operations().filter((operation) => operation === 'listRfqs')).toHaveLength(3)
  })

  it('closes nothing if it cannot be read', async () => {
    const fixture = await openClosingFixture()
    const effect: Effect = { kind: 'status', status: 500 }
    fixture.always({ operation: 'listRfqs' }, effect)
    for (let round = 0; round < 3; round++)
      expect((await fixture.closeExpired()).run).toMatchObject({ outcome: 'failed', changed: 0 })
    expect(fixture.posts()).toEqual([])
  })

  it('is not read if nothing is past due', async () => {
    const fixture = await openClosingFixture([{ responseDueDate: '2026-12-24' }])
    expect((await fixture.closeExpired()).run).toMatchObject({ outcome: 'complete', requests: 0, seen: 0 })
  })
})

describe('an RFQ that the round evaluates', () => {
  it('is not closed if its fresh read shows that it was extended, closed or removed', async () => {
    const fixture = await openClosingFixture([{}, {}, {}])
    const { world } = fixture.sandbox
    // After the list of the round was read.
    const change = () => {
      world.changeRfq(rfqId(1), { responseDueDate: '2026-12-01' })
      world.closeRfq(rfqId(2))
      world.removeRfq(rfqId(3))
      return null
    }
    const { decisions, failures, run, counts } = await fixture.closeExpired({}, { stopped: change })
    expect(decisions).toMatchObject([
      { rfqId: rfqId(1), decision: 'keep', outcome: null, reason: expect.stringContaining('2026-12-01') },
      { rfqId: rfqId(2), decision: 'keep', outcome: 'already-closed', reason: 'its state is closed' },
    ])
    expect(counts).toMatchObject({ closed: 0, alreadyClosed: 1 })
    expect(failures).toMatchObject([{ id: 'RFQ 1003' }])
    expect(run.outcome).toBe('partial')
    // What was closed before is decided once.
    expect((await fixture.closeExpired()).decisions).toMatchObject([
      { rfqId: rfqId(3), reason: expect.stringContaining('missing from the list') },
    ])
    expect(fixture.posts()).toEqual([])
  })

  it.each([
    ['on', 'closed', [rfqId(2)]],
    ['dry-run', null, []],
  ] as const)(
    'is kept open if it changes at each of three reads, and the next one is not: %s',
    async (mode, outcome, closed) => {
      const fixture = await openClosingFixture([{}, {}])
      let reads = 0
      fixture.always(
        { rfqId: rfqId(1), operation: 'readRfq' },
        { kind: 'transform', change: (body) => ({ ...body, title: `Title ${++reads}` }) },
      )
      const { decisions } = await fixture.closeExpired({ mode })
      expect(decisions).toMatchObject([
        {
          rfqId: rfqId(1),
          decision: 'keep',
          reason: 'it changed at every fresh read',
          evidence: { codes: ['changing'], for: expect.arrayContaining(['its state is open']) },
        },
        { rfqId: rfqId(2), outcome },
      ])
      // Each is confirmed by another.
      expect(reads).toBe(mode === 'on' ? 6 : 5)
      expect(closedIds(fixture)).toEqual(closed)
    },
  )

  it.each([
    ['on', false],
    ['on', true],
    ['dry-run', false],
    ['dry-run', true],
  ] as const)(
    'is kept open if a poll finds meanwhile that it is missing: %s, it changed: %s',
    async (mode, changes) => {
      const fixture = await openClosingFixture()
      const { world, faults } = fixture.sandbox
      // After the list of the round was read.
      const stopped = async () => {
        faults.add({ operation: 'listRfqs', effect: { kind: 'empty' } })
        await fixture.pollRfqs({ acceptLoss: true })
        if (changes) world.changeRfq(rfqId(1), { title: 'Another title' })
        return null
      }
      const { decisions } = await fixture.closeExpired({ mode }, { stopped })
      expect(decisions).toMatchObject([{ decision: 'keep', evidence: { codes: ['missing'] } }])
      expect(fixture.posts()).toEqual([])
    },
  )

  it.each(['on', 'dry-run'] as const)('is kept open if its fresh read has no identifier: %s', async (mode) => {
    const fixture = await openClosingFixture()
    fixture.always({ operation: 'readRfq' }, { kind: 'patch', patch: { id: null } })
    const { decisions } = await fixture.closeExpired({ mode })
    expect(decisions).toMatchObject([{ decision: 'keep', evidence: { codes: ['state', 'due-date', 'document'] } }])
    expect(fixture.posts()).toEqual([])
  })

  it('is not even read while its last close is refused, and does not count for maxPerRun', async () => {
    const fixture = await openClosingFixture([{}, {}])
    fixture.answerCloses(rfqId(1), 400)
    fixture.answerCloses(rfqId(2), 400)
    await fixture.closeExpired()
    const requests = fixture.operations().length
    for (let round = 0; round < 6; round++) {
      expect(await fixture.closeExpired({ maxPerRun: 1 })).toMatchObject({ approvalPlan: null, counts: { blocked: 0 } })
    }
    expect(fixture.operations().slice(requests)).toEqual(Array.from({ length: 6 }, () => 'listRfqs'))
  })

  it('is not evaluated again after its open intent was settled, except if that was given up', async () => {
    const fixture = await openClosingFixture([{}, {}])
    await fixture.leaveIntent(rfqId(1), { posts: 1 })
    await fixture.leaveIntent(rfqId(2))
    fixture.sandbox.world.changeRfq(rfqId(1), { responseDueDate: '2026-12-24' })
    const { decisions, run } = await fixture.closeExpired()
    expect(decisions).toMatchObject([
      { rfqId: rfqId(1), decision: 'close', outcome: 'unknown' },
      { rfqId: rfqId(2), decision: 'close', outcome: null },
      { rfqId: rfqId(2), decision: 'close', outcome: 'closed', evidence: { reading: { skewSeconds: 0 } } },
    ])
    expect(run).toMatchObject({ seen: 2, changed: 1, unchanged: 1 })
    expect(closedIds(fixture)).toEqual([rfqId(2)])
  })

  it('is kept open if the fresh read shows again the document whose close was refused', async () => {
    const fixture = await openClosingFixture([{ title: 'Refused title' }])
    fixture.answerCloses(rfqId(1), 400)
    await fixture.closeExpired()
    fixture.sandbox.world.changeRfq(rfqId(1), { title: 'Another title' })
    await fixture.pollRfqs()
    fixture.sandbox.world.changeRfq(rfqId(1), { title: 'Refused title' })
    const { decisions } = await fixture.closeExpired()
    expect(decisions).toMatchObject([{ decision: 'keep', evidence: { codes: ['refused'] } }])
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is blocked if the kill switch is turned on after its evaluation, and the round ends', async () => {
    const fixture = await openClosingFixture([{}, {}])
    const requests = fixture.operations().length
    const stopped = () => (fixture.operations().length > requests + 1 ? 'Closing is off.' : null)
    const { decisions, counts, stopReason } = await fixture.closeExpired({}, { stopped })
    expect(decisions).toMatchObject([
      {
        rfqId: rfqId(1),
        decision: 'blocked',
        reason: 'Closing is off.',
        evidence: { codes: ['kill-switch'], reading: { skewSeconds: 0 } },
      },
    ])
    expect({ counts, stopReason }).toMatchObject({ counts: { blocked: 1 }, stopReason: 'Closing is off.' })
    expect(fixture.posts()).toEqual([])
  })

  it('is not read any more after the process was asked to stop', async () => {
    const fixture = await openClosingFixture([{}, {}])
    const stopping = new AbortController()
    const killSwitch = async () => {
      if (fixture.posts().length > 0) stopping.abort(new Error('stopping'))
      return null
    }
    const pause = async () => stopping.abort(new Error('stopping'))
    fixture.answerCloses(rfqId(1), 500)
    const { run } = await fixture.closeExpired({}, { signal: stopping.signal, killSwitch, pause })
    expect(run).toMatchObject({
      outcome: 'partial',
      error: expect.stringMatching(/ stopping$/),
    })
    expect(closedIds(fixture)).not.toContain(rfqId(2))
    expect(fixture.sandbox.requests.slice(-1)).toMatchObject([{ rfqId: rfqId(1), operation: 'readRfq' }])
  })
})
