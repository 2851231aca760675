import { describe, expect, it } from 'vitest'
import { today } from '../../src/views/today/today.js'
import type { TodayRfq } from '../../src/views/today/today-view.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { openRecorder } from '../helpers/store/recorder.js'
import { todaySource } from '../helpers/today-source.js'

/** A poll that reads the list only. */
function listOnly(fixture: ChannelFixture) {
  fixture.advanceSeconds(300)
  const nextPollAt = new Date(fixture.now().getTime() + 300_000)
  const rules = { offersMaxAgeMinutes: 60, urgentHours: 24, intervalMs: 300_000, nextPollAt }
  return fixture.pollRfqs({ planning: { budget: 1, usualBudget: 1, ...rules } })
}

/** RFQs with these due dates, polled. */
async function openWithRfqs(dueDates: readonly string[]) {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const ids = dueDates.map((responseDueDate) => world.addRfq(CHANNEL, { responseDueDate }).id)
  await fixture.pollRfqs()
  const source = todaySource(fixture.store, [{ key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'off' }])
  const rowsOfToday = async () => {
    await openRecorder(fixture).round()
    return (await today(source, { now: fixture.now(), since: fixture.now() })).rfqs
  }
  const rowOf = async (id: string) => (await source.rfqs.rows({ now: fixture.now() })).find((row) => row.id === id)
  return { fixture, world, ids, rowsOfToday, rowOf }
}

const about = (items: readonly TodayRfq[], id: string | undefined) =>
  items.filter(({ rfqId }) => rfqId === id).map(({ kind, severity, message }) => ({ kind, severity, message }))

const CLOSED = /The list of 2026-11-21 12:05 UTC says closed; this RFQ was last read at 12:00\./

describe('an RFQ that was not read since the list says something else', () => {
  it('is listed with what the list says, which changes with the list and ends with the next read', async () => {
    const { fixture, world, ids, rowOf } = await openWithRfqs(['2027-01-31'])
    const [id = ''] = ids
    expect((await rowOf(id))?.listed).toBeNull()
    world.closeRfq(id)
    await listOnly(fixture)
    expect(await rowOf(id)).toMatchObject({ state: 'open', listed: { state: 'closed', responseDueDate: null } })
    world.changeRfq(id, { responseDueDate: '2027-02-28' })
    await listOnly(fixture)
    expect(await rowOf(id)).toMatchObject({ listed: { state: 'closed', responseDueDate: '2027-02-28' } })
    fixture.advanceSeconds(300)
    await fixture.pollRfqs()
    expect(await rowOf(id)).toMatchObject({ state: 'closed', listed: null })
  })

  it('says so in its item of today, or has one', async () => {
    const { fixture, world, ids, rowsOfToday } = await openWithRfqs([
      '2026-11-24',
      '2026-11-20',
      '2027-01-31',
      '2027-01-31',
    ])
    const [due, overdue, far, other] = ids
    for (const id of [due, overdue, far]) world.closeRfq(id ?? '')
    world.changeRfq(other ?? '', { title: 'Another title' })
    await listOnly(fixture)
    const items = await rowsOfToday()
    expect(about(items, due)).toEqual([{ kind: 'due', severity: 'medium', message: expect.stringMatching(CLOSED) }])
    expect(about(items, overdue)).toEqual([
      { kind: 'overdue', severity: 'high', message: expect.stringMatching(CLOSED) },
    ])
    expect(about(items, far)).toEqual([{ kind: 'listed', severity: 'medium', message: expect.stringMatching(CLOSED) }])
    // Nobody has to decide anything: the page of the RFQ and the list of RFQs say so.
    expect(about(items, other)).toEqual([])
  })
})

describe('an RFQ that the list of the poll that read it contradicts', () => {
  it('says so in its item of today, or has one, until they agree', async () => {
    const { fixture, world, ids, rowsOfToday } = await openWithRfqs([
      '2026-11-24',
      '2026-11-20',
      '2027-01-31',
      '2027-01-31',
    ])
    const [due, overdue, far, agreed] = ids
    for (const id of [due, overdue, far]) {
      const effect = { kind: 'patch', id: id ?? '', patch: { responseDueDate: '2027-04-04' } } as const
      fixture.sandbox.faults.add({ operation: 'listRfqs', times: 1, effect })
      world.changeRfq(id ?? '', { title: 'Another title' })
    }
    fixture.advanceSeconds(300)
    await fixture.pollRfqs()
    const listed = /The list of 2026-11-21 12:05 UTC says due 2027-04-04; the RFQ itself, read at 12:05, says due 20/
    const message = expect.stringMatching(listed)
    const expected = [
      [due, { kind: 'due', severity: 'medium', message }],
      [overdue, { kind: 'overdue', severity: 'high', message }],
      [far, { kind: 'listed', severity: 'medium', message }],
    ] as const
    const now = await rowsOfToday()
    for (const [id, item] of expected) expect(about(now, id)).toEqual([item])
    expect(about(now, agreed)).toEqual([])
    expect(now.find(({ kind }) => kind === 'listed')).toMatchObject({ since: fixture.now().toISOString() })
    fixture.advanceSeconds(300)
    for (const id of ids) world.changeRfq(id, { title: 'A third title' })
    await fixture.pollRfqs()
    expect(JSON.stringify(await rowsOfToday())).not.toContain('The list of')
  })
})
