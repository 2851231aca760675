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
