import { describe, expect, it } from 'vitest'
import { parseRates } from '../../src/figures/exchange-rates.js'

const parse = (text: string, { from = '2000-01-01', to = '2026-02-02' } = {}) => parseRates(text, { from, to })

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
    ['spaces', FILE.replaceAll(',', ', ')],
    ['no line end at the end, and empty lines', `${FILE.trimEnd()}\n\n`.trimEnd().replace('\n', '\n\n')],
  ])('may have %s', (_, text) => expect(parse(text)).toEqual(parse(FILE)))

  const HEAD = 'line 1: expected a CSV file of reference rates'
  it.each([
    ['', HEAD],
    ['<!doctype html>\n<title>Not found</title>', HEAD],
    ['USD,Date\n1,2\n', HEAD],
    ['Date,\n2026-01-30,\n', HEAD],
    ['Date,USD,usd\n', HEAD],
    ['Date,USD,USD\n', HEAD],
    ['Date,USD,,GBP\n', HEAD],
    ['Date,USD\n', 'line 2: expected rates'],
    ['Date,USD\n30 January 2026,1.08\n', 'line 2: expected a date, YYYY-MM-DD'],
    ['Date,USD\n2026-02-30,1.08\n', 'line 2: expected a date'],
    ['Date,USD\n2026-01-30,1.08\n2026-01-30,1.09\n', 'line 3: expected a date, YYYY-MM-DD, and one line for each day'],
    ['Date,USD,GBP\n2026-01-30,1.08\n', 'line 2: expected 2 rates'],
    ['Date,USD\n2026-01-30,1.08,0.84\n', 'line 2: expected 1 rates'],
    ['Date,USD\n2026-01-30,0\n', 'line 2: expected a number from 1e-9 to 1000000000, or N/A, for USD'],
    ['Date,USD\n2026-01-30,1.08 USD\n', 'line 2: expected a number'],
    ['Date,USD\n2026-01-30,1e99\n', 'line 2: expected a number'],
  ])('%j is refused with the line and what is expected', (text, message) => expect(() => parse(text)).toThrow(message))
})
