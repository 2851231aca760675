import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'
import { isNumberOrDate, NO_FIGURE } from './cell-text.js'
import type { Columns } from './columns.js'
import { ATTRIBUTE_COLUMNS, type CellGrid, columnLetter } from './grid.js'
import { all, here, is, isNumber, type Mark, mark } from './marks.js'
import { headingRows, headRow, sectionRow } from './rows.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { rowSheet } from './table-sheet.js'
import { truncateToLines } from './text-metrics.js'

/** Whether the lowest or the highest value of an attribute is best. */
export type BestDirection = 'min' | 'max'

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
  best: Partial<Record<Key, BestDirection>>
  /** Records that compete for the best value: those whose attribute `key` is `text`, which `includes` tests in the record. */
  eligible: { key: NoInfer<Key>; text: string; includes: (row: Row) => boolean }
  marks?: readonly Mark[]
}

const LABEL_WIDTH = 30
const BEST_WIDTH = 13
/** Column width of a record, in units of the spreadsheet: its share of TOTAL_WIDTH, within these limits. */
const [MIN_WIDTH, MAX_WIDTH, TOTAL_WIDTH] = [17, 36, 205]
/** Longer texts are truncated. */
const MAX_CELL_LINES = 20
/** Maximum number of records that are legible on one page. */
const MAX_ON_ONE_PAGE = 8
/** Heading and an empty row above the headers. */
const HEADER_ROW = 5

/** A sheet with one record per column. The second column shows the best value of each row, which is also highlighted. */
export function attributeSheet<Row, Key extends string>(
  report: { subject: string },
  plan: AttributePlan<Row, Key>,
): SheetPlan {
  const { grid, rows, groups, eligible: among } = plan
  const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, TOTAL_WIDTH / rows.length))
  const keys = groups.flatMap((group) => group.keys)
  const area = grid.area(keys[0] as Key, keys.at(-1) as Key)
  const best = { column: columnLetter(ATTRIBUTE_COLUMNS) }
  const eligibilityRow = Number(/\d+/.exec(grid.area(among.key))?.[0])
  return rowSheet({
    name: grid.sheet,
    widths: [LABEL_WIDTH, BEST_WIDTH, ...rows.map(() => width)],
    rows: () => attributeRows(report, plan, width),
    frozen: { rows: HEADER_ROW, columns: ATTRIBUTE_COLUMNS },
    marks: [
      ...(plan.marks ?? []),
      mark(area, all(is({ row: eligibilityRow }, '=', among.text), isNumber(best), is(here, '=', best)), 'good'),
      mark(area, is(here, '=', NO_FIGURE), 'muted'),
    ],
    print: {
      titleRows: [HEADER_ROW, HEADER_ROW],
      titleColumns: `A:${best.column}`,
      firstRowIfWide: HEADER_ROW,
      onePage: rows.length <= MAX_ON_ONE_PAGE,
    },
  })
}

function* attributeRows<Row, Key extends string>(
  report: { subject: string },
  plan: AttributePlan<Row, Key>,
  width: number,
): Generator<RowPlan> {
  const { title, note, groups, columns, rows, nameOf } = plan
  yield* headingRows(report, title, note)
  yield { cells: [] }
  yield headRow('Attribute', 'Best', ...rows.map(nameOf))
  for (const group of groups) {
    yield sectionRow(group.title)
    for (const key of group.keys) {
      const cells = rows.map((row, index) => fitCell(columns[key].cell(row, index), width))
      yield { cells: [text(columns[key].header, style.boldWrapped), bestCell(plan, key, cells), ...cells] }
    }
  }
}

/** Aligns a cell left; wraps texts and truncates them to MAX_CELL_LINES. */
function fitCell(cell: Cell, width: number): Cell {
  const { value, link, style: cellStyle } = cell
  if (typeof value !== 'string' || value === NO_FIGURE || link !== undefined)
    return { ...cell, style: style.alignLeft(cellStyle) }
  return text(truncateToLines(value, width, MAX_CELL_LINES), cellStyle.font?.bold ? cellStyle : style.wrapped)
}

/** The lowest or highest of the numbers or dates of the records that compete. */
function bestCell<Row, Key extends string>(
  { best, eligible, rows }: AttributePlan<Row, Key>,
  key: Key,
  cells: readonly Cell[],
): Cell {
  const sorted = cells
    .filter((cell, at) => isNumberOrDate(cell) && eligible.includes(rows[at] as Row))
    .sort((a, b) => Number(a.value) - Number(b.value))
  const found = best[key] === undefined ? undefined : sorted.at(best[key] === 'min' ? 0 : -1)
  return found === undefined ? blank(style.body) : { value: found.value, style: found.style }
}
