import type { highlights } from '../xlsx/cell-styles.js'
import { stringLiteral } from '../xlsx/cells.js'
import { columnIndex, columnLetter } from './grid.js'

/** The style of marked cells. Colour never carries information that is not also given as text. */
export type Highlight = keyof typeof highlights

/** The cell that a condition is about: the marked cell, or the one in another column of its row or another row of its column. */
export interface Place {
  /** Letters, such as `B`. */
  column?: string
  /** Counted from 1. */
  row?: number
}
/** The marked cell itself. */
export const here: Place = {}

type Comparison = '=' | '<' | '<=' | '>' | '>='

/** When cells are marked, as data. */
export type Condition =
  | { test: Comparison; cell: Place; than: string | number | Place }
  | { test: 'number'; cell: Place }
  | { test: 'all' | 'any'; of: readonly Condition[] }

/** Compares a cell; `<`, `<=`, `>` and `>=` never hold for text, which spreadsheets sort after all numbers. */
export const is = (cell: Place, test: Comparison, than: string | number | Place): Condition =>
  test === '=' ? { test, cell, than } : all(isNumber(cell), { test, cell, than })
/** Whether a cell is one of these texts, without regard to case. */
export const isOneOf = (cell: Place, ...words: readonly string[]): Condition =>
  any(...words.map((one) => is(cell, '=', one)))
export const isNumber = (cell: Place): Condition => ({ test: 'number', cell })
export const all = (...of: readonly Condition[]): Condition => ({ test: 'all', of })
export const any = (...of: readonly Condition[]): Condition => ({ test: 'any', of })

/** A rule that highlights the cells of a range, or draws a bar in them from 0 to a maximum. */
export type Mark = { range: string; when: Condition; highlight: Highlight } | { range: string; bar: number }

/**
 * Marks the cells of a range for which a condition holds. Of several marks on a cell, the first one listed wins.
 * @param range on its own sheet, such as `D6:D20`
 */
export const mark = (range: string, when: Condition, highlight: Highlight): Mark => ({ range, when, highlight })
/** Draws a bar in each cell of a range, as long as its number relative to `max`. */
export const bar = (range: string, max: number): Mark => ({ range, bar: max })

type Area = Record<'left' | 'top' | 'right' | 'bottom', number>

/** Corners of a range such as `D6:D20` or `D6`, counted from 0. */
export function areaOf(range: string): Area {
  const [, left = '', top, right = left, bottom = top] = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(range) ?? []
  return { left: columnIndex(left), top: Number(top) - 1, right: columnIndex(right), bottom: Number(bottom) - 1 }
}

/** The condition as a formula of a conditional format, written for the first cell of the range. */
export function conditionFormula(when: Condition, range: string): string {
  const { left, top } = areaOf(range)
  const address = ({ column, row }: Place) =>
    `${column === undefined ? columnLetter(left + 1) : `$${column}`}${row === undefined ? top + 1 : `$${row}`}`
  const operand = (value: string | number | Place) => {
    if (typeof value === 'object') return address(value)
    return typeof value === 'string' ? stringLiteral(value) : String(value)
  }
  const write = (condition: Condition): string => {
    switch (condition.test) {
      case 'all':
      case 'any':
        return joined(condition.test === 'all' ? 'AND' : 'OR', flat(condition).map(write))
      case 'number':
        return `ISNUMBER(${address(condition.cell)})`
      default:
        return `${address(condition.cell)}${condition.test}${operand(condition.than)}`
    }
  }
  return write(when)
}

const joined = (name: string, parts: readonly string[]) =>
  parts.length === 1 ? (parts[0] as string) : `${name}(${parts.join(',')})`

/** The parts of a condition; those of parts of the same kind are included directly. */
function flat({ test, of }: Extract<Condition, { of: unknown }>): Condition[] {
  return of.flatMap((part) => ('of' in part && part.test === test ? flat(part) : [part]))
}
