import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatDecimal,
  formatExactPrice,
  formatNearDay,
  formatPrice,
  formatPricePerTonne,
  formatRange,
  formatWeekday,
} from '../../../src/core/text/number-format.js'

describe('a number as a decimal', () => {
  it('has no floating-point noise', () => {
    const cases: [number, string][] = [
      [13.805000000000001, '13.805'],
      [0.1 + 0.2, '0.3'],
      [93_594.54000000001, '93594.54'],
      [-1.1 * 3, '-3.3'],
      [1 / 3, '0.333333333333333'],
      [123_456_789_012_345, '123456789012345'],
      [0, '0'],
    ]
    expect(cases.map(([value]) => formatDecimal(value))).toEqual(cases.map(([, message]) => message))
  })

  it('is exact to 15 digits and round-trips decimals of that length', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
        const read = Number(formatDecimal(value))
        expect(read.toPrecision(15)).toBe((value + 0).toPrecision(15))
        expect(formatDecimal(read)).toBe(formatDecimal(value))
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 3 }), (units, places) => {
        const sent = Number(`${units}e-${places}`)
        expect(formatDecimal(sent)).toBe(String(sent + 0))
      }),
    )
  })
})

describe('a price per tonne', () => {
  it('has two decimals, and more below 0.1', () => {
    const prices = [7.9, 8, 13.81, 13.805, 13.80555, -0.5, 1_234.5, 0.0372]
    const expected = ['7.90', '8.00', '13.81', '13.81', '13.81', '−0.50', '1,234.50', '0.0372']
    expect(prices.map(formatPrice)).toEqual(expected)
    expect(['USD', null].map((currency) => formatPricePerTonne(26.89, currency))).toEqual(['26.89 USD/t', '26.89/t'])
  })

  it('has two to four decimals where the difference may matter', () => {
    expect([7.9, 13.805, 13.80555].map(formatExactPrice)).toEqual(['7.90', '13.805', '13.8056'])
  })
})

it('says which limits of a range are stated', () => {
  expect(formatRange(100, 1500)).toBe('100–1,500')
  expect(formatRange(2021, 2021, String)).toBe('2021')
  expect(formatRange(2021, null, String)).toBe('from 2021')
  expect(formatRange(null, 2028, String)).toBe('up to 2028')
  expect(formatRange(0, null)).toBe('from 0')
  expect(formatRange(null, 0)).toBe('up to 0')
  expect(formatRange(null, null)).toBeNull()
})

describe('a due date', () => {
  it('has its weekday, and its year half a year away', () => {
    expect([formatWeekday('2026-11-24', 1), formatWeekday('2025-03-01', -268)]).toEqual([
      'Tue 24 Nov',
      'Sat 1 Mar 2025',
    ])
  })

  it('names the place where it is today or tomorrow, because elsewhere it may be another day', () => {
    expect(formatNearDay(0, 'Europe/Paris')).toBe('today in Paris')
    expect(formatNearDay(1, 'America/New_York')).toBe('tomorrow in New York')
    expect(formatNearDay(0, 'UTC')).toBe('today in UTC')
    expect([2, -1].map((days) => formatNearDay(days, 'Europe/Paris'))).toEqual([null, null])
  })
})
