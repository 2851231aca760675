import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calendarDate, integer, link } from '../../../reports/xlsx/cell-styles.js'
import { date, moment, number, text, webLink } from '../../../reports/xlsx/cells.js'
import { HOSTILE } from '../support/rfq-cases.js'

describe('cells', () => {
  it('turn values from outside into text, never into formulas', () => {
    const objects = [{ formula: '1+1' }, { hyperlink: 'x', text: 'y' }, { error: '#N/A' }, [1], () => 1, 5n, new Date()]
    const check = (value: unknown) => {
      const made = text(value).value
      expect(made === null || typeof made === 'string').toBe(true)
    }
    for (const value of [...HOSTILE, ...objects]) check(value)
    fc.assert(fc.property(fc.anything(), check))
  })
  it('truncate text at the limit of a cell, with a mark', () => {
    const made = text('x'.repeat(40_000)).value as string
    expect(made.length).toBe(32_767)
    expect(made).toMatch(/full text on About\]$/)
  })
  it('accept only finite numbers', () => {
    expect(number(1.5).value).toBe(1.5)
    expect(Object.is(number(-0).value, 0)).toBe(true)
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, null, undefined]) expect(number(value).value).toBeNull()
    expect(number(1e20, integer).style.numFmt).toContain('E+')
  })
  it('accept only valid dates that all spreadsheets count alike', () => {
    expect(date('2026-02-28', calendarDate).value).toEqual(new Date(Date.UTC(2026, 1, 28)))
    for (const odd of ['2026-02-30', '2026-2-3', '1850-01-01', 'soon', '2026-02-28T00:00:00Z']) {
      expect(date(odd, calendarDate).value).toBe(odd)
    }
    expect(moment('not a time', calendarDate).value).toBe('not a time')
    expect(moment('2026-03-16T12:30:00.000Z', calendarDate).value).toEqual(new Date('2026-03-16T12:30:00.000Z'))
  })
  it('links over https only', () => {
    const open = webLink('open', 'https://example.com/a?b="1"', link)
    expect(open).toEqual({ value: 'open', link: 'https://example.com/a?b=%221%22', style: link })
    for (const address of [
      'javascript:alert(1)',
      'http://example.com/',
      'file:///etc/passwd',
      'https://user:pass@example.com/',
      `https://example.com/${'x'.repeat(3000)}`,
      '',
      null,
      { href: 'https://x' },
    ]) {
      expect(webLink('open', address, link)).toEqual(text('open'))
    }
  })
})
