import { cellContent, isNotAvailable } from '../../../reports/layout/cell-text.js'
import { columnIndex } from '../../../reports/layout/grid.js'
import { areaOf, type Condition, type Highlight, type Mark, type Place } from '../../../reports/layout/marks.js'
import type { Cell } from '../../../reports/xlsx/cells.js'

type Comparison = '=' | '<' | '<=' | '>' | '>='
type Area = ReturnType<typeof areaOf>

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
 * How each cell is marked, by its row and column counted from 0, as a spreadsheet would: its highlight,
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
