import { type Columns, columnsOf } from '../../layout/columns.js'
import { columnIndex, type Grid } from '../../layout/grid.js'
import type { Reference } from '../../layout/phrase.js'
import type { RowPlan } from '../../layout/sheet-plan.js'
import { HEADER_ROW, inOrder, tableRows } from '../../layout/table-sheet.js'
import * as style from '../../xlsx/cell-styles.js'
import { arrayFormula, type Cell, formula, text } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import { entryColumns, factsOf, solvedColumns } from './award-facts.js'
import { FACT_KEYS, type FactKey, type KeyOf, referencesOf } from './recommendation-grids.js'
import { AWARDED_ROWS, awardedColumns, groupColumns, offerColumns, requirementColumns } from './recommended-offers.js'

/**
 * The recommended award as formulas, in the working columns of `Award`. It follows the award rule, the levels of the
 * requirements, the wanted volume, weights and rates on `Inputs` without a macro: awards that need a search are looked up
 * among those solved ahead (src/compare/decision/switch-table-model.ts), `best-score-compliant` is calculated.
 * If inputs that the solved awards do not follow have changed, or the combination is not solved, `problem` is not empty and
 * every figure shows it in its place, so other sheets test figures with ISNUMBER.
 *
 * Other sheets refer to it by `recommendationFact`, `layout.recommendation.offers` and `layout.recommendation.awarded`.
 */

/** A figure of the recommended award. */
export const recommendationFact = (layout: RfqLayout, key: FactKey): Reference => ({
  cell: referencesOf(layout).at(key),
  cached: factsOf(layout)[key].cached,
})

/** A cell of an awarded offer: the first has index 0, up to MAX_AWARDED_ROWS; empty text beyond the last. */
export function awardedOffer(layout: RfqLayout, key: KeyOf<'awarded'>, index: number): Reference {
  const { value } = awardedColumns(layout)[key].cell(index, index)
  return { cell: layout.recommendation.awarded.cell(key, index), cached: value instanceof Date ? '' : (value ?? '') }
}

/** Column units of the block. */
const COLUMN_UNITS = 14

/** The columns of the block, counted from 0, with the gap before it. */
export function blockColumns({ recommendation: { facts, entries } }: RfqLayout): number[] {
  const first = columnOf(facts) - 1
  return Array.from({ length: columnOf(entries) + entries.keys.length - first }, (_, at) => first + at)
}

/** The widths of all columns of `Award`: those given, then those of the block. */
export const withBlockWidths = (layout: RfqLayout, widths: readonly number[]): number[] =>
  Array.from({ length: (blockColumns(layout).at(-1) ?? 0) + 1 }, (_, column) => widths[column] ?? COLUMN_UNITS)

const columnOf = <Key extends string>(grid: Grid<Key>): number => columnIndex(grid.letter(grid.keys[0] as Key))

/** Rows with the tables of the block to the right of them; rows of the block below the last row are working rows. */
export function* withRecommendation(layout: RfqLayout, rows: Iterable<RowPlan>): Generator<RowPlan> {
  const tables = sideTables(layout)
  const lastRow = HEADER_ROW + Math.max(...tables.map((table) => table.count))
  const cellsOf = (row: number) => {
    const cells: (Cell | undefined)[] = []
    if (row === HEADER_ROW - 1) cells[tables[0]?.first ?? 0] = text('Recommended award', style.section)
    if (row < HEADER_ROW) return cells
    for (const { first, lines } of tables)
      for (const [at, cell] of (lines.next().value?.cells ?? []).entries()) cells[first + at] = cell
    return cells
  }
  let number = 0
  for (const row of rows) {
    const side = cellsOf(++number)
    yield side.length === 0 ? row : { ...row, cells: Array.from(side, (cell, column) => cell ?? row.cells[column]) }
  }
  while (number < lastRow) yield { working: true, cells: Array.from(cellsOf(++number)) }
}

/** The tables side by side: their first columns, numbers of rows, and headers and rows one after another. */
function sideTables(layout: RfqLayout) {
  const { recommendation: grids, report } = layout
  const { switches, requirements } = report.decision
  const table = <Row, Key extends string>(grid: Grid<Key>, columns: Columns<Row, Key>, rows: readonly Row[]) => ({
    first: columnOf(grid),
    count: rows.length,
    lines: tableRows(inOrder(grid, columns), rows) as Iterator<RowPlan, undefined>,
  })
  return [
    table(grids.facts, factColumns(layout), FACT_KEYS),
    table(grids.offers, offerColumns(layout), report.offers),
    table(grids.awarded, awardedColumns(layout), AWARDED_ROWS),
    table(grids.requirements, requirementColumns(layout), requirements),
    table(grids.groups, groupColumns(layout), layout.failures.groups),
    table(grids.solved, solvedColumns(layout), switches.awards),
    table(grids.entries, entryColumns(layout), switches.entries),
  ]
}

function factColumns(layout: RfqLayout): Columns<FactKey, 'label' | 'value'> {
  const facts = factsOf(layout)
  const { text, cells } = columnsOf<FactKey>()
  return {
    label: text('Figure', (key) => facts[key].label, { style: style.body }),
    value: cells('Value', (key) => {
      const { expression, cached, style: cellStyle, isArray } = facts[key]
      return (isArray ? arrayFormula : formula)(expression, cached, cellStyle)
    }),
  }
}
