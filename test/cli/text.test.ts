import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { table } from '../../src/cli/table.js'
import { amount, clean, count, cut, widthOf, wrap } from '../../src/cli/text.js'

describe('outside text', () => {
  it('loses what would steer a terminal and stays one line', () => {
    expect(clean('\u001b[31mred\u001b[0m\u0007 \u009b2Jtwo\r\nlines\ttab')).toBe('red two lines tab')
    expect(clean('\u001b]8;;http://evil\u0007link\u001b]8;;\u0007')).toBe('link')
    expect(clean('abc\u202egpj.exe\u200b\ufeff')).toBe('abcgpj.exe')
    expect(clean('half \ud800 pair')).toBe('half \ufffd pair')
  })

  it('holds no control character afterwards, whatever it was', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '[', ']', '3', 'm', '\u0007', '\u009b', 'é', '漢', ' '),
    })
    fc.assert(fc.property(hostile, (text) => !/\p{Cc}/u.test(clean(text))))
  })

  it('is as wide as a terminal shows it', () => {
    expect(widthOf('abc')).toBe(3)
    expect(widthOf('café')).toBe(4)
    expect(widthOf('cafe\u0301')).toBe(4)
    expect(widthOf('漢字')).toBe(4)
    expect(widthOf('🌳')).toBe(2)
  })

  it('is cut to a width with an ellipsis, never wider', () => {
    expect(cut('forest', 6)).toBe('forest')
    expect(cut('forests', 6)).toBe('fores…')
    expect(cut('漢字漢字', 4)).toBe('漢…')
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(20),
        (text, width) => widthOf(cut(clean(text), width)) <= width,
      ),
    )
  })

  it('is wrapped at spaces', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('', 7)).toEqual([])
  })

  it('counts and amounts read as words', () => {
    expect([count(1, 'RFQ'), count(0, 'RFQ'), count(1200, 'reply', 'replies')]).toEqual([
      '1 RFQ',
      '0 RFQs',
      '1,200 replies',
    ])
    expect([amount(1234.567), amount(null), amount(0)]).toEqual(['1,234.57', '', '0'])
  })
})

describe('a table', () => {
  const columns = [
    { header: 'Number', cell: (row: { number: number; title: string }) => row.number, align: 'right' as const },
    { header: 'Title', cell: (row: { number: number; title: string }) => row.title, min: 6 },
  ]
  const rows = [
    { number: 7, title: 'Mangroves of the western coast' },
    { number: 1042, title: 'A\u001b[2Jlert\n漢字' },
  ]

  it('aligns its columns and cleans its cells', () => {
    expect(table(columns, rows, { width: null })).toBe(
      [
        'Number  Title',
        '──────  ──────────────────────────────',
        '     7  Mangroves of the western coast',
        '  1042  Alert 漢字',
        '',
      ].join('\n'),
    )
  })

  it('fits the width it is given, as far as its columns give way', () => {
    const widest = (width: number) => Math.max(...table(columns, rows, { width }).split('\n').map(widthOf))
    expect(widest(30)).toBe(30)
    expect(table(columns, rows, { width: 20 })).toContain('Mangroves o…')
    expect(widest(5)).toBe('Number'.length + 2 + 6)
  })
})
