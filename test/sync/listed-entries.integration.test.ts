import { describe, expect, it } from 'vitest'
import { readStateOf } from '../../src/compare/input/stored-documents.js'
import type { PollPlanning } from '../../src/sync/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const INTERVAL_SECONDS = 300

/** A poll of the schedule that may send so many requests, one of them for the list. */
function plannedPoll(fixture: ChannelFixture, budget = 1_000) {
  fixture.advanceSeconds(INTERVAL_SECONDS)
  const nextPollAt = new Date(fixture.now().getTime() + INTERVAL_SECONDS * 1_000)
  const planning: PollPlanning = {
    ...{ budget, usualBudget: budget, nextPollAt, intervalMs: INTERVAL_SECONDS * 1_000 },
    ...{ offersMaxAgeMinutes: 60, urgentHours: 24 },
  }
  return fixture.pollRfqs({ planning })
}
/** One that reads the list only. */
const listOnly = (fixture: ChannelFixture) => plannedPoll(fixture, 1)

async function openWithRfqs(rfqs: number, offers: number) {
  const fixture = await openChannelFixture()
  const { world, faults } = fixture.sandbox
  const ids = Array.from({ length: rfqs }, () => world.addRfq(CHANNEL, { responseDueDate: '2026-12-24' }).id)
  const offerIds = ids.map((id) => Array.from({ length: offers }, () => world.addResponse(id).id))
  await plannedPoll(fixture)
  return { fixture, world, faults, ids, offerIds, first: ids[0] as string }
}

/** Whether the list shows another entry of an RFQ since it was read, and what it says. */
async function changesOf(fixture: ChannelFixture, id: string, asOf?: Date) {
  const [found] = await fixture.store.rfqs({ ids: [id], ...(asOf && { asOf }) })
  return found && readStateOf(found.rfq) === 'changed-since-read' ? found.rfq.entry?.body : null
}

describe('what the list says of an RFQ that is not read', () => {
  it('is known over postponed polls and a restart, until the RFQ is read', async () => {
    const { fixture, world, first, offerIds } = await openWithRfqs(2, 3)
    const [gone = ''] = offerIds[0] ?? []
    world.closeRfq(first)
    await listOnly(fixture)
    const closed = { state: 'closed' }
    expect(await changesOf(fixture, first)).toMatchObject(closed)
    for (let poll = 0; poll < 3; poll++) {
      await listOnly(fixture)
      if (poll === 1) await fixture.reopenStore()
    }
    expect(await changesOf(fixture, first)).toMatchObject(closed)
    world.removeResponse(gone)
    world.addResponse(first)
    await listOnly(fixture)
    const past = fixture.now()
    const said = await changesOf(fixture, first)
    expect((await plannedPoll(fixture)).run).toMatchObject({ outcome: 'complete', postponed: 0 })
    expect(await changesOf(fixture, first)).toBeNull()
    expect(await changesOf(fixture, first, past)).toEqual(said)
  })

  it('is known of an RFQ that can never be read, in planned polls and others', async () => {
    const { fixture, world, faults, first } = await openWithRfqs(2, 1)
    faults.add({ rfqId: first, times: Infinity, effect: { kind: 'status', status: 500 } })
    await plannedPoll(fixture)
    expect(await changesOf(fixture, first)).toBeNull()
    world.closeRfq(first)
    expect((await plannedPoll(fixture)).run.outcome).toBe('partial')
    expect(await changesOf(fixture, first)).toMatchObject({ state: 'closed' })
    world.changeRfq(first, { responseDueDate: '2027-01-15' })
    fixture.advanceSeconds(INTERVAL_SECONDS)
    expect((await fixture.pollRfqs()).run.outcome).toBe('partial')
    expect(await changesOf(fixture, first)).toMatchObject({ state: 'closed', responseDueDate: '2027-01-15' })
    faults.clear()
    await plannedPoll(fixture)
    expect(await changesOf(fixture, first)).toBeNull()
  })

  it('is older than an RFQ that was read, also if an offer could not be, and the RFQ is read again until that can', async () => {
    const { fixture, world, faults, first, offerIds } = await openWithRfqs(1, 2)
    const [offer = ''] = offerIds[0] ?? []
    const fault = faults.add({ responseId: offer, times: Infinity, effect: { kind: 'status', status: 500 } })
    world.changeRfq(first, { title: 'Another title' })
    for (let poll = 0; poll < 3; poll++) {
      const before = fixture.sandbox.requests.length
      fixture.advanceSeconds(INTERVAL_SECONDS)
      expect((await fixture.pollRfqs()).run.outcome).toBe('partial')
      expect(await changesOf(fixture, first)).toBeNull()
      expect(await fixture.store.rfqStates(KEY)).toMatchObject([{ isEntryRead: true, incomplete: true }])
      expect(fixture.sandbox.requests.slice(before).some(({ responseId }) => responseId === offer)).toBe(true)
    }
    fault.remove()
    fixture.advanceSeconds(INTERVAL_SECONDS)
    await fixture.pollRfqs()
    expect(await fixture.store.rfqStates(KEY)).toMatchObject([{ incomplete: false }])
  })

  it('is known of RFQs that a poll did not get to, because the marketplace asked for a pause', async () => {
    const { fixture, world, faults, ids } = await openWithRfqs(20, 0)
    for (const id of ids) world.closeRfq(id)
    const effect = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } as const
    faults.add({ operation: 'readRfq', times: Infinity, effect })
    expect((await plannedPoll(fixture)).run.outcome).not.toBe('complete')
    for (const id of ids) expect(await changesOf(fixture, id)).toMatchObject({ state: 'closed' })
  })

  it('is known of one that cannot be read', async () => {
    const { fixture, world, ids } = await openWithRfqs(60, 0)
    const [, second = ''] = ids
    for (const id of ids) world.closeRfq(id)
    fixture.sandbox.faults.add({ rfqId: second, times: Infinity, effect: { kind: 'status', status: 500 } })
    fixture.advanceSeconds(INTERVAL_SECONDS)
    await fixture.pollRfqs()
    const left = (await fixture.store.rfqStates(KEY)).filter(({ isEntryRead }) => !isEntryRead)
    expect(left.map(({ id }) => id)).toEqual([second])
  })
})
