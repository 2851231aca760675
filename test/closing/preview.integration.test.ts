import { describe, expect, it } from 'vitest'
import { closingOutlook } from '../../src/tables/closings/closing-outlook.js'
import { type ChannelFixture, KEY } from '../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../helpers/closing-round-fixture.js'
import { holdingRun, runEnd } from '../helpers/store/holding-run.js'
import { testConfig } from '../helpers/test-config.js'
import { viewSourceOf } from '../helpers/view-source.js'

/** What the next closing round would do about an RFQ, if its channel closes. */
async function preview(
  { store, now }: ChannelFixture,
  id = rfqId(1),
  { graceHours = 0, maxPerRun = 25 }: { graceHours?: number; maxPerRun?: number } = {},
) {
  const closing = { ...testConfig().closing, maxPerRun }
  const source = viewSourceOf(store, [{ key: KEY, timeZone: 'UTC', autoClose: 'on', graceHours }], { closing })
  const { stop, rfqs } = await closingOutlook(source, { channel: KEY, ids: [id] }, now())
  const rfq = rfqs.get(id)
  return rfq && { ...rfq, stop }
}

describe('the preview of a close', () => {
  it('has the reasons for it if the RFQ qualifies, as a round would', async () => {
    const fixture = await openClosingFixture([{}, { responseDueDate: '2026-12-24' }])
    const { decisions } = await fixture.closeExpired({ mode: 'dry-run', retry: [rfqId(1)] })
    expect(await preview(fixture)).toEqual({
      for: decisions.find((decision) => decision.rfqId === rfqId(1))?.evidence.for,
      against: [],
      ...{ why: null, remedy: null, command: null, close: null, stop: null },
    })
    expect(fixture.posts()).toEqual([])
  })

  it('has the reasons against it, with the grace of the channel', async () => {
    const fixture = await openClosingFixture([{}, { responseDueDate: '2026-12-24' }])
    expect(await preview(fixture, rfqId(2))).toMatchObject({
      against: [expect.stringMatching(/2026-12-24 has not passed.* 2026-11-21 in UTC/)],
      why: expect.stringMatching(/^Its response due date 2026-12-24 has not passed .*\.$/),
    })
    expect((await preview(fixture, rfqId(1), { graceHours: 24 }))?.against).toHaveLength(1)
  })

  it('of all RFQs has those that are past due, and those of which a close is not settled', async () => {
    const fixture = await openClosingFixture([{}, { responseDueDate: '2026-11-21' }, { responseDueDate: '2026-12-24' }])
    const { store, now } = fixture
    const source = viewSourceOf(store, [{ key: KEY, timeZone: 'UTC', autoClose: 'dry-run', graceHours: 0 }])
    const run = await holdingRun(store, { channel: KEY, kind: 'close', now: now() })
    await store.planClose({ run: run, rfqId: rfqId(3), evidence: {}, now: now() })
    const { stop, rfqs } = await closingOutlook(source, { channel: KEY }, now())
    expect([...rfqs].map(([id, { why }]) => [id, why !== null])).toEqual([
      [rfqId(1), false],
      [rfqId(3), true],
    ])
    expect(stop).toMatchObject({ code: 'dry-run' })
  })

  it('says that a close of the RFQ is not settled, and whether a round in progress settles it', async () => {
    const fixture = await openClosingFixture([{}, {}])
    const { store, now } = fixture
    const why = 'An earlier close of it is not settled yet.'
    const remedy = expect.stringMatching(/^A closing round settles it/)
    const expectOpen = async (inProgress: boolean) => {
      const close = { inProgress, reason: expect.stringMatching(/^a close was /) }
      expect(await preview(fixture)).toMatchObject({ why, remedy, command: null, close })
    }
    const run = await holdingRun(store, { channel: KEY, kind: 'close', now: now() })
    const plan = { run: run, rfqId: rfqId(1), evidence: {}, now: now() }
    const intent = await store.planClose(plan)
    await expectOpen(true)
    await store.markSending(intent, run)
    await expectOpen(true)
    await run.finish(runEnd({ outcome: 'partial' }), now())
    await expectOpen(false)
    // A round whose process died is not in progress.
    await fixture.leaveIntent(rfqId(2))
    await fixture.store.watchRuns()
    expect((await preview(fixture, rfqId(2)))?.close?.inProgress).toBe(false)
  })

  it('says that the RFQ is blocked with all that qualify now, and how to approve them', async () => {
    const fixture = await openClosingFixture([{}, {}, { responseDueDate: '2026-12-24' }])
    const { approvalPlan: plan } = await fixture.closeExpired({ maxPerRun: 1 })
    expect(await preview(fixture, rfqId(1), { maxPerRun: 1 })).toMatchObject({
      why: null,
      stop: {
        code: 'approval',
        message: expect.stringMatching(new RegExp(`^2 RFQs .*maxPerRun \\(1\\).*blocked until approved .${plan}`)),
        command: `quotekeeper close-expired --channel ${KEY} --approve ${plan}`,
      },
    })
    expect((await preview(fixture, rfqId(3), { maxPerRun: 1 }))?.stop).toBeNull()
    fixture.sandbox.world.changeRfq(rfqId(2), { responseDueDate: '2026-12-24' })
    await fixture.pollRfqs()
    expect(await preview(fixture, rfqId(1), { maxPerRun: 1 })).toMatchObject({ against: [], stop: null })
  })

  it('reads no documents but those of RFQs that are due, view after view', async () => {
    const later = Array.from({ length: 20 }, () => ({ responseDueDate: '2026-12-24' }))
    const fixture = await openClosingFixture([{}, {}, ...later])
    const { rfqs } = fixture.store
    const read: number[] = []
    fixture.store.rfqs = async (filter) => {
      const found = await rfqs(filter)
      read.push(found.length)
      return found
    }
    for (let view = 1; view <= 6; view++) {
      expect((await preview(fixture, rfqId(1), { maxPerRun: 1 }))?.stop?.code).toBe('approval')
      expect(read.splice(0)).toEqual([1, 1])
    }
  })
})
