import { expect, it } from 'vitest'
import { freshness, type PollState } from '../../src/web/freshness.js'

const NOW = new Date('2026-11-21T10:07:00.000Z')
const check = (state: Partial<PollState>) =>
  freshness(
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

it('a complete poll within three intervals is fresh, to the millisecond', () => {
  expect(check({ newest: { finishedAt: '2026-11-21T09:52:00.000Z' } })).toEqual({
    name: 'rfqs of acme/forest',
    ok: true,
    message: 'polled whole 15 min ago',
  })
  expect(check({ newest: { finishedAt: '2026-11-21T09:51:59.999Z' } })).toMatchObject({ ok: false })
})
it('an older one is not, and its age is told', () => {
  expect(check({ newest: { finishedAt: '2026-11-20T09:07:00.000Z' } })).toEqual({
    name: 'rfqs of acme/forest',
    ok: false,
    message: 'polled whole 25 h ago, three intervals or more: see runs',
  })
})
it('what was never polled is not fresh', () => {
  expect(check({})).toMatchObject({ ok: false, message: 'never polled whole so far' })
})
it('a schedule younger than three intervals cannot be late', () => {
  expect(check({ staleBefore: null })).toMatchObject({ ok: true })
  expect(check({ staleBefore: null, newest: { finishedAt: '2020-01-01T00:00:00.000Z' } })).toMatchObject({ ok: true })
})
