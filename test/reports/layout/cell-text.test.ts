import { describe, expect, it } from 'vitest'
import { cellText, isNumberOrDate } from '../../../reports/layout/cell-text.js'
import {
  calendarDate,
  integer,
  link,
  numberStyles,
  percent,
  plainNumber,
  timestamp,
  withNumberFormat,
} from '../../../reports/xlsx/cell-styles.js'
import { date, formula, moment, number, text, webLink } from '../../../reports/xlsx/cells.js'

describe('cell text', () => {
  const styles = numberStyles([1, 2.5], [7.25, 8.123])

  it('follows the number format', () => {
    const signed = withNumberFormat(percent, '+0.0%;-0.0%;0.0%')
    const cases: [string, ReturnType<typeof number>][] = [
      ['USD 1,234,568', number(1_234_567.5, styles.money('USD'))],
      ['USD 10,000', number(9_999.995, styles.money('USD'))],
      ['-USD 123,456.78', number(-123_456.78, styles.money('USD'))],
      ['USD 9,999.99', number(9_999.99, styles.money('USD'))],
      ['-9,999.99', number(-9_999.99, styles.money(null))],
      ['0.00', number(0, styles.money(null))],
      ['-EUR 3.00', number(-3, styles.money('EUR'))],
      ['7.250', number(7.25, styles.price(null))],
      ['USD 11.33', number(11.325, styles.money('USD'))],
      ['57.5%', number(0.57495, percent)],
      ['1,234.5', number(1_234.5, styles.volume)],
      ['25.6%', number(0.256, percent)],
      ['+7.8%', number(0.078, signed)],
      ['-34.7%', number(-0.3467, signed)],
      ['0.0%', number(0, signed)],
      ['12,345', number(12_345, integer)],
      ['42', number(42, plainNumber)],
      ['1.00E+20', number(1e20, styles.money('USD'))],
      ['2026-03-16', date('2026-03-16', calendarDate)],
      ['2026-03-16 12:30 UTC', moment('2026-03-16T12:30:59.000Z', timestamp)],
      ['6', formula('2*3', 6, plainNumber)],
      ['_x0041_', text('_x0041_')],
      ['open', webLink('open', 'https://example.com/', link)],
      ['', number(null)],
    ]
    expect(cases.map(([, cell]) => cellText(cell))).toEqual(cases.map(([message]) => message))
  })
  it('distinguishes numbers, links and text', () => {
    expect([number(1), date('2026-03-16', calendarDate), text('1')].map(isNumberOrDate)).toEqual([true, true, false])
  })
  it('ignores a currency that is not a three-letter code', () => {
    expect(styles.money('USD').numFmt).toContain('[$USD]')
    for (const odd of ['usd', 'US', 'US"D', null]) expect(styles.money(odd).numFmt).not.toContain('[$')
  })
})
