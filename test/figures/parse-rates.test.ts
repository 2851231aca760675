import { describe, expect, it } from 'vitest'
import { parseRates } from '../../src/figures/exchange-rates.js'

const parse = (text: string, from = '2000-01-01', to = '2026-12-31') => parseRates(text, [from, to], true)

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

  it('is read as far back as is asked for, and mistakes of earlier days are ignored', () => {
    const wrongNumbers = `${FILE}1999-01-04,none,none,none,\n`
    expect(parse(wrongNumbers, '2026-02-01').rates).toEqual(parse(FILE).rates.slice(0, 2))
    expect(parse(FILE, '2000-01-01', '2026-02-01')).toMatchObject({ newest: '2026-01-30', rates: [{ rate: 1.0837 }] })
  })

  it.each([
    ['line ends of Windows', FILE.replaceAll('\n', '\r\n')],
    ['no comma at the end of lines', FILE.replaceAll(',\n', '\n')],
    ['spaces', FILE.replaceAll(',', ', ')],
    ['no line end at the end, and empty lines', FILE.trimEnd().replace('\n', '\n\n')],
  ])('may have %s', (_, text) => expect(parse(text)).toEqual(parse(FILE)))

  it.each([
    ['', /no line of a day since 2000-01-01/],
    ['<!doctype html>\n<title>Not found</title>', /no line of a day/],
    ['USD,Date\n1,2\n', /no line of a day/],
    ['Date,usd\n2026-01-30,1.08\n', /line 2: Expected a currency/],
    ['Date,USD\n2026-02-30,1.08\n', /line 2: Expected a date/],
    ['Date,USD\n2026-01-30,1.08\n2026-01-30,1.09\n', /a day has several rates of a currency/],
    ['Date,USD,USD\n2026-01-30,1.08,1.09\n', /a day has several rates of a currency/],
    ['Date,USD,GBP\n2026-01-30,1,08,0,84\n', /line 2: Expected a currency/],
    ['Date,USD\n2026-01-30,1.08\n2026-01-29,0\n', /line 3: USD “0” is no number/],
    ['Date,USD\n2026-01-30,1.08 USD\n', /line 2: USD “1.08 USD” is no number/],
    ['Date,USD\n2026-01-30,1e99\n', /line 2: USD “1e99” is no number/],
  ])('%j is refused with the line and what is wrong', (text, message) => expect(() => parse(text)).toThrow(message))
})
