import { describe, expect, it } from 'vitest'
import { compileCron } from '../../src/config/cron.js'

/** Every tick in a span, oldest first. */
function ticks(expression: string, zone: string, from: string, to: string): string[] {
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

describe('when clocks go forward (Paris, 29 March 2026: 02:00 becomes 03:00)', () => {
  const day = ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'] as const

  it('a tick in the skipped hour is made once, at the end of the gap', () => {
    expect(ticks('30 2 * * *', 'Europe/Paris', ...day)).toEqual(['2026-03-29T01:00Z'])
  })
  it('several ticks in the skipped hour become one', () => {
    expect(ticks('0,20,40 2 * * *', 'Europe/Paris', ...day)).toEqual(['2026-03-29T01:00Z'])
  })
  it('a tick outside that hour is made once', () => {
    expect(ticks('0 6 * * *', 'Europe/Paris', ...day)).toEqual(['2026-03-29T04:00Z'])
  })
  it('a tick at the end of the gap is made once', () => {
    expect(ticks('0 3 * * *', 'Europe/Paris', ...day)).toEqual(['2026-03-29T01:00Z'])
  })
  it('hourly ticks stay an hour apart, without extra ticks', () => {
    expect(ticks('15 * * * *', 'Europe/Paris', '2026-03-29T00:00:00Z', '2026-03-29T02:30:00Z')).toEqual([
      '2026-03-29T00:15Z',
      '2026-03-29T01:15Z',
      '2026-03-29T02:15Z',
    ])
  })
  it('a gap at midnight skips no daily tick (Beirut, 29 March 2026: 00:00 becomes 01:00)', () => {
    expect(ticks('30 0 * * *', 'Asia/Beirut', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-28T22:00Z',
    ])
  })
})

describe('when clocks go back (Paris, 25 October 2026: 03:00 becomes 02:00)', () => {
  const day = ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'] as const

  it('a tick at a fixed time in the repeated hour is made once, the first time', () => {
    expect(ticks('30 2 * * *', 'Europe/Paris', ...day)).toEqual(['2026-10-25T00:30Z'])
  })
  it('a restart in the repeated hour does not repeat that tick', () => {
    expect(ticks('30 2 * * *', 'Europe/Paris', '2026-10-25T00:45:00Z', '2026-10-25T23:00:00Z')).toEqual([])
  })
  it('ticks at an interval continue through both hours', () => {
    const span = ['2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'] as const
    expect(ticks('*/5 * * * *', 'Europe/Paris', ...span)).toHaveLength(24)
    expect(ticks('*/30 1-5 * * *', 'Europe/Paris', ...span)).toHaveLength(4)
    expect(ticks('0 * * * *', 'Europe/Paris', ...span)).toHaveLength(2)
  })
  it('a change of half an hour is handled (Lord Howe, 5 April 2026: 02:00 becomes 01:30)', () => {
    expect(ticks('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00:00Z', '2026-04-05T12:00:00Z')).toEqual([
      '2026-04-04T14:45Z',
    ])
  })
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
  it.each([
    '*/5 * * *',
    '61 * * * *',
    '22-2 * * * *',
    '0 6 * * monday',
    '0 0 30 2 *',
    '* * * * * * *',
    '2026-01-01',
    '',
  ])('that never has a tick, or is none, is refused: %j', (expression) =>
    expect(() => compileCron(expression, 'UTC')).toThrow(Error),
  )
})
