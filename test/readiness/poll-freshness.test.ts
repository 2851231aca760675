import { expect, it } from 'vitest'
import { checkPollFreshness, type PollState } from '../../src/readiness/poll-freshness.js'

const NOW = new Date('2026-11-21T10:07:00.000Z')
const check = (state: Partial<PollState>) =>
  checkPollFreshness(
    [
      {
        channel: 'acme/forest',
        kind: 'rfqs',
        staleBefore: new Date('2026-11-21T09:52:00.000Z'),
        newest: null,
        ...state,
      },
    ],
    NOW,
  )[0]

it('poll freshness › accepts a complete poll within three intervals, to the millisecond', () => {
  expect(check({ newest: { finishedAt: '2026-11-21T09:52:00.000Z' } })).toEqual({
    name: 'rfqs of acme/forest',
    ok: true,
    message: 'last complete poll 15 min ago',
  })
  expect(check({ newest: { finishedAt: '2026-11-21T09:51:59.999Z' } })).toMatchObject({ ok: false })
})
it('poll freshness › rejects an older poll and shows its age', () => {
  expect(check({ newest: { finishedAt: '2026-11-20T09:07:00.000Z' } })).toEqual({
    name: 'rfqs of acme/forest',
    ok: false,
    message: expect.stringMatching(/ 25 h ago \(older than 3 intervals\)/),
  })
})
it('poll freshness › reports an exceeded request budget with the numbers, which is no failure', () => {
  const finishedAt = '2026-11-21T10:06:00.000Z'
  const requestRates = { required: 0.0412, allowed: 0.015, ageMinutes: 90.4 }
  const message = /60 s ago; the request budget is exceeded: reading .* 0\.041 .* 0\.015 .* 90 min/
  expect(check({ newest: { finishedAt }, rates: requestRates })).toMatchObject({
    ok: true,
    message: expect.stringMatching(message),
  })
  const enough = { ...requestRates, allowed: 0.0412 }
  expect(check({ newest: { finishedAt }, rates: enough })?.message).toBe('last complete poll 60 s ago')
})
it('poll freshness › rejects a poll that ended in the future, of which it says no age, and not one a minute ahead', () => {
  const ahead = (milliseconds: number) => new Date(NOW.getTime() + milliseconds).toISOString()
  expect(check({ newest: { finishedAt: ahead(60_000) } })).toMatchObject({
    ok: true,
    message: 'last complete poll 0 s ago',
  })
  expect(check({ newest: { finishedAt: ahead(60_001) } })).toEqual({
    name: 'rfqs of acme/forest',
    ok: false,
    message: expect.stringMatching(/2026-11-21T10:08:00\.001Z.* in the future .*unknown/),
  })
})
it('poll freshness › says of a complete poll that a clock was wrong', () => {
  const newest = {
    finishedAt: '2026-11-21T10:06:00.000Z',
    error: 'The clock is behind.',
    futureStoredAt: '2026-11-21T11:00:00.000Z',
  }
  expect(check({ newest })).toMatchObject({ ok: true, message: expect.stringMatching(/60 s ago; The clock is behind/) })
})
it('poll freshness › rejects a channel that was never polled', () => {
  expect(check({})).toMatchObject({ ok: false, message: 'no complete poll yet' })
})
it('poll freshness › accepts anything while the schedule is younger than three intervals', () => {
  expect(check({ staleBefore: null })).toMatchObject({ ok: true })
  expect(check({ staleBefore: null, newest: { finishedAt: '2020-01-01T00:00:00.000Z' } })).toMatchObject({ ok: true })
})
it('poll freshness › names the last error on one line, cut, whether fresh or not', () => {
  const failed = {
    finishedAt: '2026-11-21T10:06:00.000Z',
    outcome: 'failed' as const,
    error: `401\nrejected ${'x'.repeat(999)}`,
  }
  const fresh = check({ newest: { finishedAt: '2026-11-21T10:00:00.000Z' }, failed })
  expect(fresh?.ok).toBe(true)
  expect(fresh?.message).toMatch(/^last complete poll 7 min ago; last error 60 s ago: 401 rejected x+…$/)
  expect(fresh?.message.length).toBeLessThan(400)
  expect(check({ failed })?.message).toMatch(/^no complete poll yet; last error 60 s ago: 401 rejected/)
})
