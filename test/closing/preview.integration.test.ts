import { describe, expect, it } from 'vitest'
import { readAndRecord } from '../../src/closing/fresh-read.js'
import { previewClose } from '../../src/closing/preview.js'
import { today } from '../../src/tables/today/today.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { closingContextOf, DUE, openClosingFixture, rfqId } from '../helpers/closing-round-fixture.js'
import { itemsOf, todaySource } from '../helpers/today-source.js'

const preview = (
  { store, now }: ChannelFixture,
  id = rfqId(1),
  more: { graceHours?: number; maxPerRun?: number } = {},
) => previewClose(store, { channel: KEY, rfqId: id, timeZone: 'UTC', graceHours: 0, maxPerRun: 25, ...more }, now())

describe('the preview of a close', () => {
  it('has the reasons for it if the RFQ qualifies, as a round would', async () => {
    const fixture = await openClosingFixture([{}, { responseDueDate: '2026-12-24' }])
    const { decisions } = await fixture.closeExpired({ mode: 'dry-run', retry: [rfqId(1)] })
    expect(await preview(fixture)).toEqual({
      for: decisions.find((decision) => decision.rfqId === rfqId(1))?.evidence.for,
      against: [],
      state: 'open',
      dueDate: '2026-11-20',
      remedies: [],
      unsettled: null,
    })
    expect(fixture.posts()).toEqual([])
  })

  it('has the reasons against it, with the grace of the channel', async () => {
    const fixture = await openClosingFixture([{}, { responseDueDate: '2026-12-24' }])
    expect(await preview(fixture, rfqId(2))).toMatchObject({
      against: [expect.stringMatching(/2026-12-24 has not passed.* 2026-11-21 in UTC/)],
      dueDate: '2026-12-24',
    })
    expect((await preview(fixture, rfqId(1), { graceHours: 24 }))?.against).toHaveLength(1)
  })

  it('does not exist for an RFQ that is not stored, and needs no poll for one that is', async () => {
    const fixture = await openChannelFixture()
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    expect(await preview(fixture, id)).toBeNull()
    const poll = await fixture.store.beginRun({ channel: KEY, kind: 'rfqs', now: fixture.now() })
    await readAndRecord(closingContextOf(fixture), poll, id)
    expect(await preview(fixture, id)).toMatchObject({ against: [], state: 'open' })
  })

  it.each([
    [400, 'the marketplace refused to close it'],
    [500, 'the effect of its last close is uncertain'],
  ])('says what the last close of the RFQ led to, and how to send it again: %i', async (status, reason) => {
    const fixture = await openClosingFixture([{}, {}])
    fixture.answerCloses(rfqId(1), status)
    await fixture.closeExpired({ retry: [rfqId(1)] })
    const [answered, other] = [await preview(fixture), await preview(fixture, rfqId(2))]
    expect(answered?.against).toEqual([expect.stringContaining(reason)])
    expect(answered?.remedies).toEqual([expect.stringContaining('--retry')])
    expect(other).toMatchObject({ against: [], remedies: [] })
  })

  it('says that two closes of the RFQ were sent within 24 hours', async () => {
    const fixture = await openClosingFixture([{}, {}])
    fixture.answerCloses(rfqId(1), 400)
    for (let round = 0; round < 2; round++) {
      await fixture.closeExpired({ retry: [rfqId(1)] })
      fixture.sandbox.world.changeRfq(rfqId(1), { title: `Title ${round}` })
      await fixture.pollRfqs()
    }
    expect((await preview(fixture))?.against).toEqual([expect.stringContaining('2 times')])
    expect((await preview(fixture, rfqId(2)))?.against).toEqual([])
    fixture.advanceSeconds(24 * 3600)
    expect((await preview(fixture))?.against).toEqual([])
  })

  it('says that a close of the RFQ is not settled, and that a round in progress does so, as Today does', async () => {
    const fixture = await openClosingFixture([{}, {}])
    const { store, now } = fixture
    const source = todaySource(store, [{ key: KEY, timeZone: 'UTC', autoClose: 'on', graceHours: 0 }])
    const expectText = async (message: string, remedy: RegExp, severity: string, command: string) => {
      expect(await preview(fixture)).toMatchObject({
        against: [expect.stringContaining('not settled')],
        remedies: [expect.stringMatching(remedy)],
        unsettled: expect.stringMatching(new RegExp(`^a ${message}; ${remedy.source}`)),
      })
      const items = itemsOf(await today(source, { now: now(), since: now() }))
      const [item] = items.filter(({ kind }) => kind === 'unsettled')
      expect(item).toMatchObject({ severity, action: { command: expect.stringContaining(command) } })
      expect(item?.message).toContain(`A ${message}. `)
      // What the round itself reports when it has done its work.
      const left = await store.unsettledCloses({ channel: KEY, now: now(), endingRun: run.id })
      expect(left).toMatchObject([{ inProgress: false, reason: expect.stringMatching(/^a close was /) }])
    }
    const run = await store.beginRun({ channel: KEY, kind: 'close', now: now() })
    const end = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }
    const plan = { channel: KEY, rfqId: rfqId(1), runId: run.id, evidence: {}, now: now() }
    const intent = await store.planClose(plan)
    const [wait, settle] = [/no action needed: the closing round in progress/, /a closing round settles it/]
    await expectText('close is about to be sent', wait, 'low', 'quotekeeper runs --kind close')
    await store.markSending(intent, run)
    await expectText('close is being sent or verified', wait, 'low', 'quotekeeper runs --kind close')
    await run.finish({ ...end, outcome: 'partial' }, now())
    await expectText('close was sent and is not settled', settle, 'medium', 'quotekeeper close-expired')
    // A round whose process died is not in progress once its lease has expired.
    const died = await store.beginRun({ channel: KEY, kind: 'close', now: now() })
    await store.planClose({ ...plan, rfqId: rfqId(2), runId: died.id })
    fixture.advanceSeconds(31)
    expect((await preview(fixture, rfqId(2)))?.unsettled).toMatch(/^a close was planned and not sent; a closing round/)
  })

  it('says that the RFQ is blocked with others, and how to approve them', async () => {
    const fixture = await openClosingFixture([{}, {}, { responseDueDate: '2026-12-24' }])
    const { approvalPlan: plan } = await fixture.closeExpired({ maxPerRun: 1 })
    expect(await preview(fixture, rfqId(1), { maxPerRun: 1 })).toMatchObject({
      against: [expect.stringMatching(new RegExp(`one of 2 RFQs .*${plan}`))],
      remedies: [expect.stringContaining(`--approve ${plan}`)],
    })
    expect((await preview(fixture, rfqId(3), { maxPerRun: 1 }))?.remedies).toEqual([])
  })

  it('counts the RFQs that qualify now, not those of an earlier round that was blocked', async () => {
    const fixture = await openClosingFixture([{}, {}, {}])
    expect(await preview(fixture, rfqId(1), { maxPerRun: 2 })).toMatchObject({
      against: [expect.stringMatching(/^3 RFQs .*maxPerRun \(2\).*blocked/)],
      remedies: [expect.stringContaining('--dry-run')],
    })
    await fixture.closeExpired({ maxPerRun: 2 })
    fixture.sandbox.world.changeRfq(rfqId(2), { responseDueDate: '2026-12-24' })
    await fixture.pollRfqs()
    expect(await preview(fixture, rfqId(1), { maxPerRun: 2 })).toMatchObject({ against: [], remedies: [] })
    const { decisions } = await fixture.closeExpired({ maxPerRun: 2, only: [rfqId(1)] })
    expect(decisions).toMatchObject([{ rfqId: rfqId(1), outcome: 'closed' }])
  })

  it('reads no documents but those of RFQs that are due, view after view', async () => {
    const later = Array.from({ length: 20 }, () => ({ responseDueDate: '2026-12-24' }))
    const { store, now } = await openClosingFixture([{}, {}, ...later])
    const read: number[] = []
    const rfqs: typeof store.rfqs = async (filter) => {
      const found = await store.rfqs(filter)
      read.push(found.length)
      return found
    }
    const rfq = { channel: KEY, rfqId: rfqId(1), timeZone: 'UTC', graceHours: 0, maxPerRun: 1 }
    for (let view = 1; view <= 6; view++) {
      const { against } = (await previewClose({ ...store, rfqs }, rfq, now())) ?? {}
      expect(against).toEqual([expect.stringContaining('2 RFQs are past due')])
      expect(read.splice(0)).toEqual([1, 2])
    }
  })

  it('says that the newest poll is suspicious', async () => {
    const fixture = await openClosingFixture(Array.from({ length: 12 }, () => ({})))
    fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'drop', count: 7 } })
    const { run } = await fixture.pollRfqs()
    expect((await preview(fixture))?.against).toEqual([
      expect.stringMatching(new RegExp(`list of .*\\(run ${run.id}\\) may not be whole`)),
    ])
  })
})
