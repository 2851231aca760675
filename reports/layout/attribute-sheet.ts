import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, text } from '../xlsx/cells.js'
import { NO_FIGURE } from './cell-text.js'
import type { Column, Columns } from './columns.js'
import { ATTRIBUTE_COLUMNS, type CellGrid, columnLetter } from './grid.js'
import { all, here, is, isNumber, type Mark, mark } from './marks.js'
import { headingRows, headRow, sectionRow } from './rows.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { dataRows, rowSheet } from './table-sheet.js'
import { truncateToLines } from './text-metrics.js'

/** Which of the values of an attribute is best. */
export type Best = 'min' | 'max'

/** A sheet with one record in each column, side by side. */
interface AttributePlan<Row, Key extends string> {
  grid: CellGrid<Key>
  title: string
  /** How to read the sheet. */
  note: string
  groups: readonly { title: string; keys: readonly Key[] }[]
  columns: Columns<Row, Key>
  rows: readonly Row[]
  nameOf: (row: Row) => string
  /** Intermediate results: collapsed in the workbook, not printed, and not on the HTML page. */
  working: ReadonlySet<Key>
  best: Partial<Record<Key, Best>>
  /** Records whose best value is marked: those with a text in one of their attributes. */
  among: { key: NoInfer<Key>; value: string; includes: (row: Row) => boolean }
  marks?: readonly Mark[]
}

const LABEL_WIDTH = 30
const BEST_WIDTH = 13
/** Column units of a record: as wide as the page allows, within these limits. */
const [MIN_WIDTH, MAX_WIDTH, ALL_WIDTHS] = [17, 36, 205]
const CELL_LINES = 20
/** Maximum number of records that are legible on one page. */
const MAX_ON_ONE_PAGE = 8
/** Heading and an empty row above the headers. */
const HEADER_ROW = 5

/** A sheet with the records side by side; the best value of a row stands beside its name and is marked. */
export function attributeSheet<Row, Key extends string>(
  of: { subject: string },
  plan: AttributePlan<Row, Key>,
): SheetPlan {
  const { grid, columns, rows, groups, among } = plan
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, ALL_WIDTHS / rows.length))
  const keys = groups.flatMap((group) => group.keys)
  const area = grid.area(keys[0] as Key, keys.at(-1) as Key)
  const best = { column: columnLetter(ATTRIBUTE_COLUMNS) }
  const amongRow = Number(/\d+/.exec(grid.area(among.key))?.[0])
  return rowSheet({
    name: grid.sheet,
    widths: [LABEL_WIDTH, BEST_WIDTH, ...rows.map(() => width)],
    rows: () => attributeRows(of, plan, width),
    data: () =>
      dataRows(
        keys.map((key): Column<Row> => columns[key]),
        rows,
      ),
    frozen: { rows: HEADER_ROW, columns: ATTRIBUTE_COLUMNS },
    marks: [
      ...(plan.marks ?? []),
      mark(area, all(is({ row: amongRow }, '=', among.value), isNumber(best), is(here, '=', best)), 'good'),
      mark(area, is(here, '=', NO_FIGURE), 'muted'),
    ],
    print: {
      titleRows: [HEADER_ROW, HEADER_ROW],
      titleColumns: `A:${best.column}`,
      wideFrom: HEADER_ROW,
      onePage: rows.length <= MAX_ON_ONE_PAGE,
    },
  })
}

function* attributeRows<Row, Key extends string>(
  of: { subject: string },
  plan: AttributePlan<Row, Key>,
  width: number,
): Generator<RowPlan> {
  const { title, note, groups, columns, rows, nameOf, working } = plan
  yield* headingRows(of, title, note)
  yield { cells: [] }
  yield headRow('Attribute', 'Best', ...rows.map(nameOf))
  for (const group of groups) {
    yield { ...sectionRow(group.title), ...(group.keys.every((key) => working.has(key)) && { working: true }) }
    for (const key of group.keys) {
      const cells = rows.map((row, index) => fitted(columns[key].cell(row, index), width))
      const row = { cells: [text(columns[key].header, style.boldWrapped), bestCell(plan, key, cells), ...cells] }
      yield working.has(key) ? { ...row, working: true } : row
    }
  }
}

/** All are aligned left; texts wrap, and are truncated to what a row can show. */
function fitted(cell: Cell, width: number): Cell {
  const { value, formula: expression, link, style: own } = cell
  if (typeof value !== 'string' || expression !== undefined || link !== undefined)
    return { ...cell, style: style.asLeft(own) }
  return text(truncateToLines(value, width, CELL_LINES), own.font?.bold ? own : style.wrapped)
}

function bestCell<Row, Key extends string>(
  { grid, best, among, rows }: AttributePlan<Row, Key>,
  key: Key,
  cells: readonly Cell[],
): Cell {
  const which = best[key]
  const values = cells.flatMap(({ value }, at) =>
    typeof value === 'number' && among.includes(rows[at] as Row) ? [value] : [],
  )
  const own = cells[0]?.style ?? style.body
  if (which === undefined || values.length === 0) return blank(style.body)
  const name = which === 'min' ? '_xlfn.MINIFS' : '_xlfn.MAXIFS'
  const found = `${name}(${grid.range(key)},${grid.range(among.key)},"${among.value}")`
  return formula(found, which === 'min' ? Math.min(...values) : Math.max(...values), own)
}
