import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  columnWidth,
  rowHeight,
  textWidth,
  truncateToLines,
  wrappedLines,
} from '../../../reports/layout/text-metrics.js'

describe('text metrics', () => {
  it('give longer and bold text more width', () => {
    expect(textWidth('iiii')).toBeLessThan(textWidth('mmmm'))
    expect(textWidth('abc', { bold: true })).toBeGreaterThan(textWidth('abc'))
    expect(textWidth('森林')).toBeGreaterThan(textWidth('ab'))
  })
  it('fit text on one line in a column made for it, and wrap it in a narrower one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z]{1,12}( [A-Za-z]{1,12}){0,12}$/), (message) => {
        const width = columnWidth(message)
        expect(wrappedLines(message, width)).toBe(1)
        if (message.length > 40) expect(wrappedLines(message, width / 2)).toBeGreaterThan(1)
      }),
    )
  })
  it('count line breaks and words longer than the column', () => {
    expect(wrappedLines('a\nb\n\nc', 20)).toBe(4)
    expect(wrappedLines('m'.repeat(100), 20)).toBeGreaterThan(5)
  })
  it('stay within the limits of Excel', () => {
    expect(rowHeight(1)).toBe(15)
    expect(rowHeight(1000)).toBe(409)
  })
  it('truncate text with a mark if it needs too many lines', () => {
    const long = 'word '.repeat(200).trim()
    const cut = truncateToLines(long, 30, 4)
    expect(wrappedLines(cut, 30)).toBeLessThanOrEqual(4)
    expect(cut).toMatch(/\[full text on About\]$/)
    expect(truncateToLines('short', 30, 4)).toBe('short')
  })
})
