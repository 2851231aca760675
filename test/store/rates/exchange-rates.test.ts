import { expect, it } from 'vitest'
import type { DatedRate } from '../../../src/core/decision/exchange-rates.js'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { settingsAt } from '../../../src/figures/exchange-rates.js'
import { noonStore } from '../../helpers/store/recording-store.js'

const SOURCE = 'https://rates.example.com/hist.csv'
const at = (text: string) => new Date(`${text}Z`)
const rate = (date: string, value: number, currency = 'USD'): DatedRate => ({ currency, date, rate: value })

it('exchange rates › are those of a source fetched by the moment, recorded only if they are new or differ', async () => {
  const db = await noonStore()
  const record = (source: string, rates: DatedRate[], time: string) => db.recordRates(source, rates, at(time))
  const first = [rate('2026-01-29', 1.2), rate('2026-01-29', 0.8, 'GBP')]
  expect(await record(SOURCE, first, '2026-01-29T16:00')).toBe(2)
  expect(await record(SOURCE, first, '2026-01-29T17:00')).toBe(0)
  const corrected = [rate('2026-01-29', 1.3), rate('2026-01-29', 0.8, 'GBP'), rate('2026-01-30', 1.4)]
  expect(await record(SOURCE, corrected, '2026-01-30T16:00')).toBe(2)
  expect(await record('rates.csv', [rate('2026-01-30', 1.9)], '2026-01-30T16:30')).toBe(1)
  const known = async (moment: string, source = SOURCE) =>
    (await db.ratesAt(source, at(moment))).map((each) => each.rate)
  expect(await known('2026-01-29T15:59:59.999')).toEqual([])
  expect(await known('2026-01-30T15:59:59.999')).toEqual([0.8, 1.2])
  expect(await known('2026-01-30T16:00')).toEqual([0.8, 1.3, 1.4])
  expect(await known('2026-01-30T18:00', 'rates.csv')).toEqual([1.9])
  expect(await record(SOURCE, first, '2026-01-30T19:00')).toBe(1)
})

it('exchange rates › are dated at most ten days before the day of the moment, and recorded for 400 days, never for days to come', async () => {
  const db = await noonStore()
  const days = ['1999-01-04', '2024-12-25', '2024-12-26', '2026-01-19', '2026-01-20', '2026-01-30', '2026-01-31']
  const rates = days.map((day) => rate(day, 1.2))
  expect(await db.recordRates(SOURCE, rates, at('2026-01-30T16:00'))).toBe(4)
  const dates = async (moment: string) => (await db.ratesAt(SOURCE, at(moment))).map(({ date }) => date)
  expect(await dates('2026-01-30T23:59')).toEqual(['2026-01-20', '2026-01-30'])
  expect(await dates('2026-02-09T00:00')).toEqual(['2026-01-30'])
  expect(await dates('2026-02-10T00:00')).toEqual([])
})

it('settings as of a moment › have the rates known at that time, with date and source, and keep them', async () => {
  const db = await noonStore()
  const usd = { ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: SOURCE }
  for (const [day, value] of [
    ['2026-01-29', 1.2],
    ['2026-01-30', 1.4],
  ] as const)
    await db.recordRates(SOURCE, [rate(day, value)], at(`${day}T16:00`))
  expect((await settingsAt(db, usd, at('2026-01-29T12:00'))).exchangeRates.EUR).toBeUndefined()
  const known = await settingsAt(db, usd, at('2026-01-30T12:00'))
  expect(known.exchangeRates.EUR).toEqual({ rate: 1.2, date: '2026-01-29', source: SOURCE })
  expect(await settingsAt(db, known, at('2026-01-30T17:00'))).toEqual(known)
  const noDatabase = { ratesAt: () => Promise.reject(new Error('not expected')) }
  expect(await settingsAt(noDatabase, DEFAULT_SETTINGS, new Date())).toBe(DEFAULT_SETTINGS)
})
