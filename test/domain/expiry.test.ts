import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalendar, isExpired } from '../../src/domain/expiry.js'

const expired = (due: string, zone: string, now: string, graceHours = 0) =>
  isExpired(due, createCalendar(zone), graceHours, new Date(now))

describe('a due date', () => {
  it.each([
    ['due today is not expired', '2026-11-20', 'UTC', '2026-11-20T23:59:59.999Z', 0, false],
    ['ends with its day', '2026-11-20', 'UTC', '2026-11-21T00:00:00.000Z', 0, true],
    ['ends later in the west', '2026-11-20', 'America/Los_Angeles', '2026-11-21T07:59:59Z', 0, false],
    ['ends at midnight there', '2026-11-20', 'America/Los_Angeles', '2026-11-21T08:00:00Z', 0, true],
    ['ends earlier in the east', '2026-11-20', 'Pacific/Kiritimati', '2026-11-20T10:00:00Z', 0, true],
    ['ends by summer time in summer', '2026-07-01', 'Europe/Paris', '2026-07-01T22:00:00Z', 0, true],
    ['ends by winter time in winter', '2026-12-01', 'Europe/Paris', '2026-12-01T22:00:00Z', 0, false],
    ['ends once on the day clocks go back', '2026-10-25', 'Europe/Paris', '2026-10-25T22:59:59Z', 0, false],
    ['ends on the day clocks go forward', '2026-03-29', 'Europe/Paris', '2026-03-29T22:00:00Z', 0, true],
    ['waits for the grace', '2026-11-20', 'UTC', '2026-11-21T11:59:59Z', 12, false],
    ['ends with the grace', '2026-11-20', 'UTC', '2026-11-21T12:00:00Z', 12, true],
    ['knows leap days', '2028-02-29', 'UTC', '2028-02-29T23:00:00Z', 0, false],
    ['knows year ends', '2026-12-31', 'UTC', '2027-01-01T00:00:00Z', 0, true],
    [
      'shown again by clocks put back across midnight has not ended',
      '2010-11-06',
      'America/St_Johns',
      '2010-11-07T02:30:30Z',
      0,
      false,
    ],
  ])('%s', (_title, due, zone, now, grace, result) => {
    expect(expired(due, zone, now, grace)).toBe(result)
  })

  it('never expires before its day has ended anywhere in its zone, and never comes back', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instants = fc.date({ min: new Date('1995-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
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

  it('is refused for a zone that is none', () => {
    expect(() => createCalendar('Mars/Olympus')).toThrow(RangeError)
  })
})
