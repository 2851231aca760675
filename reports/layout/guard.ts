import { type Cell, stringLiteral } from '../xlsx/cells.js'
import { NO_FIGURE } from './cell-text.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'

/** When the formulas of a sheet show a text instead of their results. */
export interface Withheld {
  /** A condition in the language of formulas. */
  when: string
  text: string
}

/**
 * The sheet with every formula guarded: it never shows an error value, and shows a text instead of its result where it is withheld.
 * Notes, which say so, are never withheld. The data of charts stay as they are: a chart leaves a gap where a figure is #N/A.
 */
export function guardSheet(plan: SheetPlan, withheld: Withheld | null = null): SheetPlan {
  const hasChartData = plan.charts !== undefined && plan.charts.length > 0
  const rows = function* (): Generator<RowPlan> {
    for (const row of plan.rows()) {
      const isGuarded = !(row.working && hasChartData) && row.cells.some((cell) => cell?.formula !== undefined)
      yield isGuarded
        ? { ...row, cells: row.cells.map((cell) => cell && guardCell(cell, row.role === 'note' ? null : withheld)) }
        : row
    }
  }
  return { ...plan, rows }
}

/** A reference to one cell, which shows what that cell shows. */
const REFERENCE = /^('[^']+'!)?\$?[A-Z]{1,3}\$?\d+$/

/** A cell whose formula is guarded; other cells stay as they are. */
function guardCell(cell: Cell, withheld: Withheld | null): Cell {
  if (cell.formula === undefined) return cell
  const value = cell.value ?? NO_FIGURE
  if (REFERENCE.test(cell.formula)) return { ...cell, value }
  const shown = `IFERROR(${cell.formula},"${NO_FIGURE}")`
  const formula = withheld === null ? shown : `IF(${withheld.when},${stringLiteral(withheld.text)},${shown})`
  return { ...cell, value, formula }
}
