import { describe, expect, it } from 'vitest'
import { parseMoment } from '../../src/tables/moments.js'

const NOW = new Date('2026-03-10T09:30:00.000Z')
const parse = (text: string, { dayMeans = 'end' as 'start' | 'end', now = NOW } = {}) =>
  parseMoment(text, { option: '--as-of', now, dayMeans }).toISOString()

describe('a moment on the command line', () => {
  it.each([
    ['2026-01-31', '2026-01-31T23:59:59.999Z'],
    ['2026-03-10', '2026-03-10T09:30:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:05', '2026-01-31T12:00:05.000Z'],
    ['2026-01-31T12:00:05+02:00', '2026-01-31T10:00:05.000Z'],
    ['2026-01-31T12:00-05:30', '2026-01-31T17:30:00.000Z'],
    ['now', '2026-03-10T09:30:00.000Z'],
    ['today', '2026-03-10T09:30:00.000Z'],
    ['Yesterday', '2026-03-09T23:59:59.999Z'],
    ['2 days ago', '2026-03-08T09:30:00.000Z'],
    ['1 week ago', '2026-03-03T09:30:00.000Z'],
    ['3 hours ago', '2026-03-10T06:30:00.000Z'],
  ])('is parsed: %s as %s', (text, moment) => {
    expect(parse(text)).toBe(moment)
  })

  it('is the start of a day where something is listed since then', () => {
    const options = { dayMeans: 'start' as const }
    expect(parse('yesterday', options)).toBe('2026-03-09T00:00:00.000Z')
    expect(parse('2026-01-31', options)).toBe('2026-01-31T00:00:00.000Z')
    expect(parse('2026-01-31T12:00', options)).toBe('2026-01-31T12:00:00.000Z')
    expect(parse('today', options)).toBe('2026-03-10T00:00:00.000Z')
  })

  it.each([
    '',
    '31/01/2026',
    '2026-02-30',
    '2026-01-31T25:00Z',
    '2026-1-3',
    '1738324800',
    '2026-01-31T12:00+99:00',
    'yesterday evening',
    'days ago',
  ])('is rejected if it is %j, with what is allowed', (text) => {
    expect(() => parse(text)).toThrow(/^Invalid --as-of .* Use a date such as 2026-01-31.*yesterday/)
  })

  it.each(['2026-03-11', '2026-03-10T09:30:01Z', '9999-12-31', 'tomorrow'])('is rejected in the future: %s', (text) => {
    expect(() => parse(text)).toThrow(/is in the future/)
  })
})
