import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../../src/marketplace/http/http-date.js'

describe('parseHttpDate', () => {
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
    'Sun Nov  6 08:49:37 1994',
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
    expect(parseHttpDate(text)).toBeNull()
  })
})
