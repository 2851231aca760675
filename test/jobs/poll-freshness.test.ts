import { expect, it } from 'vitest'
import { checkPollFreshness, type PollState } from '../../jobs/poll-freshness.js'

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
    message: 'last complete poll 25 h ago (older than 3 intervals); see `quotekeeper runs`',
  })
})
it('poll freshness › rejects a channel that was never polled', () => {
  expect(check({})).toMatchObject({ ok: false, message: 'no complete poll yet' })
})
it('poll freshness › accepts anything while the schedule is younger than three intervals', () => {
  expect(check({ staleBefore: null })).toMatchObject({ ok: true })
  expect(check({ staleBefore: null, newest: { finishedAt: '2020-01-01T00:00:00.000Z' } })).toMatchObject({ ok: true })
})
