import { chmodSync, statSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReadiness, type ReadinessOptions } from '../../src/readiness/readiness.js'
import type { RunEnd } from '../../src/store/contract.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { runEnd } from '../helpers/store/holding-run.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { testConfig } from '../helpers/test-config.js'

const EMPTY = { waiting: 0, active: 0, oldestWaitingSeconds: 0 }

async function createTestReadiness(options: Partial<ReadinessOptions['config']> = {}) {
  let now = new Date('2026-11-21T10:00:00Z')
  const store = await openNewStore({ clock: () => now })
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
  const config = testConfig({ schedule, ...options })
  let ticks = { ok: true, message: '' }
  const runner = { load: async () => EMPTY }
  const readiness = createReadiness({ config, store, runner, now: () => now, schedule: { check: () => ticks } })
  return {
    store,
    poll: async (at: string, end: Partial<RunEnd> = {}) => {
      now = new Date(at)
      const run = await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now })
      await run.step(() => store.recordList(run, 'rfq-entry', [], { whole: true, readAt: now }, now))
      await run.finish(runEnd(end), now)
    },
    at: async (moment: string) => {
      now = new Date(moment)
      return Object.fromEntries((await readiness()).map(({ name, ok }) => [name, ok]))
    },
    stopTicks: () => {
      ticks = { ok: false, message: '' }
    },
    messages: async () => (await readiness()).map(({ message }) => message),
  }
}

describe('readiness', () => {
  it('answers although the database or the queue does not, and says so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const never = () => new Promise<never>(() => undefined)
    const store = { ...(await openNewStore()), checkWritable: never }
    const options = { config: testConfig(), now: () => new Date('2026-11-21T10:00:00Z') }
    const answer = createReadiness({ ...options, store, runner: { load: never } })()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await answer).toEqual([
      { name: 'database', ok: false, message: 'the database does not answer within 5 s' },
      { name: 'queue', ok: false, message: 'the queue does not answer within 5 s' },
    ])
  })

  it('is ready while the last complete poll is younger than three intervals', async () => {
    const { poll, at } = await createTestReadiness()
    expect(await at('2026-11-21T10:00:30Z')).toEqual({
      database: true,
      queue: true,
      schedule: true,
      'rfqs of acme/forest': false,
    })
    await poll('2026-11-21T10:01:00Z')
    await poll('2026-11-21T10:06:00Z', { outcome: 'partial' })
    await poll('2026-11-21T10:11:00Z', { outcome: 'failed', error: 'down' })
    expect(await at('2026-11-21T10:15:59Z')).toMatchObject({ 'rfqs of acme/forest': true })
    expect(await at('2026-11-21T10:16:01Z')).toMatchObject({ 'rfqs of acme/forest': false })
  })

  it('is not ready after the clock was set back until the next complete poll', async () => {
    const { poll, at, messages } = await createTestReadiness()
    await poll('2026-11-21T11:00:00Z')
    expect(await at('2026-11-21T10:00:00Z')).toMatchObject({ 'rfqs of acme/forest': false })
    expect((await messages()).join()).toContain('last complete poll an unknown time ago')
    await poll('2026-11-21T10:01:00Z')
    expect(await at('2026-11-21T10:02:00Z')).toEqual({
      database: true,
      queue: true,
      schedule: true,
      'rfqs of acme/forest': true,
    })
  })

  it('is not ready while the schedule does not tick', async () => {
    const { poll, at, stopTicks } = await createTestReadiness()
    await poll('2026-11-21T10:00:00Z')
    expect(await at('2026-11-21T10:01:00Z')).toMatchObject({ schedule: true })
    stopTicks()
    expect(await at('2026-11-21T10:01:00Z')).toMatchObject({ schedule: false, 'rfqs of acme/forest': true })
  })

  it('stays ready overnight when nothing is scheduled', async () => {
    const schedule = { listings: null, rfqs: '*/10 6-20 * * 1-5', closeExpired: null, channelReport: null }
    const { poll, at } = await createTestReadiness({ schedule })
    await poll('2026-11-20T20:50:05Z') // a Friday
    expect(await at('2026-11-22T12:00:00Z')).toMatchObject({ 'rfqs of acme/forest': true })
    expect(await at('2026-11-23T06:05:00Z')).toMatchObject({ 'rfqs of acme/forest': true })
    expect(await at('2026-11-23T06:35:00Z')).toMatchObject({ 'rfqs of acme/forest': false })
  })

  it('ignores polls that are not scheduled', async () => {
    const schedule = { listings: null, rfqs: null, closeExpired: null, channelReport: null }
    const { at } = await createTestReadiness({ schedule })
    expect(await at('2026-11-21T10:00:00Z')).toEqual({ database: true, queue: true, schedule: true })
  })

  it('reports an exceeded request budget even after manual polls, which do not plan, until a planned poll is within it', async () => {
    const { poll, at, messages } = await createTestReadiness()
    const shortages = async () =>
      (await messages()).filter((message) => message.includes('the request budget is exceeded'))
    await poll('2026-11-21T10:00:00Z', { requestRates: { required: 3, allowed: 2 } })
    for (let round = 1; round <= 6; round++) {
      await poll(`2026-11-21T10:0${round}:00Z`)
      expect(await shortages()).toHaveLength(1)
    }
    expect(await at('2026-11-21T10:07:00Z')).toMatchObject({ 'rfqs of acme/forest': true })
    await poll('2026-11-21T10:08:00Z', { requestRates: { required: 2, allowed: 2 } })
    expect(await shortages()).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0)('fails if the database is not writable', async () => {
    const { store, at } = await createTestReadiness()
    const { mode } = statSync(store.name)
    chmodSync(store.name, 0o400)
    expect(await at('2026-11-21T10:00:00Z')).toMatchObject({ database: false })
    chmodSync(store.name, mode)
  })

  it('fails if the database cannot be read', async () => {
    const { store, at, messages } = await createTestReadiness()
    const read = store.newestRun
    store.newestRun = () => Promise.reject(new Error('The database is damaged'))
    expect(await at('2026-11-21T10:00:00Z')).toEqual({ database: false, queue: true, schedule: true })
    expect(await messages()).toContain('The database is damaged')
    store.newestRun = read
  })
})

it('readiness names an RFQ that always fails, and stays ready over a day of polls and a restart', async () => {
  const fixture = await openChannelFixture({ retries: 0 })
  const ids = Array.from({ length: 5 }, () => fixture.sandbox.world.addRfq(CHANNEL).id)
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
  const runner = { load: async () => EMPTY }
  const check = async () => {
    const config = testConfig({ schedule })
    const checks = await createReadiness({ config, store: fixture.store, runner, now: fixture.now })()
    return checks.find(({ name }) => name === 'rfqs of acme/forest')
  }
  const failAlways = (rfqId?: string) =>
    fixture.always({ operation: 'readRfq', ...(rfqId && { rfqId }) }, { kind: 'status', status: 500 })
  await fixture.pollRfqs()
  failAlways(ids[2])
  for (let hour = 0; hour < 24; hour++) {
    fixture.advanceSeconds(3600)
    const { run } = await fixture.pollRfqs({ recheckClosedHours: 0 })
    expect(run).toMatchObject({ outcome: 'partial', failedItems: 1 })
    if (hour === 12) await fixture.reopenStore()
    const { ok, message } = (await check()) ?? {}
    expect({ hour, ok }).toEqual({ hour, ok: true })
    expect(message).toMatch(/^last complete poll 0 s ago, except RFQ \d+: GET .* 500/)
  }
  failAlways()
  fixture.advanceSeconds(3600)
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  expect(await check()).toMatchObject({ ok: false, message: expect.stringMatching(/60 min ago.*last error 0 s ago/) })
})
