import { describe, expect, it } from 'vitest'
import type { DatedRate } from '../../../src/core/decision/exchange-rates.js'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { settingsAt } from '../../../src/figures/exchange-rates.js'
import { noonStore } from '../../helpers/store/recording-store.js'

const SOURCE = 'https://rates.example.com/hist.csv'
const at = (text: string) => new Date(`${text}Z`)
const rate = (currency: string, date: string, value: number): DatedRate => ({ currency, date, rate: value })
const USD = { ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: SOURCE }

describe('recorded exchange rates', () => {
  it('are those fetched by the moment, including corrections', async () => {
    const db = await noonStore()
    await db.recordRates(SOURCE, [rate('USD', '2026-01-29', 1.2)], at('2026-01-29T16:00'))
    await db.recordRates(
      SOURCE,
      [rate('USD', '2026-01-29', 1.3), rate('USD', '2026-01-30', 1.4)],
      at('2026-01-30T16:00'),
    )
    const known = async (moment: string) => (await db.ratesAt(SOURCE, at(moment))).map((each) => each.rate)
    expect(await known('2026-01-29T15:59:59.999')).toEqual([])
    expect(await known('2026-01-29T16:00')).toEqual([1.2])
    expect(await known('2026-01-30T15:59:59.999')).toEqual([1.2])
    expect(await known('2026-01-30T16:00')).toEqual([1.3, 1.4])
  })

  it('are recorded only if they are new or differ', async () => {
    const db = await noonStore()
    const rates = [rate('USD', '2026-01-29', 1.2), rate('GBP', '2026-01-29', 0.8)]
    expect(await db.recordRates(SOURCE, rates, at('2026-01-29T16:00'))).toBe(2)
    expect(await db.recordRates(SOURCE, rates, at('2026-01-29T17:00'))).toBe(0)
    const corrected = [rate('USD', '2026-01-29', 1.25), rate('GBP', '2026-01-29', 0.8)]
    expect(await db.recordRates(SOURCE, corrected, at('2026-01-29T18:00'))).toBe(1)
    expect(await db.recordRates(SOURCE, rates, at('2026-01-29T19:00'))).toBe(1)
  })

  it('are dated at most ten days before the day of the moment, and not after it', async () => {
    const db = await noonStore()
    const days = ['2026-01-19', '2026-01-20', '2026-01-30']
    await db.recordRates(
      SOURCE,
      days.map((day, index) => rate('USD', day, index + 1)),
      at('2026-01-30T00:00'),
    )
    const dates = async (moment: string) => (await db.ratesAt(SOURCE, at(moment))).map(({ date }) => date)
    expect(await dates('2026-01-30T23:59')).toEqual(['2026-01-20', '2026-01-30'])
    expect(await dates('2026-02-09T00:00')).toEqual(['2026-01-30'])
    expect(await dates('2026-02-10T00:00')).toEqual([])
  })

  it('are separate for each source', async () => {
    const db = await noonStore()
    await db.recordRates(SOURCE, [rate('USD', '2026-01-30', 1.2)], at('2026-01-30T16:00'))
    await db.recordRates('rates.csv', [rate('USD', '2026-01-30', 1.9)], at('2026-01-30T17:00'))
    const known = async (source: string) => await db.ratesAt(source, at('2026-01-30T18:00'))
    expect(await known(SOURCE)).toEqual([rate('USD', '2026-01-30', 1.2)])
    expect(await known('rates.csv')).toEqual([rate('USD', '2026-01-30', 1.9)])
    expect(await known('other.csv')).toEqual([])
  })

  it('exclude years of history and future days', async () => {
    const db = await noonStore()
    const days = ['1999-01-04', '2024-12-25', '2024-12-26', '2026-01-30', '2026-01-31']
    const rates = days.map((day) => rate('USD', day, 1.2))
    expect(await db.recordRates(SOURCE, rates, at('2026-01-30T16:00'))).toBe(2)
  })

  it('of many currencies and days are recorded completely', async () => {
    const db = await noonStore()
    const days = Array.from({ length: 300 }, (_, day) => new Date(at('2026-01-30T00:00').getTime() - day * 86_400_000))
    const rates = days.flatMap((day) =>
      ['USD', 'GBP', 'JPY'].map((code) => rate(code, day.toISOString().slice(0, 10), 1 + day.getTime() / 1e15)),
    )
    expect(await db.recordRates(SOURCE, rates, at('2026-01-30T16:00'))).toBe(900)
    expect(await db.recordRates(SOURCE, rates, at('2026-01-31T16:00'))).toBe(0)
    expect(await db.ratesAt(SOURCE, at('2026-01-31T16:00'))).toHaveLength(30)
  })
})

describe('settings as of a moment', () => {
  it('have the rates known at that time, with date and source', async () => {
    const db = await noonStore()
    await db.recordRates(SOURCE, [rate('USD', '2026-01-29', 1.2)], at('2026-01-29T16:00'))
    await db.recordRates(SOURCE, [rate('USD', '2026-01-30', 1.4)], at('2026-01-30T16:00'))
    const euro = async (moment: string) => (await settingsAt(db, USD, at(moment))).exchangeRates.EUR
    expect(await euro('2026-01-29T12:00')).toBeUndefined()
    expect(await euro('2026-01-30T12:00')).toEqual({ rate: 1.2, date: '2026-01-29', source: SOURCE })
    expect(await euro('2026-01-30T16:00')).toEqual({ rate: 1.4, date: '2026-01-30', source: SOURCE })
  })

  it('keep the rates that were looked up', async () => {
    const db = await noonStore()
    await db.recordRates(SOURCE, [rate('USD', '2026-01-29', 1.2)], at('2026-01-29T16:00'))
    const later = await settingsAt(db, USD, at('2026-01-29T17:00'))
    await db.recordRates(SOURCE, [rate('USD', '2026-01-29', 1.5)], at('2026-01-30T16:00'))
    expect(await settingsAt(db, later, at('2026-01-30T17:00'))).toEqual(later)
  })

  it('do not query the store without a source', async () => {
    const noDatabase = { ratesAt: () => Promise.reject(new Error('not expected')) }
    expect(await settingsAt(noDatabase, DEFAULT_SETTINGS, new Date())).toBe(DEFAULT_SETTINGS)
  })
})
