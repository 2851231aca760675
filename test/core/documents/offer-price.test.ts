import { describe, expect, it } from 'vitest'
import { priceOffer } from '../../../src/core/documents/offer-price.js'

const LINES = [
  { volume: 6000, unitPrice: 10 },
  { volume: 2000, unitPrice: 14 },
]
const STATED = { volume: 8500, total: 93_500 }

describe('price per tonne of an offer', () => {
  it('comes from the delivery lines if lines and stated figures differ', () => {
    const stated = { volume: 8000, total: 120_000 }
    const price = { basis: 'lines', volume: 8000, total: 88_000, pricePerTonne: 11 }
    expect(priceOffer(LINES, stated)).toMatchObject(price)
  })

  it.each([
    ['there are no lines', []],
    ['a line has no volume', [...LINES, { volume: null, unitPrice: 12 }]],
    ['a line has no unit price', [...LINES, { volume: 500, unitPrice: null }]],
    ['a line has a negative unit price', [...LINES, { volume: 500, unitPrice: -1 }]],
    ['a line has an implausibly large volume', [...LINES, { volume: 1e16, unitPrice: 12 }]],
    ['the lines sum to zero', [{ volume: 100, unitPrice: 0 }]],
  ])('comes from the stated figures if %s', (_case, lines) => {
    const price = { basis: 'stated', volume: 8500, total: 93_500, pricePerTonne: 11 }
    expect(priceOffer(lines, STATED)).toMatchObject(price)
  })

  it.each([
    ['volume is absent', { volume: null, total: 93_500 }],
    ['total is absent', { volume: 8500, total: null }],
    ['volume is zero', { volume: 0, total: 93_500 }],
    ['total is zero', { volume: 8500, total: 0 }],
    ['total is implausibly large', { volume: 8500, total: 1e16 }],
  ])('is unknown without lines if the stated %s', (_case, stated) => {
    const unknown = { basis: null, volume: null, total: null, pricePerTonne: null }
    expect(priceOffer([], stated)).toMatchObject(unknown)
  })
})
