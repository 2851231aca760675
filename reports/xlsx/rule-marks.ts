import type ExcelJS from 'exceljs'
import { contentOf, isNotAvailable } from '../layout/cell-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { marks } from './cell-styles.js'
import { columnOf, type Expression, type Lookup, NOT_AVAILABLE, readExpression } from './rule-expression.js'

/** How a rule marks a cell. */
export type Mark = keyof typeof marks

interface Rule {
  top: number
  left: number
  bottom: number
  right: number
  priority: number
  holds: Expression
  mark: Mark
}

/**
 * What the expression rules of a sheet lay over its cells, worked out as a spreadsheet would.
 * @param rows every row of the sheet
 * @returns the mark of a cell by row and column, counted from 0; null where no rule holds
 */
export function marksOf(sheet: SheetPlan, rows: readonly RowPlan[]): (row: number, column: number) => Mark | null {
  const rules = (sheet.rules ?? []).flatMap(rulesOf).sort((one, other) => one.priority - other.priority)
  const cells: Lookup = (row, column) => {
    const cell = rows[row]?.cells[column]
    if (cell !== undefined && isNotAvailable(cell)) return NOT_AVAILABLE
    const content = contentOf(cell)
    return content instanceof Date ? content.getTime() / 86_400_000 : content
  }
  return (row, column) =>
    rules.find((rule) => within(rule, row, column) && rule.holds(cells, row - rule.top, column - rule.left) === true)
      ?.mark ?? null
}

const within = ({ top, left, bottom, right }: Rule, row: number, column: number) =>
  row >= top && row <= bottom && column >= left && column <= right

function rulesOf({ ref, rules }: ExcelJS.ConditionalFormattingOptions): Rule[] {
  const [, left = '', top, right = left, bottom = top] = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(ref) ?? []
  const area = { top: Number(top) - 1, left: columnOf(left), bottom: Number(bottom) - 1, right: columnOf(right) }
  return rules.flatMap((rule) => {
    const mark = markOf(rule.style)
    const [formula] = rule.type === 'expression' ? (rule.formulae ?? []) : []
    return mark === null || formula === undefined
      ? []
      : [{ ...area, priority: rule.priority, mark, holds: readExpression(String(formula)) }]
  })
}

function markOf(style: unknown): Mark | null {
  const names = Object.keys(marks) as Mark[]
  return names.find((name) => marks[name] === style) ?? null
}
