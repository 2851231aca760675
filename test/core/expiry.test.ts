import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalendar, endOfDate, isExpired, isLate } from '../../src/core/time/expiry.js'

const HOUR = 3_600_000

describe('the end of a date', () => {
  it.each([
    ['2026-11-20', 'UTC', '2026-11-21T00:00:00.000Z'],
    ['2028-02-29', 'UTC', '2028-03-01T00:00:00.000Z'],
    ['2026-12-31', 'UTC', '2027-01-01T00:00:00.000Z'],
    ['2026-11-20', 'America/Los_Angeles', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21', 'Pacific/Kiritimati', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21', 'Pacific/Niue', '2026-11-22T11:00:00.000Z'],
    ['2026-07-01', 'Europe/Paris', '2026-07-01T22:00:00.000Z'],
    ['2026-12-01', 'Europe/Paris', '2026-12-01T23:00:00.000Z'],
    // Clocks go forward, and back.
    ['2026-03-29', 'Europe/Paris', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Paris', '2026-10-25T23:00:00.000Z'],
    // A clock that was set back across midnight repeated the date.
    ['2010-11-06', 'America/St_Johns', '2010-11-07T03:30:00.000Z'],
    // The 30th of December 2011 did not exist in Samoa.
    ['2011-12-29', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s is %s, from which on, and the hours of grace, it is expired', (date, zone, end) => {
    const calendar = createCalendar(zone)
    expect(endOfDate(date, calendar)?.toISOString()).toBe(end)
    for (const grace of [0, 12]) {
      const from = Date.parse(end) + grace * HOUR
      const expired = [from - 1, from].map((at) => isExpired(date, calendar, grace, new Date(at)))
      expect([grace, expired]).toEqual([grace, [false, true]])
    }
  })

  it.each(['', 'soon', '2026-13-01', '2026-1-1', '2026-02-30', '9999-12-31'])('of %j is null', (date) => {
    expect(endOfDate(date, createCalendar('UTC'))).toBeNull()
  })
})

describe('isExpired', () => {
  it('is never true before the due date has ended in its zone, and never becomes false again', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instants = fc.date({ min: new Date('2000-01-03'), max: new Date('2037-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(
        zones,
        instants,
        fc.integer({ min: 0, max: 72 }),
        fc.integer({ min: 1, max: 3000 }),
        (zone, now, grace, minutes) => {
          const calendar = createCalendar(zone)
          const today = calendar.dateAt(now)
          expect(isExpired(today, calendar, grace, now)).toBe(false)
          const yesterday = calendar.dateAt(new Date(now.getTime() - 26 * 3_600_000))
          if (isExpired(yesterday, calendar, grace, now)) {
            expect(isExpired(yesterday, calendar, grace, new Date(now.getTime() + minutes * 60_000))).toBe(true)
          }
          expect(isExpired(yesterday, calendar, 0, new Date(now.getTime() + 50 * 3_600_000))).toBe(true)
        },
      ),
    )
  })

  it('is that of each moment, whatever was asked before', () => {
    // There, the clock was set back across midnight at 00:01.
    const [zone, midnight] = ['America/St_Johns', Date.parse('2010-11-07T02:30:00Z')]
    const calendar = createCalendar(zone)
    const dates = new Set<string>()
    for (const seconds of [-1, 0, 59, 60, 3600, 3661, -1, 60, 0]) {
      const instant = new Date(midnight + seconds * 1000)
      dates.add(calendar.dateAt(instant))
      expect(calendar.dateAt(instant)).toBe(createCalendar(zone).dateAt(instant))
    }
    expect([...dates]).toEqual(['2010-11-06', '2010-11-07'])
    expect(calendar.dateAt(new Date('1970-01-01T00:00:00Z'))).toBe('1969-12-31')
  })

  it.each([
    ['2000-01-01', true],
    ['1999-12-31', false],
    ['1970-01-01', false],
    ['2026-02-30', false],
    ['20261', false],
    [null, false],
  ])('of %j is %s: placeholders and texts that are not dates are never past due', (due, expected) => {
    expect(isExpired(due, createCalendar('Europe/Paris'), 12, new Date('2026-11-21T11:00:00Z'))).toBe(expected)
  })

  it('throws RangeError for an unknown time zone', () => {
    expect(() => createCalendar('Mars/Olympus')).toThrow(RangeError)
  })
})

describe('isLate', () => {
  const late = (submittedAt: string | null, dueDate: string | null, zone = 'UTC') =>
    isLate(submittedAt, dueDate, createCalendar(zone))

  it('is true from the end of the due date in the time zone of the channel', () => {
    expect(late('2026-11-20T23:59:59Z', '2026-11-20')).toBe(false)
    expect(late('2026-11-21T00:00:00Z', '2026-11-20')).toBe(true)
    expect(late('2026-11-21T07:59:59Z', '2026-11-20', 'America/Los_Angeles')).toBe(false)
    expect(late('2026-11-20T11:00:00Z', '2026-11-20', 'Pacific/Kiritimati')).toBe(true)
  })

  it('is unknown without either', () => {
    expect(late(null, '2026-11-20')).toBeNull()
    expect(late('2026-11-20T00:00:00Z', null)).toBeNull()
  })
})
