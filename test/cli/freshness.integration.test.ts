import { expect, it } from 'vitest'
import { describeFreshness } from '../../src/cli/freshness.js'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { createRfqList } from '../../src/read-models/rfq-list.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

it('the age of what lists show names the prices that the newest poll did not read, poll after poll and over a restart', async () => {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  for (const state of ['open', 'closed'] as const) {
    const { id } = world.addRfq(CHANNEL, { responseDueDate: '2026-12-24' })
    world.addResponse(id)
    if (state === 'closed') world.closeRfq(id)
  }
  const cli = { io: { now: fixture.now }, globals: { utc: true } } as unknown as Parameters<typeof describeFreshness>[0]
  const channels = [{ key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'off' as const }]
  const freshness = async (asOf?: Date) => {
    const { store, now } = fixture
    const list = createRfqList({ store, channels, settings: DEFAULT_SETTINGS })
    const rows = await list.rows({ now: now(), ...(asOf && { asOf }) })
    expect(rows.map(({ state, readAt }) => [state, readAt === null])).toEqual([
      ['open', asOf !== undefined],
      ['closed', asOf !== undefined],
    ])
    const open = rows.filter(({ state }) => state === 'open')
    return describeFreshness(cli, store, { channels: [KEY], kind: 'rfqs', asOf, rfqs: open })
  }
  await fixture.pollRfqs()
  expect(await freshness()).toMatch(/^as of 12:00 UTC, 0 s ago$/)
  for (let poll = 1; poll <= 6; poll++) {
    fixture.advanceSeconds(300)
    const nextPollAt = new Date(fixture.now().getTime() + 300_000)
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24, intervalMs: 300_000, nextPollAt }
    const { run } = await fixture.pollRfqs({ planning: { budget: 1, usualBudget: 1, ...rules } })
    expect(run).toMatchObject({ outcome: 'complete', requests: 1, postponed: 1 })
    if (poll === 3) await fixture.reopenStore()
    expect(await freshness()).toMatch(new RegExp(`UTC, 0 s ago; prices and status read ${poll * 5} min ago$`))
  }
  expect(await freshness(fixture.now())).not.toContain('prices')
  await fixture.pollRfqs()
  expect(await freshness()).not.toContain('prices')
})

it('a moment at which no poll was complete yet says so, like the present, over polls that fail and a restart', async () => {
  const fixture = await openChannelFixture({ retries: 0, rfqs: 8 })
  const cli = { io: { now: fixture.now }, globals: { utc: true } } as unknown as Parameters<typeof describeFreshness>[0]
  const freshness = (asOf?: Date, channels = [KEY]) =>
    describeFreshness(cli, fixture.store, { channels, kind: 'rfqs', asOf })
  const moments: Date[] = []
  for (let poll = 0; poll < 6; poll++) {
    const effect = { kind: 'status', status: 500 } as const
    fixture.sandbox.faults.add({ operation: 'readRfq', times: 5, effect })
    const { run } = await fixture.pollRfqs({ full: true })
    expect(run.outcome).toBe('partial')
    if (poll === 3) await fixture.reopenStore()
    fixture.advanceSeconds(300)
    moments.push(fixture.now())
    expect(await freshness()).toBe('no complete poll yet')
    for (const at of moments)
      expect(await freshness(at)).toMatch(/^as of 2026-11-21 12:\d\d UTC; no complete poll yet$/)
  }
  await fixture.pollRfqs({ full: true })
  expect(await freshness(fixture.now())).toBe('as of 2026-11-21 12:30 UTC')
  expect(await freshness(fixture.now(), [KEY, 'acme/blue'])).toBe(
    'as of 2026-11-21 12:30 UTC; no complete poll yet of acme/blue',
  )
  fixture.advanceSeconds(300)
  for (const at of moments.slice(0, -1)) expect(await freshness(at)).toContain('; no complete poll yet')
})
