import { describe, expect, it } from 'vitest'
import type { RunRecord } from '../../../src/core/records.js'
import { planPoll } from '../../../src/sync/plan.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'

const NOW = new Date('2026-11-21T12:00:10.000Z')

describe('a scheduled poll', () => {
  const config = testConfig({
    channels: [channelConfig('acme/forest'), channelConfig('acme/peat')],
    schedule: { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null },
  })
  /** @param needs by channel, of the newest poll that planned its requests; default: of none is it known */
  const plan = (
    perSecond: number,
    { now = NOW, needs = new Map<string, RunRecord>(), channels = config.channels } = {},
  ) => {
    const newestRun = async ({ channel, isPlanned }: { channel: string; isPlanned?: boolean }) =>
      (isPlanned && needs.get(channel)) || null
    const limited = { ...config, channels, requests: { ...config.requests, perSecond } }
    return planPoll(limited, { newestRun }, now)
  }

  it('plans with the equal part of its channel of what the limit allows until the next tick, less a tenth', async () => {
    const nextPollAt = new Date('2026-11-21T12:05:00.000Z')
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24 }
    expect(await plan(20)).toEqual({ budget: 2610, perSecond: 9, nextPollAt, intervalMs: 300_000, ...rules })
    const late = new Date('2026-11-21T12:04:59.000Z')
    expect(await plan(20, { now: late })).toEqual({ ...(await plan(20)), budget: 9 })
  })

  it('lets large channels use equally what small ones leave, in each of many polls', async () => {
    const now = new Date('2026-11-21T12:00:00.000Z')
    const wanted = new Map([
      ['large/1', 9_000],
      ['large/2', 4_000],
      ...Array.from({ length: 20 }, (_, at) => [`small/${at}`, 7] as const),
    ])
    const channels = [...wanted.keys()].map((key) => channelConfig(key))
    const needs = new Map<string, RunRecord>()
    const allowed = 18 * 300
    for (let poll = 1; poll <= 20; poll++) {
      const { budget = 0 } = (await plan(20, { now, needs, channels })) ?? {}
      const sent = [...wanted].map(([channel, need]) => [channel, Math.min(need, budget)] as const)
      expect(sent.reduce((sum, [, requests]) => sum + requests, 0)).toBeLessThanOrEqual(allowed)
      if (poll > 1) expect(budget).toBeCloseTo((allowed - 20 * 7) / 2, -1)
      for (const [channel, requests] of sent)
        needs.set(channel, { requests, postponed: (wanted.get(channel) ?? 0) - requests } as RunRecord)
    }
  })

  it('plans with the whole requests per second that are sent, below 1 with the limit itself', async () => {
    expect(await plan(1.9)).toEqual(await plan(1))
    expect(await plan(20.99)).toEqual(await plan(20))
    expect((await plan(0.9))?.perSecond).toBeCloseTo(0.405)
  })

  it('reads the list and four documents however low the limit', async () => {
    expect((await plan(0.01))?.budget).toBe(5)
  })

  it('does not plan without a later poll', async () => {
    const unscheduled = { ...config, schedule: { ...config.schedule, rfqs: null } }
    const newestRun = async () => null
    expect(await planPoll(unscheduled, { newestRun }, NOW)).toBeUndefined()
  })
})
