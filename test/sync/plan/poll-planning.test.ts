import { describe, expect, it } from 'vitest'
import { compileCron } from '../../../src/config/cron.js'
import type { RunRecord } from '../../../src/core/records.js'
import { planPoll } from '../../../src/sync/plan.js'
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

describe('a scheduled poll', () => {
  const config = testConfig({
    channels: [channelConfig('acme/forest'), channelConfig('acme/peat')],
    schedule: { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null },
  })
  /** @param needed by the newest polls of the two channels; null: there is none */
  const plan = (perSecond: number, { now = NOW, needed = [null, null] as (number | null)[] } = {}) => {
    const runs = { 'acme/forest': needed[0] ?? null, 'acme/peat': needed[1] ?? null } as Record<string, number | null>
    const newestRun = async ({ channel }: { channel: string }) =>
      runs[channel] === null ? null : ({ requests: 100, postponed: (runs[channel] ?? 0) - 100 } as RunRecord)
    const limited = { ...config, requests: { ...config.requests, perSecond } }
    return planPoll(limited, { newestRun }, { channel: 'acme/forest', now })
  }

  it('plans with the part of its channel of what the limit allows until the next tick, less a tenth', async () => {
    const nextPollAt = new Date('2026-11-21T12:05:00.000Z')
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24 }
    expect(await plan(20)).toEqual({ budget: 2610, perSecond: 9, nextPollAt, intervalMs: 300_000, ...rules })
    const late = new Date('2026-11-21T12:04:59.000Z')
    expect(await plan(20, { now: late })).toEqual({ ...(await plan(20)), budget: 9 })
    expect((await plan(20, { needed: [3_000, 1_000] }))?.perSecond).toBe(18 * (0.25 + 0.375))
    expect((await plan(20, { needed: [0, 1_000_000] }))?.perSecond).toBeCloseTo(18 * 0.25)
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
    expect(await planPoll(unscheduled, { newestRun }, { channel: 'acme/forest', now: NOW })).toBeUndefined()
  })
})
