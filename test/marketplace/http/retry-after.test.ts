import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_PAUSE_MS } from '../../../src/core/requests/request-ledger.js'
import { parseRetryAfter } from '../../../src/marketplace/http/http-date.js'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const DAY_S = 24 * 60 * 60

describe('Retry-After', () => {
  it('accepts whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: DAY_S }), (seconds) => {
        expect(parseRetryAfter(String(seconds), NOW)).toBe(seconds * 1000)
      }),
    )
  })

  it('accepts an HTTP date, relative to the given time, never negative', () => {
    fc.assert(
      fc.property(fc.integer({ min: -DAY_S, max: DAY_S }), (seconds) => {
        const header = new Date(NOW.getTime() + seconds * 1000).toUTCString()
        expect(parseRetryAfter(header, NOW)).toBe(Math.max(0, seconds * 1000))
      }),
    )
  })

  it('is null for anything else', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/^\s*\d+\s*$/.test(text)),
        (text) => {
          expect(parseRetryAfter(text, NOW)).toBeNull()
        },
      ),
    )
    for (const text of [
      '-5',
      '1.5',
      '1e3',
      '5 s',
      'soon',
      '',
      '2026-03-01T12:00:10Z',
      'Sun, 32 Mar 2026 12:00:00 GMT',
    ]) {
      expect(parseRetryAfter(text, NOW), text).toBeNull()
    }
    expect(parseRetryAfter(undefined, NOW)).toBeNull()
  })

  it('is limited to one day', () => {
    expect(parseRetryAfter('9'.repeat(400), NOW)).toBe(MAX_PAUSE_MS)
    expect(parseRetryAfter('Fri, 01 Jan 9999 00:00:00 GMT', NOW)).toBe(MAX_PAUSE_MS)
  })
})
