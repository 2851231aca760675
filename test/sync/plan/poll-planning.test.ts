import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileCron } from '../../../src/config/cron.js'
import { createPollChecks, type PollConfig } from '../../../src/readiness/poll-freshness.js'
import { minPollMs, planPoll, shareRequests } from '../../../src/sync/budget.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'

const NOW = new Date('2026-11-21T12:00:10.000Z')

describe('the next tick', () => {
  it.each([
    ['*/5 * * * *', '2026-11-21T12:05:00.000Z'],
    ['*/3 * * * * *', '2026-11-21T12:00:12.000Z'],
    ['0 8 * * 1-5', '2026-11-23T08:00:00.000Z'],
  ])('of %s is %s', (expression, expected) => {
    expect(compileCron(expression, 'UTC').nextTick(NOW)?.toISOString()).toBe(expected)
  })
})

describe('requests shared among channels', () => {
  it('give each what it needs up to an equal share, and the rest to those that need more', () => {
    expect(shareRequests(1_000, [10, Number.POSITIVE_INFINITY, 500])).toEqual([10, 495, 495])
    expect(shareRequests(900, [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])).toEqual([450, 450])
    expect(shareRequests(100, [10, 20])).toEqual([45, 55])
  })

  it('are never more than there are, and nobody gets less than it needs or an equal share', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.array(fc.nat(5_000), { minLength: 1, maxLength: 8 }), (total, demands) => {
        const shares = shareRequests(total, demands)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(total)
        for (const [index, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(Math.min(demands[index] ?? 0, Math.floor(total / demands.length)))
        }
      }),
    )
  })
})

describe('a scheduled poll', () => {
  const config = testConfig({
    channels: [channelConfig('acme/forest'), channelConfig('acme/peat')],
    schedule: { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null },
    requests: { ...testConfig().requests, perSecond: 20 },
  })

  it('plans with its share of what the limit allows until the next one', async () => {
    const store = await openNewStore({ clock: () => NOW })
    const plan = (channel: string) => planPoll(config, store, { channel, now: NOW })
    // 20 a second for 290 seconds, less a tenth.
    const nextPollAt = new Date('2026-11-21T12:05:00.000Z')
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24 }
    expect(await plan('acme/peat')).toEqual({
      budget: 2610,
      usualBudget: 2700,
      nextPollAt,
      intervalMs: 300_000,
      ...rules,
    })
    const run = await holdingRun(store, { channel: 'acme/peat', kind: 'rfqs', now: NOW })
    const requestRates = { required: 1, allowed: 2 }
    await run.finish(runEnd({ requests: 60, postponed: 40, requestRates }), NOW)
    // Polls by hand say nothing of what a planned one needs.
    const byHand = await holdingRun(store, { channel: 'acme/peat', kind: 'rfqs', now: NOW })
    await byHand.finish(runEnd({ requests: 9_999 }), NOW)
    expect((await plan('acme/peat'))?.budget).toBe(250)
    expect((await plan('acme/forest'))?.budget).toBe(4970)
  })

  it('plans with the whole requests per second that are sent, below 1 with the limit itself', async () => {
    const store = await openNewStore({ clock: () => NOW })
    const planWith = async (perSecond: number) => {
      const limited = { ...config, requests: { ...config.requests, perSecond } }
      return { ...(await planPoll(limited, store, { channel: 'acme/peat', now: NOW })), minMs: minPollMs(limited) }
    }
    expect(await planWith(1.9)).toEqual(await planWith(1))
    expect(await planWith(20.99)).toEqual(await planWith(20))
    // 0.9 a second for 300 seconds, less a tenth, for two channels.
    expect(await planWith(0.9)).toMatchObject({ usualBudget: 121 })
    expect(await planWith(1)).toMatchObject({ usualBudget: 135 })
  })

  it('reads the list and four documents of every channel however low the limit, and has the time that this takes', async () => {
    const channels = ['acme/forest', 'acme/peat', 'acme/soil'].map((key) => channelConfig(key))
    const schedule = { ...config.schedule, rfqs: '*/30 * * * * *' }
    const low = { ...config, channels, schedule, requests: { ...config.requests, perSecond: 0.2 } }
    const store = await openNewStore({ clock: () => NOW })
    for (const seconds of [0, 0.01, 10, 24.9, 25, 29.99]) {
      const now = new Date(NOW.getTime() - 10_000 + seconds * 1_000)
      for (const { key } of channels) {
        const planning = await planPoll(low, store, { channel: key, now })
        // 15 requests at 0.18 a second take 84 seconds.
        expect(planning).toMatchObject({ intervalMs: 90_000, usualBudget: 5 })
        expect(planning?.budget).toBeGreaterThanOrEqual(5)
        const span = (planning?.nextPollAt.getTime() ?? 0) - now.getTime()
        expect(span).toBeGreaterThanOrEqual(83_333)
        expect(span).toBeLessThanOrEqual(83_334 + 30_000)
        expect(((planning?.nextPollAt.getTime() ?? 1) / 1_000) % 30).toBe(0)
      }
    }
    // Three intervals of 84 seconds.
    const run = await holdingRun(store, { channel: 'acme/forest', kind: 'rfqs', now: NOW })
    await run.finish(runEnd({ requests: 5, postponed: 9 }), NOW)
    const isInTime = async (config: PollConfig, seconds: number) => {
      const checks = await createPollChecks(config, store)(new Date(NOW.getTime() + seconds * 1_000))
      return checks.find(({ channel }) => channel === 'acme/forest')?.ok
    }
    // Pages and the API agree.
    for (const config of [low, viewConfigOf(low)]) {
      expect(await isInTime(config, 249)).toBe(true)
      expect(await isInTime(config, 251)).toBe(false)
    }
  })

  it('plans for the usual interval also when it begins just before a tick', async () => {
    const store = await openNewStore({ clock: () => NOW })
    const atTick = await planPoll(config, store, { channel: 'acme/peat', now: new Date('2026-11-21T12:00:00.000Z') })
    const late = await planPoll(config, store, { channel: 'acme/peat', now: new Date('2026-11-21T12:04:59.000Z') })
    expect(late).toMatchObject({ usualBudget: atTick?.budget, intervalMs: 300_000, budget: 9 })
  })
})
