import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../../src/marketplace/http/http-date.js'

const NOW = new Date('2026-03-01T12:00:00.000Z')

describe('parseHttpDate', () => {
  it('round-trips through toUTCString', () => {
    const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1000 })
    fc.assert(
      fc.property(seconds, (second) => {
        const date = new Date(second * 1000)
        expect(parseHttpDate(date.toUTCString(), NOW)).toEqual(date)
      }),
    )
  })

  it('accepts the three formats of RFC 9110', () => {
    const date = new Date('1994-11-06T08:49:37.000Z')
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', NOW)).toEqual(date)
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW)).toEqual(date)
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994', NOW)).toEqual(date)
  })

  it('with a two-digit year is at most 50 years in the future', () => {
    expect(parseHttpDate('Sunday, 06-Nov-76 00:00:00 GMT', NOW)?.getUTCFullYear()).toBe(2076)
    expect(parseHttpDate('Sunday, 06-Nov-77 00:00:00 GMT', NOW)?.getUTCFullYear()).toBe(1977)
  })

  it.each([
    'Sun, 30 Feb 2026 00:00:00 GMT',
    'Sun, 00 Mar 2026 00:00:00 GMT',
    'Sun, 01 Mar 2026 24:00:00 GMT',
    'Sun, 01 Mar 2026 00:60:00 GMT',
    'Sun, 01 Mar 2026 00:00:00 CET',
    '2026-03-01T12:00:00Z',
    '2026-03-01 12:00',
    '1',
    '',
  ])('is null for %s', (text) => {
    expect(parseHttpDate(text, NOW)).toBeNull()
  })
})
