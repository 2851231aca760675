import type { highlights } from '../xlsx/cell-styles.js'
import { type Cell, stringLiteral } from '../xlsx/cells.js'
import { cellContent, isNotAvailable } from './cell-text.js'
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

/** When cells are marked, as data: spreadsheets get it as a formula, other formats as a predicate. */
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
function areaOf(range: string): Area {
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

/** The value of a cell: null if empty; `UNAVAILABLE` for #N/A. */
type Value = number | string | null | typeof UNAVAILABLE
const UNAVAILABLE: unique symbol = Symbol('#N/A')

const COMPARISONS: Record<Comparison, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** Whether a condition holds, as a spreadsheet would decide; `at` gives the value of a place. */
function holds(condition: Condition, at: (place: Place) => Value): boolean {
  switch (condition.test) {
    case 'all':
      return condition.of.every((part) => holds(part, at))
    case 'any':
      return condition.of.some((part) => holds(part, at))
    case 'number':
      return typeof at(condition.cell) === 'number'
  }
  const one = at(condition.cell)
  const other = typeof condition.than === 'object' ? at(condition.than) : condition.than
  if (one === UNAVAILABLE || other === UNAVAILABLE) return false
  return COMPARISONS[condition.test](compareValues(one, other))
}

/** Numbers sort before text; an empty cell equals 0 or "". Case is ignored. */
function compareValues(one: number | string | null, other: number | string | null): number {
  if (typeof one === 'string' || typeof other === 'string') {
    if (typeof one === 'number') return -1
    if (typeof other === 'number') return 1
    const [a, b] = [one, other].map((value) => String(value ?? '').toLowerCase()) as [string, string]
    return a < b ? -1 : a > b ? 1 : 0
  }
  return (one ?? 0) - (other ?? 0)
}

/**
 * How each cell is marked, by its row and column counted from 0, for formats without conditional formats: its highlight,
 * and the length of its bar from 0 to 1.
 * @param rows all rows of the sheet
 */
export function makeMarker(marks: readonly Mark[], rows: readonly { cells: readonly (Cell | undefined)[] }[]) {
  const rules = marks.map((rule) => ({ rule, area: areaOf(rule.range) }))
  return (row: number, column: number): { highlight: Highlight | null; bar: number | null } => {
    const at = (place: Place) =>
      cellValue(rows[place.row === undefined ? row : place.row - 1]?.cells[columnOf(place, column)])
    const here = rules.flatMap(({ rule, area }) => (contains(area, row, column) ? [rule] : []))
    const [bar] = here.flatMap((rule) => ('bar' in rule ? [rule.bar] : []))
    const value = bar === undefined ? null : at({})
    return {
      highlight:
        here.flatMap((rule) => ('highlight' in rule && holds(rule.when, at) ? [rule.highlight] : []))[0] ?? null,
      bar: bar !== undefined && typeof value === 'number' ? Math.min(1, Math.max(0, value / bar)) : null,
    }
  }
}

const columnOf = ({ column }: Place, marked: number) => (column === undefined ? marked : columnIndex(column))

const contains = ({ left, top, right, bottom }: Area, row: number, column: number) =>
  row >= top && row <= bottom && column >= left && column <= right

function cellValue(cell: Cell | undefined): Value {
  if (cell !== undefined && isNotAvailable(cell)) return UNAVAILABLE
  const content = cellContent(cell)
  return content instanceof Date ? content.getTime() / 86_400_000 : content
}
