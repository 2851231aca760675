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
  /** @param sent by the newest poll of the other channel that planned its requests */
  const plan = (perSecond: number, { now = NOW, sent = 0 } = {}) => {
    const newestRun = async () => ({ requests: sent }) as RunRecord
    const limited = { ...config, requests: { ...config.requests, perSecond } }
    return planPoll(limited, { newestRun }, { channel: 'acme/forest', now })
  }

  it('plans with what the limit allows until the next tick, less a tenth and what others send', async () => {
    const nextPollAt = new Date('2026-11-21T12:05:00.000Z')
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24 }
    expect(await plan(20)).toEqual({ budget: 5220, perSecond: 18, nextPollAt, intervalMs: 300_000, ...rules })
    const late = new Date('2026-11-21T12:04:59.000Z')
    expect(await plan(20, { now: late })).toEqual({ ...(await plan(20)), budget: 18 })
    expect((await plan(20, { sent: 300 }))?.perSecond).toBe(17)
    expect((await plan(20, { sent: 5_000 }))?.perSecond).toBe(9)
  })

  it('plans with the whole requests per second that are sent, below 1 with the limit itself', async () => {
    expect(await plan(1.9)).toEqual(await plan(1))
    expect(await plan(20.99)).toEqual(await plan(20))
    expect((await plan(0.9))?.perSecond).toBeCloseTo(0.81)
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
