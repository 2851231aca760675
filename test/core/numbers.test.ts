import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { round6, rounded } from '../../src/core/numbers.js'

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
  it('rounds large numbers, of which 15 digits have too few decimals, to the nearest one', () => {
    expect([rounded(25293915.51708845, 6), rounded(-25293915.51708845, 6)]).toEqual([25293915.517088, -25293915.517088])
    expect(rounded(7090836405.754089, 6)).toBe(7090836405.754089)
  })
  it('leaves rounded and very large numbers unchanged', () => {
    for (const value of [1e15, 1e300, -1e22, Number.NaN, Number.POSITIVE_INFINITY])
      expect(rounded(value, 6)).toBe(value)
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        expect(rounded(rounded(value, 6), 6)).toBe(rounded(value, 6))
        // Half a unit, half the 15th digit of 2^41 units, and the errors of the double.
        expect(Math.abs(rounded(value, 6) - value)).toBeLessThanOrEqual(5.05e-7 + Math.abs(value) * 1e-15)
      }),
    )
  })
})
