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

  it.each([
    ['', 1],
    ['<!doctype html>\n<title>Not found</title>', 1],
    ['USD,Date\n1,2\n', 1],
    ['Date,\n2026-01-30,\n', 1],
    ['Date,USD,usd\n', 1],
    ['Date,USD,USD\n', 1],
    ['Date,USD,,GBP\n', 1],
    ['Date,USD\n', 2],
    ['Date,USD\n30 January 2026,1.08\n', 2],
    ['Date,USD\n2026-02-30,1.08\n', 2],
    ['Date,USD\n2026-01-30,1.08\n2026-01-30,1.09\n', 3],
    ['Date,USD,GBP\n2026-01-30,1.08\n', 2],
    ['Date,USD\n2026-01-30,1.08,0.84\n', 2],
    ['Date,USD\n2026-01-30,0\n', 2],
    ['Date,USD\n2026-01-30,1.08 USD\n', 2],
    ['Date,USD\n2026-01-30,1e99\n', 2],
  ])('%j is refused with the line and what is expected', (text, line) =>
    expect(() => parse(text)).toThrow(`line ${line}: expected a CSV file of reference rates`),
  )
})
