import { describe, expect, it } from 'vitest'
import { compileCron } from '../../../src/config/cron.js'
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
  const plan = (perSecond: number, now = NOW) =>
    planPoll({ ...config, requests: { ...config.requests, perSecond } }, now)

  it('plans with the equal part of its channel of what the limit allows until the next tick, less a tenth', () => {
    const nextPollAt = new Date('2026-11-21T12:05:00.000Z')
    const rules = { offersMaxAgeMinutes: 60, urgentHours: 24 }
    expect(plan(20)).toEqual({ budget: 2610, perSecond: 9, nextPollAt, intervalMs: 300_000, ...rules })
    const late = new Date('2026-11-21T12:04:59.000Z')
    expect(plan(20, late)).toEqual({ ...plan(20), budget: 9 })
  })

  it('plans with the whole requests per second that are sent, below 1 with the limit itself', () => {
    expect(plan(1.9)).toEqual(plan(1))
    expect(plan(20.99)).toEqual(plan(20))
    expect(plan(0.9)?.perSecond).toBeCloseTo(0.405)
  })

  it('reads the list and four documents however low the limit', () => {
    expect(plan(0.01)?.budget).toBe(5)
  })

  it('does not plan without a later poll', () => {
    expect(planPoll({ ...config, schedule: { ...config.schedule, rfqs: null } }, NOW)).toBeUndefined()
  })
})
