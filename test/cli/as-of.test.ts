import { describe, expect, it } from 'vitest'
import { parseAsOf } from '../../src/cli/as-of.js'
import { UsageError } from '../../src/cli/cli-error.js'

const NOW = new Date('2026-03-10T09:30:00.000Z')

describe('--as-of', () => {
  it.each([
    ['2026-01-31', '2026-01-31T23:59:59.999Z'],
    ['2026-03-10', '2026-03-10T09:30:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:05', '2026-01-31T12:00:05.000Z'],
    ['2026-01-31T12:00:05.678Z', '2026-01-31T12:00:05.678Z'],
    ['2026-01-31T12:00:05+02:00', '2026-01-31T10:00:05.000Z'],
    ['2026-01-31T12:00-0530', '2026-01-31T17:30:00.000Z'],
    ['2024-02-29', '2024-02-29T23:59:59.999Z'],
  ])('parses %s as %s', (text, moment) => {
    expect(parseAsOf(text, NOW).toISOString()).toBe(moment)
  })

  it.each([
    'yesterday',
    '',
    '31/01/2026',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-01-31T25:00Z',
    '2026-1-3',
    '1738324800',
    '2026-02-30T10:00Z',
    '2026-01-31T12:00+99:00',
  ])('rejects %j and states what is allowed', (text) => {
    expect(() => parseAsOf(text, NOW)).toThrow(UsageError)
    expect(() => parseAsOf(text, NOW)).toThrow(/^Invalid --as-of .* Use a date such as 2026-01-31/)
  })

  it.each(['2026-03-11', '2026-03-10T09:30:01Z', '9999-12-31'])('rejects %s, which is in the future', (text) => {
    expect(() => parseAsOf(text, NOW)).toThrow(/is in the future/)
  })
})
