import { describe, expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { columnsOf } from '../../../reports/layout/columns.js'
import { keys, makeGrid } from '../../../reports/layout/grid.js'
import { tableSheet } from '../../../reports/layout/table-sheet.js'
import * as style from '../../../reports/xlsx/cell-styles.js'

interface Line {
  name: string
  due: string | null
  days: number | null
  volume: number | null
  price: number
}
const LINES: Line[] = [
  { name: '=SUM(A1)', due: '2026-03-16', days: 4, volume: 3, price: 2 },
  { name: 'two', due: '1899-12-31', days: -46_000, volume: null, price: 5 },
]
const KEYS = keys('name due days', 'volume price total')
const grid = makeGrid('Lines', KEYS, 5, LINES.length)
const { text, number, date, figure, formula } = columnsOf<Line, (typeof KEYS)[number]>(grid)
const money = style.numberStyles([], []).money('USD')
const columns = {
  name: text('Name', (line) => line.name, { maxWidth: 20 }),
  price: number(
    'Price',
    ({ price }) => price,
    () => money,
  ),
  volume: number('Volume (t)', ({ volume }) => volume, style.integer),
  due: date('Due', ({ due }) => due),
  days: figure('Days', ({ days }) => days, style.plainNumber),
  total: formula('Total', money, (line, at) => [
    `${at('volume')}*${at('price')}`,
    line.volume && line.volume * line.price,
  ]),
}
const sheet = tableSheet(
  { subject: 'RFQ 1' },
  {
    grid,
    title: 'Lines',
    note: 'One row per line.',
    columns,
    rows: LINES,
    emptyText: 'None.',
    frozenColumns: 1,
  },
)
const rows = [...sheet.rows()]

describe('columns of a table', () => {
  it('are in the order of the keys, whatever the order in which they are given', () => {
    expect(KEYS).toEqual(['name', 'due', 'days', 'volume', 'price', 'total'])
    expect(rows[4]?.cells.map((cell) => cell && cellText(cell))).toEqual([
      'Name',
      'Due',
      'Days',
      'Volume (t)',
      'Price',
      'Total',
    ])
  })

  it('align their headers as their cells', () => {
    expect(rows[4]?.cells.map((cell) => cell?.style.alignment?.horizontal)).toEqual([
      'left',
      'left',
      'right',
      'right',
      'right',
      'right',
    ])
  })

  it('refer in formulas to cells of the same row by key', () => {
    expect(rows[5]?.cells[5]).toMatchObject({ formula: 'D6*E6', value: 6 })
    expect(
      formula('Twice', money, ({ price }, at) => [`2*${at('price')}`, 2 * price]).cell(LINES[1] as Line, 1),
    ).toMatchObject({ formula: '2*E7', value: 10 })
  })

  it('write a formula only where it has a result', () => {
    expect(rows[6]?.cells[5]).toMatchObject({ value: '–' })
    expect(rows[6]?.cells[5]).not.toHaveProperty('formula')
    expect(formula('Sum', money, () => [null, 5]).cell(LINES[0] as Line, 0)).toMatchObject({ value: 5 })
  })

  it('never turn text into a formula', () => {
    expect(rows[5]?.cells[0]).toMatchObject({ value: '=SUM(A1)' })
    expect(rows[5]?.cells[0]).not.toHaveProperty('formula')
  })

  it('take their order from the columns if no formula needs their positions', () => {
    const { name, price } = columns
    const plan = tableSheet(
      { subject: '' },
      {
        grid: 'Short',
        title: '',
        note: '',
        columns: { price, name },
        rows: [] as Line[],
        emptyText: 'None.',
        frozenColumns: 1,
      },
    )
    expect([plan.name, plan.filter]).toEqual(['Short', 'A5:B6'])
    expect([...plan.rows()].slice(4).map(({ cells }) => cells.map((cell) => cell && cellText(cell)))).toEqual([
      ['Price', 'Name'],
      ['None.'],
    ])
  })
})
