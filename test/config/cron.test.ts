import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileCron } from '../../src/config/cron.js'
import { shareOf } from '../helpers/long-tests.js'

type Span = [zone: string, from: string, to: string]

/** Every tick in a span, oldest first. */
function ticks(expression: string, [zone, from, to]: Span): string[] {
  const cron = compileCron(expression, zone)
  const found: string[] = []
  let upTo = new Date(to)
  for (;;) {
    const tick = cron.lastTick({ after: new Date(from), upTo })
    if (tick === null) return found.reverse()
    found.push(`${tick.toISOString().slice(0, 16)}Z`)
    upTo = new Date(tick.getTime() - 1)
  }
}

describe('when clocks change', () => {
  /** 02:00 becomes 03:00. */
  const spring: Span = ['Europe/Paris', '2026-03-28T23:00Z', '2026-03-29T22:00Z']
  /** 03:00 becomes 02:00. */
  const autumn: Span = ['Europe/Paris', '2026-10-24T22:00Z', '2026-10-25T23:00Z']
  const hours = (from: string, to: string): Span => ['Europe/Paris', `2026-${from}Z`, `2026-${to}Z`]
  /** 02:00 becomes 01:30. */
  const lordHowe: Span = ['Australia/Lord_Howe', '2026-04-04T12:00Z', '2026-04-05T12:00Z']

  it.each<[rule: string, expression: string, span: Span, ticks: string[]]>([
    ['a tick in the skipped hour is made at the end of the gap', '30 2 * * *', spring, ['2026-03-29T01:00Z']],
    ['a tick at the end of the gap is made once', '0 3 * * *', spring, ['2026-03-29T01:00Z']],
    [
      'hourly ticks stay an hour apart',
      '0 * * * *',
      hours('03-28T23:30', '03-29T01:30'),
      ['2026-03-29T00:00Z', '2026-03-29T01:00Z'],
    ],
    ['a tick in the repeated hour is made the first time', '30 2 * * *', autumn, ['2026-10-25T00:30Z']],
    ['a restart in the repeated hour does not repeat it', '30 2 * * *', hours('10-25T00:45', '10-25T23:00'), []],
    ['a change of half an hour is handled', '45 1 * * *', lordHowe, ['2026-04-04T14:45Z']],
  ])('%s', (_rule, expression, span, expected) => {
    expect(ticks(expression, span)).toEqual(expected)
  })

  it.each([
    ['*/5 * * * *', 24],
    ['*/30 1-5 * * *', 4],
    ['0 * * * *', 2],
  ])('ticks at an interval continue through both of the repeated hours: %s', (expression, count) => {
    expect(ticks(expression, hours('10-25T00:00', '10-25T02:00'))).toHaveLength(count)
  })
})

const DAY = 24 * 3_600_000

/** Converts a moment to a zone's local time, expressed as if it were UTC. */
function localTimeIn(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
}

it('a daily tick comes once on each day, in every time zone whatever its clock does', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const time = fc.record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }) })
  fc.assert(
    fc.property(zones, time, fc.integer({ min: 2020, max: 2029 }), (zone, { hour, minute }, year) => {
      const local = localTimeIn(zone)
      const dayOf = (tick: string) => Math.floor(local(Date.parse(tick)) / DAY)
      const span: Span = [zone, `${year}-01-01T00:00Z`, `${year + 1}-01-01T00:00Z`]
      const days = ticks(`${minute} ${hour} * * *`, span).map(dayOf)
      expect(days).toEqual(days.map((_, at) => (days[0] as number) + at))
      expect(days.length).toBeGreaterThanOrEqual(365)
    }),
    { numRuns: shareOf(60) },
  )
})

describe('in a span without a clock change', () => {
  it('returns null if the span has no tick', () => {
    const span = { after: new Date('2026-11-21T06:00:00Z'), upTo: new Date('2026-11-23T05:59:59Z') }
    expect(compileCron('0 6 * * 1-5', 'UTC').lastTick(span)).toBeNull()
  })

  it('reads seconds from an expression with six fields', () => {
    const span = { after: new Date('2026-11-21T06:00:00Z'), upTo: new Date('2026-11-21T06:00:44Z') }
    expect(compileCron('*/10 * * * * *', 'UTC').lastTick(span)).toEqual(new Date('2026-11-21T06:00:40Z'))
  })

  it('finds a tick years back', () => {
    const span = { after: new Date('2020-01-01'), upTo: new Date('2026-11-21') }
    expect(compileCron('0 0 29 2 *', 'Europe/Paris').lastTick(span)).toEqual(new Date('2024-02-28T23:00:00Z'))
  })
})

describe('an expression', () => {
  it.each(['*/5 * * *', '61 * * * *', '0 6 * * monday', '0 0 30 2 *', '2026-01-01', ''])(
    'that never has a tick, or is none, is refused: %j',
    (expression) => expect(() => compileCron(expression, 'UTC')).toThrow(Error),
  )
})
