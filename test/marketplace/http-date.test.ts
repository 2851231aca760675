import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_PAUSE_MS } from '../../src/core/requests/request-ledger.js'
import { parseHttpDate, parseRetryAfter } from '../../src/marketplace/http-date.js'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const DAY_S = 24 * 60 * 60

describe('an HTTP date', () => {
  it('round-trips through toUTCString', () => {
    const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1000 })
    fc.assert(
      fc.property(seconds, (second) => {
        const date = new Date(second * 1000)
        expect(parseHttpDate(date.toUTCString())).toEqual(date)
      }),
    )
  })

  it.each([
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun, 30 Feb 2026 00:00:00 GMT',
    'Sun, 01 Mar 2026 24:00:00 GMT',
    'Sun, 01 Mar 2026 00:00:00 CET',
    '2026-03-01T12:00:00Z',
    '1',
    '',
  ])('has one form only: not %s', (text) => {
    expect(parseHttpDate(text)).toBeNull()
  })
})

describe('Retry-After', () => {
  const waitOf = (text: string | undefined) =>
    parseRetryAfter({ 'retry-after': text, date: NOW.toUTCString() }, new Date(0))

  it('is whole seconds, or an HTTP date relative to the given time, and never negative', () => {
    fc.assert(
      fc.property(fc.integer({ min: -DAY_S, max: DAY_S }), (seconds) => {
        const date = new Date(NOW.getTime() + seconds * 1000).toUTCString()
        expect(waitOf(date)).toBe(Math.max(0, seconds * 1000))
        expect(waitOf(String(Math.abs(seconds)))).toBe(Math.abs(seconds) * 1000)
      }),
    )
  })

  it.each([undefined, '-5', '1.5', '1e3', '5 s', 'soon', ''])('is null for anything else: %s', (text) => {
    expect(waitOf(text)).toBeNull()
  })

  it('is limited to one day', () => {
    expect(waitOf('9'.repeat(400))).toBe(MAX_PAUSE_MS)
    expect(waitOf('Fri, 01 Jan 9999 00:00:00 GMT')).toBe(MAX_PAUSE_MS)
  })
})
