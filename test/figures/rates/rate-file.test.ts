import { describe, expect, it } from 'vitest'
import { parseRateFile } from '../../../src/figures/rates/rate-file.js'

const parse = (text: string, { from = '2000-01-01', to = '2026-02-02' } = {}) =>
  parseRateFile(text, { source: 'rates.csv', from, to })

/** 2026-01-30 is a Friday. */
const FILE = `Date,USD,JPY,HRK,
2026-02-02,1.0851,162.44,N/A,
2026-01-30,1.0837,,N/A,
`

describe('a file of reference rates', () => {
  it('has a rate for each currency and day, without those that it leaves open', () => {
    expect(parse(FILE)).toEqual({
      newest: '2026-02-02',
      rates: [
        { currency: 'USD', date: '2026-02-02', rate: 1.0851 },
        { currency: 'JPY', date: '2026-02-02', rate: 162.44 },
        { currency: 'USD', date: '2026-01-30', rate: 1.0837 },
      ],
    })
  })

  it('is read as far as its dates are asked for; days to come, and numbers of other days, are ignored', () => {
    const wrongNumbers = `${FILE}1999-01-04,none,none,none,\n2026-02-03,tomorrow,-,-,\n`
    expect(parse(wrongNumbers, { from: '2026-01-30', to: '2026-02-01' })).toEqual({
      newest: '2026-01-30',
      rates: [{ currency: 'USD', date: '2026-01-30', rate: 1.0837 }],
    })
    expect(parse(FILE, { to: '2026-01-01' })).toEqual({ newest: null, rates: [] })
  })

  it.each([
    ['line ends of Windows', FILE.replaceAll('\n', '\r\n')],
    ['no comma at the end of lines', FILE.replaceAll(',\n', '\n')],
    ['a byte order mark, and spaces', `\uFEFF${FILE.replaceAll(',', ', ')}`],
    ['no line end at the end, and empty lines', `${FILE.trimEnd()}\n\n`.trimEnd().replace('\n', '\n\n')],
  ])('may have %s', (_, text) => expect(parse(text)).toEqual(parse(FILE)))

  it.each([
    ['', 'rates.csv, line 1: found nothing; expected a CSV file of reference rates'],
    ['<!doctype html>\n<title>Not found</title>', 'line 1: found a web page or XML'],
    ['Datum;USD\n', 'line 1: found "Datum;USD"'],
    ['USD,Date\n1,2\n', 'line 1: found "USD"'],
    ['Date,\n2026-01-30,\n', 'line 1: found no currency'],
    ['Date,USD,usd\n', 'line 1: found "usd"; expected a currency code'],
    ['Date,USD,USD\n', 'line 1: found a second column USD'],
    ['Date,USD,,GBP\n', 'line 1: found ""; expected a currency code'],
    ['Date,USD\n', 'line 2: found nothing; expected rates'],
    ['Date,USD\n30 January 2026,1.08\n', 'line 2: found "30 January 2026"; expected a date, YYYY-MM-DD'],
    ['Date,USD\n2026-02-30,1.08\n', 'line 2: found "2026-02-30"'],
    ['Date,USD\n2026-01-30,1.08\n2026-01-30,1.09\n', 'line 3: found a second line of 2026-01-30'],
    ['Date,USD,GBP\n2026-01-30,1.08\n', 'line 2: found 1 rates; expected 2'],
    ['Date,USD\n2026-01-30,1.08,0.84\n', 'line 2: found 2 rates; expected 1'],
    ['Date,USD\n2026-01-30,0\n', 'line 2: found "0" for USD; expected a number from 1e-9 to 1000000000, or N/A'],
    ['Date,USD\n2026-01-30,-1.08\n', 'line 2: found "-1.08" for USD'],
    ['Date,USD\n2026-01-30,1.08 USD\n', 'line 2: found "1.08 USD" for USD'],
    ['Date,USD\n2026-01-30,1e-320\n', 'line 2: found "1e-320" for USD; expected a number from 1e-9'],
    ['Date,USD\n2026-01-30,1e99\n', 'line 2: found "1e99" for USD'],
    ['Date,USD\n2026-01-30,Infinity\n', 'line 2: found "Infinity" for USD'],
  ])('%j is refused with the line and what is expected', (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ name: 'RateFileError' }))
    expect(() => parse(text)).toThrow(message)
  })
})
