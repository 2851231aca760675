import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { isPostgres, openReaderOf, rowsOf } from '../../helpers/store/store-engine.js'

/** The same counts by parsing every document again. */
const countAgain = (fixture: ChannelFixture) =>
  rowsOf(
    fixture.store,
    `select state, response_due_date as "dueDate", count(*) as count from rfqs
    where channel = '${KEY}' and missing_since is null group by 1, 2 order by 1, 2`,
  )
const sorted = <T extends { state: string | null; dueDate: string | null }>(counts: T[]) =>
  counts.sort((a, b) => `${a.state} ${a.dueDate}`.localeCompare(`${b.state} ${b.dueDate}`))

describe('RFQ counts', () => {
  it('follow every change, absence and return, also through another reader', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const reader = await openReaderOf(fixture.store)
    const ids = Array.from({ length: 12 }, () => world.addRfq(CHANNEL, { responseDueDate: '2026-12-01' }).id)
    const [changed, closed, lost, odd] = ids as [string, string, string, string]
    const record = world.channel(CHANNEL)?.rfq(lost)
    const steps = [
      () => undefined,
      () => world.changeRfq(changed, { responseDueDate: '2026-12-24' }),
      () => world.closeRfq(closed),
      () => world.channel(CHANNEL)?.removeRfq(lost),
      () => record && world.channel(CHANNEL)?.addRfq(record),
      () => world.changeRfq(odd, { state: 'draft' } as never),
      () => world.addRfq(CHANNEL, { responseDueDate: '2026-12-01' }),
    ]
    const seen: unknown[] = []
    for (const step of steps) {
      step()
      fixture.advanceSeconds(300)
      await fixture.pollRfqs()
      const counts = sorted(await reader.rfqCounts(KEY))
      expect(counts).toEqual(await countAgain(fixture))
      expect(sorted(await (await openReaderOf(fixture.store)).rfqCounts(KEY))).toEqual(counts)
      seen.push(counts)
    }
    expect(seen[3]).toEqual([
      { state: 'closed', dueDate: '2026-12-01', count: 1 },
      { state: 'open', dueDate: '2026-12-01', count: 9 },
      { state: 'open', dueDate: '2026-12-24', count: 1 },
    ])
    expect(await reader.rfqCounts('acme/other')).toEqual([])
  })
})

describe('recorded versions of a run', () => {
  it('have the longest detection delay, and null for a first version', async () => {
    const fixture = await openChannelFixture()
    const rfq = fixture.sandbox.world.addRfq(CHANNEL, { responses: [] })
    const reader = await openReaderOf(fixture.store)
    const first = await fixture.pollRfqs()
    expect(await reader.recordedVersions(first.run.id)).toEqual([{ kind: 'rfq', delaySeconds: null }])
    fixture.advanceSeconds(300)
    expect(await reader.recordedVersions((await fixture.pollRfqs()).run.id)).toEqual([])
    fixture.advanceSeconds(7.25)
    fixture.sandbox.world.changeRfq(rfq.id, { title: 'Another title' })
    const second = await fixture.pollRfqs()
    const [version] = await reader.recordedVersions(second.run.id)
    expect(version?.delaySeconds).toBeCloseTo(7.25, 3)
  })
})

it('reader › cannot write', async () => {
  const fixture = await openChannelFixture()
  await fixture.pollListings()
  const reader = await openReaderOf(fixture.store)
  await expect(reader.stopClosing({ by: 'anna', reason: 'a test', now: fixture.now() })).rejects.toThrow(
    'opened for reading only',
  )
  const { database, wal } = await reader.sizes()
  // PostgreSQL does not tell the size of the write-ahead log of one database.
  expect([database > 0, isPostgres ? wal === 0 : wal > 4_096]).toEqual([true, true])
})
