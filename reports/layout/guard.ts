import { type Cell, stringLiteral } from '../xlsx/cells.js'
import { NO_FIGURE } from './cell-text.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'

/** When formulas show `words` instead of their result. */
export interface Withheld {
  /** A condition in the language of formulas. */
  when: string
  words: string
}

/**
 * The sheet with every formula guarded: it never shows an error value, and shows a word instead of its result where it is
 * withheld. Working rows stay as they are: charts leave a gap where a figure is #N/A.
 * @param withheldAt whether a formula is, by its row (counted from 1) and column (counted from 0)
 */
export function guardSheet(
  plan: SheetPlan,
  withheldAt: (row: number, column: number) => Withheld | null = () => null,
): SheetPlan {
  const rows = function* (): Generator<RowPlan> {
    let number = 0
    for (const row of plan.rows()) {
      number++
      yield row.working || !row.cells.some((cell) => cell?.formula !== undefined)
        ? row
        : { ...row, cells: row.cells.map((cell, column) => cell && guardCell(cell, withheldAt(number, column))) }
    }
  }
  return { ...plan, rows }
}

/** A reference to one cell, which shows what that cell shows. */
const REFERENCE = /^('[^']+'!)?\$?[A-Z]{1,3}\$?\d+$/

/** A cell whose formula is guarded; other cells stay as they are. */
export function guardCell(cell: Cell, withheld: Withheld | null = null): Cell {
  if (cell.formula === undefined) return cell
  const value = cell.value ?? NO_FIGURE
  if (REFERENCE.test(cell.formula)) return { ...cell, value }
  const shown = `IFERROR(${cell.formula},"${NO_FIGURE}")`
  const formula = withheld === null ? shown : `IF(${withheld.when},${stringLiteral(withheld.words)},${shown})`
  return { ...cell, value, formula }
}
