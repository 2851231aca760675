import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { escapeInvisible, sanitize } from '../../../src/tables/print/terminal-text.js'
import { type Column, formatTable, type TableFormat } from '../../../src/tables/print/text-table.js'
import { wrap } from '../../../src/tables/print/text-width.js'

describe('terminal text', () => {
  it('sanitize removes escape codes, control characters and line breaks', () => {
    // Node 24 and earlier versions differ in whether a bell after an escape code belongs to it.
    expect(sanitize('\u001b[31mred\u001b[0m\u0007 \u009b2Jtwo\r\nlines\ttab')).toMatch(/^red {1,2}two lines tab$/)
    expect(sanitize('\u001b]8;;http://evil\u0007link\u001b]8;;\u0007')).toBe('link')
    expect(sanitize('abc\u202egpj.exe\u200b\ufeff')).toBe('abcgpj.exe')
    expect(sanitize('half \ud800 pair')).toBe('half \ufffd pair')
  })

  it('wrap never breaks a command in backticks', () => {
    const command = '`quotekeeper sync --channel acme/forest --accept-loss`'
    expect(wrap(`If the list is right, run ${command} now.`, 30)).toEqual([
      'If the list is right, run',
      `${command}`,
      'now.',
    ])
    expect(wrap('a `b c` d', 5)).toEqual(['a `b', 'c` d'])
  })

  it('sanitize removes what is not shown, but not the selector of an emoji', () => {
    expect(sanitize('a\u00adb\u061cc\u115fd\u3164e\u{e0041}f\u2028g')).toBe('abcdef g')
    expect(sanitize('\u2764\ufe0f')).toBe('\u2764\ufe0f')
  })

  it('escapeInvisible keeps the meaning of JSON and leaves nothing that controls a terminal', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        '\u009b',
        '\u0085',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\u2028',
        '\u{e0041}',
        'é',
        '漢',
        '"',
      ),
    })
    const property = fc.property(fc.array(fc.record({ text: hostile })), (value) => {
      const json = escapeInvisible(JSON.stringify(value, null, 2))
      expect(JSON.parse(json)).toEqual(value)
      expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    })
    fc.assert(property)
    expect(escapeInvisible('{"a":"\u009b2J\u202eé"}')).toBe('{"a":"\\u009b2J\\u202eé"}')
  })

  it('sanitize removes control characters from any text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '[', ']', '3', 'm', '\u0007', '\u009b', 'é', '漢', ' '),
    })
    fc.assert(fc.property(hostile, (text) => !/\p{Cc}/u.test(sanitize(text))))
  })
})

const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], format: TableFormat) =>
  formatTable(columns, rows, format).text

describe('formatTable', () => {
  const columns = [
    { header: 'Number', cell: (row: { number: number; title: string }) => row.number, align: 'right' as const },
    { header: 'Title', cell: (row: { number: number; title: string }) => row.title, min: 6 },
  ]
  const rows = [
    { number: 7, title: 'Mangroves of the western coast' },
    { number: 1042, title: 'A\u001b[2Jlert\n漢字' },
  ]

  const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

  it('never shortens numbers, and hides the least important columns first', () => {
    const wide = [
      ...columns,
      { header: 'Price', cell: () => '1,234,567.89', align: 'right' as const, drop: 1 },
      { header: 'Note', cell: () => 'a note', drop: 2 },
    ]
    expect(table(wide, rows, { width: 60 })).toMatch(/Price +Note/)
    const narrower = table(wide, rows, { width: 30 })
    expect(narrower).toContain('1,234,567.89')
    expect(narrower).not.toContain('Note')
    expect(formatTable(wide, rows, { width: 20 }).hidden).toEqual(['Price', 'Note'])
  })

  it('wraps long text if the column allows it', () => {
    const reasons = [
      { header: 'RFQ', cell: () => 7 },
      {
        header: 'Reason',
        cell: () => 'its due date has ended and nobody closed it',
        min: 16,
      },
      { header: 'Run', cell: () => 3 },
    ]
    const lines = table(reasons, rows.slice(0, 1), { width: 34 }).split('\n')
    expect(lines.slice(2, -1)).toEqual(['7    its due date has ended    3', '     and nobody closed it'])
  })

  it('shows a column below the row, unless the width has no limit', () => {
    const reasons = [
      { header: 'RFQ', cell: () => 7 },
      { header: 'Reason', cell: () => 'its due date has ended', min: 10, below: true as const },
    ]
    const lines = (width: number | null) => table(reasons, rows.slice(0, 1), { width }).split('\n').slice(0, -1)
    expect(lines(null)).toEqual(['RFQ  Reason', '───  ──────────────────────', '7    its due date has ended'])
    expect(lines(20)).toEqual(['RFQ', '───', '7', '    Reason: its due', '    date has ended'])
  })

  it('is never wider than the width if every column can shrink', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '🌳', '-'), maxLength: 40 })
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), fc.integer({ min: 8, max: 60 }), (pairs, width) => {
        const both = [
          { header: 'A', cell: (pair: [string, string]) => pair[0], min: 2 },
          { header: 'B', cell: (pair: [string, string]) => pair[1], min: 2 },
        ]
        expect(widest(table(both, pairs, { width }))).toBeLessThanOrEqual(width)
      }),
    )
  })
})
