import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { Column, Kind, Value } from '../../src/tables/column.js'
import { printTerminal } from '../../src/tables/print/terminal.js'
import { escapeInvisible } from '../../src/tables/print/terminal-text.js'
import { wrap } from '../../src/tables/print/text-width.js'

describe('terminal text', () => {
  it('wrap never breaks a command in backticks', () => {
    const command = '`quotekeeper sync --channel acme/forest --accept-loss`'
    expect(wrap(`If the list is right, run ${command} now.`, 30)).toEqual([
      'If the list is right, run',
      `${command}`,
      'now.',
    ])
    expect(wrap('a `b c` d', 5)).toEqual(['a `b', 'c` d'])
  })

  it('escapeInvisible keeps the meaning of JSON and leaves nothing that controls a terminal', () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'\u009b\u0085\u202e\u2066\u200b\ufeff\u2028\u{e0041}é漢"') })
    const property = fc.property(fc.array(fc.record({ text: hostile })), (value) => {
      const json = escapeInvisible(JSON.stringify(value, null, 2))
      expect(JSON.parse(json)).toEqual(value)
      expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    })
    fc.assert(property)
    expect(escapeInvisible('{"a":"\u009b2J\u202eé"}')).toBe('{"a":"\\u009b2J\\u202eé"}')
  })
})

interface Row {
  number: number
  title: string
  note?: string
}
const column = (key: string, kind: Kind, value: (row: Row) => Value, weight = 9): Column<Row> => ({
  ...{ key, header: key, kind, value, weight },
})

describe('printTerminal', () => {
  const columns = [
    column('Number', 'id', ({ number }) => number),
    column('Title', 'text', ({ title }) => title),
    column('Total', 'money', () => ({ amount: 1_234_567, currency: 'USD' }), 8),
  ]
  const rows = [
    { number: 7, title: 'Mangroves of the western coast' },
    { number: 1042, title: 'A\u001b[2Jlert\n漢字' },
  ]
  const table = (more: readonly Column<Row>[], width: number | null, all = false) =>
    printTerminal([...columns, ...more], rows, { width, all })
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

  it('cuts texts and never numbers, after hiding what weighs least', () => {
    expect(table([], 40).text).toBe(
      [
        'Number  Title                 Total, USD',
        '──────  ────────────────────  ──────────',
        '7       Mangroves of the we…   1,234,567',
        '1042    A\ufffd[2Jlert 漢字         1,234,567',
        '',
      ].join('\n'),
    )
    const { text, hidden } = table([], 30)
    expect([text.includes('Total'), hidden]).toEqual([false, ['Total, USD']])
    expect(table([], null).text).toContain('Mangroves of the western coast')
  })

  it('leaves out columns that say nothing about the rows, unless all are wanted', () => {
    const silent = [column('Empty', 'text', () => null), column('Channel', 'text', () => 'acme/forest', 2)]
    expect(table(silent, 100).text).toBe(table([], 100).text)
    expect(table(silent, null, true).text).toMatch(/Empty +Channel/)
    expect(printTerminal(silent, rows.slice(0, 1), { width: 100 }).text).toContain('acme/forest')
  })

  it('prints sentences below their row if they do not fit into it', () => {
    const reason = 'Its response due date has passed; nobody closed it; it is in the newest list.'
    const reasons = [column('Reason', 'text', () => reason)]
    expect(table(reasons, 60).text.split('\n').slice(0, 5)).toEqual([
      'Number  Title                           Total, USD',
      '    Reason',
      '──────  ──────────────────────────────  ──────────',
      '7       Mangroves of the western coast   1,234,567',
      '    Its response due date has passed; nobody closed it; it',
    ])
    expect(table(reasons, 200).text.split('\n')).toHaveLength(5)
  })

  it('is never wider than the width if every column can be cut', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '🌳', '-', '; '), maxLength: 120 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { minLength: 1 }),
        fc.integer({ min: 32, max: 90 }),
        (pairs, width) => {
          const both = [0, 1].map(
            (at): Column<[string, string]> => ({
              ...{ key: 'a', header: 'A', kind: 'text', weight: 9, value: (pair) => pair[at] ?? null },
            }),
          )
          expect(widest(printTerminal(both, pairs, { width }).text)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})
