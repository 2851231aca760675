import type ExcelJS from 'exceljs'
import { cellContent, isNotAvailable } from '../layout/cell-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { highlights } from './cell-styles.js'
import { type CellLookup, columnIndex, type Expression, NOT_AVAILABLE, parseExpression } from './rule-expression.js'

/** The name of a style that a conditional format applies to a cell. */
export type Highlight = keyof typeof highlights

interface Rule {
  top: number
  left: number
  bottom: number
  right: number
  priority: number
  condition: Expression
  highlight: Highlight
}

/**
 * Evaluates the conditional formats of a sheet as a spreadsheet would, for file formats without such rules.
 * @param rows all rows of the sheet
 * @returns a function that gives the highlight of a cell by row and column, counted from 0; null if no rule applies
 */
export function makeHighlighter(
  sheet: SheetPlan,
  rows: readonly RowPlan[],
): (row: number, column: number) => Highlight | null {
  const rules = (sheet.rules ?? []).flatMap(parseRules).sort((one, other) => one.priority - other.priority)
  const cells: CellLookup = (row, column) => {
    const cell = rows[row]?.cells[column]
    if (cell !== undefined && isNotAvailable(cell)) return NOT_AVAILABLE
    const content = cellContent(cell)
    return content instanceof Date ? content.getTime() / 86_400_000 : content
  }
  return (row, column) =>
    rules.find(
      (rule) => isWithin(rule, row, column) && rule.condition(cells, row - rule.top, column - rule.left) === true,
    )?.highlight ?? null
}

const isWithin = ({ top, left, bottom, right }: Rule, row: number, column: number) =>
  row >= top && row <= bottom && column >= left && column <= right

function parseRules({ ref, rules }: ExcelJS.ConditionalFormattingOptions): Rule[] {
  const [, left = '', top, right = left, bottom = top] = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(ref) ?? []
  const area = { top: Number(top) - 1, left: columnIndex(left), bottom: Number(bottom) - 1, right: columnIndex(right) }
  return rules.flatMap((rule) => {
    const highlight = findHighlight(rule.style)
    const [formula] = rule.type === 'expression' ? (rule.formulae ?? []) : []
    return highlight === null || formula === undefined
      ? []
      : [{ ...area, priority: rule.priority, highlight, condition: parseExpression(String(formula)) }]
  })
}

function findHighlight(style: unknown): Highlight | null {
  const names = Object.keys(highlights) as Highlight[]
  return names.find((name) => highlights[name] === style) ?? null
}
