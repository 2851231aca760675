import { describe, expect, it } from 'vitest'
import { type DatedRate, dayBefore, withKnownRates, withRatesOf } from '../../src/core/decision/exchange-rates.js'
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/decision/settings.js'

const SOURCE = 'https://rates.example.com/hist.csv'
const rate = (currency: string, date: string, value: number): DatedRate => ({ currency, date, rate: value })
const settings = (more: Partial<Settings> = {}): Settings => ({
  ...{ ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: SOURCE },
  ...more,
})
const resolve = (recent: DatedRate[], given = settings()) => withKnownRates(given, recent)

describe('cross rates', () => {
  it('go through the euro, which has the rate 1', () => {
    const recent = [rate('USD', '2026-01-30', 1.25), rate('GBP', '2026-01-30', 0.8)]
    const known = { date: '2026-01-30', source: SOURCE }
    expect(resolve(recent).exchangeRates).toEqual({ EUR: { rate: 1.25, ...known }, GBP: { rate: 1.5625, ...known } })
    expect(resolve(recent, settings({ currency: 'EUR' })).exchangeRates).toEqual({
      ...{ USD: { rate: 0.8, ...known }, GBP: { rate: 1.25, ...known } },
    })
  })

  it('are those of the newest day on which both currencies have one', () => {
    const recent = [
      ...[rate('USD', '2026-01-30', 1.25), rate('USD', '2026-01-29', 1.5)],
      ...[rate('GBP', '2026-01-29', 0.75), rate('GBP', '2026-01-28', 9)],
      rate('CHF', '2026-01-27', 1),
    ]
    const { exchangeRates } = resolve(recent)
    expect(exchangeRates).toMatchObject({ EUR: { date: '2026-01-30' }, GBP: { date: '2026-01-29', rate: 2 } })
    expect(exchangeRates.CHF).toBeUndefined()
  })

  it('have eight significant digits', () => {
    const { exchangeRates } = resolve([rate('USD', '2026-01-30', 1.0837), rate('JPY', '2026-01-30', 162.44)])
    expect(exchangeRates.JPY?.rate).toBe(0.0066713864)
  })

  it('give way to fixed ones', () => {
    const fixed = { EUR: { rate: 2, date: null, source: 'the bank' } }
    const { exchangeRates } = resolve(
      [rate('USD', '2026-01-30', 1.25), rate('GBP', '2026-01-30', 0.8)],
      settings({ exchangeRates: fixed }),
    )
    expect(exchangeRates).toMatchObject({ ...fixed, GBP: { rate: 1.5625 } })
  })

  it('are unknown without the comparison currency, and if nothing was read', () => {
    expect(resolve([rate('GBP', '2026-01-30', 0.8)])).toMatchObject({ exchangeRates: {} })
    expect(resolve([])).toMatchObject({ exchangeRates: {} })
    expect(resolve([rate('USD', '2026-01-30', 1)], settings({ currency: null })).exchangeRates).toEqual({})
  })
})

it('exchange rates › of currencies that do not occur are left out, fixed ones are not', () => {
  const fixed = { CHF: { rate: 1.1, date: null, source: null } }
  const recent = [rate('USD', '2026-01-30', 1.25), rate('GBP', '2026-01-30', 0.8)]
  const resolved = resolve(recent, settings({ exchangeRates: fixed }))
  const { exchangeRates } = withRatesOf(resolved, ['USD', 'GBP'])
  expect(Object.keys(exchangeRates).sort()).toEqual(['CHF', 'GBP'])
  expect(withRatesOf(DEFAULT_SETTINGS, [])).toBe(DEFAULT_SETTINGS)
})

it('exchange rates › a day is that of UTC', () => {
  expect(dayBefore(new Date('2026-03-01T00:00:00Z'))).toBe('2026-03-01')
  expect(dayBefore(new Date('2026-03-01T23:59:59Z'), 1)).toBe('2026-02-28')
})
