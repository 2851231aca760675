import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { round6, rounded } from '../../../src/domain/comparison/numbers.js'

describe('rounding as spreadsheets do', () => {
  it('rounds half away from zero, based on the decimal rather than the double', () => {
    expect([rounded(11.325, 2), rounded(-11.325, 2), rounded(1.005, 2), rounded(0.285, 2)]).toEqual([
      11.33, -11.33, 1.01, 0.29,
    ])
    expect([round6(1.0000005), round6(0.0000004), round6(-0.0000004)]).toEqual([1.000001, 0, 0])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 0, max: 4 }), (digits, places) => {
        const above = Number(`${digits + 1}e${-places}`)
        expect(rounded(Number(`${digits}5e${-places - 1}`), places)).toBe(above)
        expect(rounded(-Number(`${digits}5e${-places - 1}`), places)).toBe(-above)
      }),
    )
  })
  it('leaves rounded and very large numbers unchanged', () => {
    for (const value of [1e15, 1e300, -1e22, Number.NaN, Number.POSITIVE_INFINITY])
      expect(rounded(value, 6)).toBe(value)
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        expect(rounded(rounded(value, 6), 6)).toBe(rounded(value, 6))
        expect(Math.abs(rounded(value, 6) - value)).toBeLessThanOrEqual(5.01e-7 + Math.abs(value) * 1e-15)
      }),
    )
  })
})
