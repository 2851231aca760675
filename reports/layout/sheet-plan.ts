/**
 * The kit from which sheets are made. A sheet says what it contains; the writers of the workbook (`xlsx/`), the HTML
 * page (`html/`) and CSV (`csv/`) decide how that looks. A sheet is a `SheetPlan`, made by one of three functions:
 *
 * - `tableSheet` (table-sheet.ts): one table with frozen headers, filters and columns as wide as their content;
 * - `rowSheet` (table-sheet.ts): rows of any kind in columns of given widths;
 * - `textSheet` (text-sheet.ts): long texts in titled sections.
 *
 * **Columns** (columns.ts). `columnsOf<Row, Key>(grid)` returns the functions that make columns. Their type checks the
 * keys that formulas refer to; a formula stands beside its stored result, and the style of the cells also aligns the
 * header:
 *
 *     const { text, number, formula } = columnsOf<OfferReport, OfferKey>(layout.offers)
 *     label: text('Offer', (offer) => offer.label, { maxWidth: 34 }),
 *     facts: number('Facts stated', (offer) => offer.listing.factsStated, style.integer),
 *     total: formula('Total', money, (offer, at) => [`${at('volume')}*${at('price')}`, offer.metrics.total]),
 *
 * Only tables that other sheets refer to need a grid (grid.ts) and `keys('offer label rank', …)` in the layout of the
 * workbook; for all others, `tableSheet({ grid: 'Closings', columns: { … } })` takes keys and order from the columns.
 *
 * **Marks** (marks.ts). `mark(range, when, look)` highlights cells, `bar(range, max)` draws bars. A condition is data:
 * the workbook gets a formula, the HTML page a predicate. Earlier marks take priority:
 *
 *     mark(offers.area('rank'), is(here, '=', 1), 'good')
 *     mark(rfqs.area('days'), all(is({ column: rfqs.letter('state') }, '=', 'open'), is(here, '<', 0)), 'bad')
 *     mark(checks.area('verdict'), isOneOf(here, 'fails', 'High'), 'bad')
 *
 * **Rows** (rows.ts). Each row has a role (`title`, `subject`, `note`, `section`, `head`, `body`), and its height
 * follows from its wrapped cells:
 *
 *     titleRow('Award'), noteRow('How to read this.'), sectionRow('Scenarios'),
 *     headRow('Scenario', right('Total')), bodyRow(text(name), formula('A1', 1, style.integer)), ...emptyRows(1)
 *
 * `RowList` collects rows that need their own row number, `factBlockRows` (fact-blocks.ts) puts labels and values side
 * by side.
 *
 * **Tables within a sheet of rows**: `...tableRows(inOrder(grid, columns), rows)`. A sheet that shows columns of another
 * takes them from there instead of listing their figures again (rfq/summary-ranking.ts, rfq/comparison-sheet.ts):
 *
 *     const columns = offerColumns(layout)
 *     const volume = { ...columns.volume, cell: (offer, index) =>
 *       referenceTo(columns.volume.cell(offer, index), layout.offers.cell('volume', index), '–') }
 *
 * A column whose cells may be truncated has the `full` text for CSV; one with `workbookOnly` is not in CSV.
 *
 * **Intermediate results** are collapsed in the workbook, not printed, and not on the HTML page: `working({ factor: …
 * })` for columns of a table, `workingColumns` and `workingRow(…)` for a sheet of rows. The data of charts is such
 * rows.
 *
 * **Print.** The writer sets the print area, and as many pages side by side as keep the text legible. A plan says what
 * each page repeats: `print: { titleRows: [5, 5], titleColumns: 'A:B', wideFrom: 5 }`.
 *
 * **Words.** `codes(…)` and `country(…)` make columns of codes in words; `codeWords('registryTransfer')` is the
 * function.
 *
 * **Styles** are imported as a namespace from ../xlsx/cell-styles.ts: `style.integer`, `style.asBold(style.percent)`.
 * **Cells** are in ../xlsx/cells.ts; only its functions make them, so that text from outside never becomes a formula.
 * **Inputs**: ../xlsx/validations.ts.
 */
import type { Cell } from '../xlsx/cells.js'
import type { DataValidation } from '../xlsx/validations.js'
import type { CellContent } from './cell-text.js'
import type { Chart } from './chart.js'
import type { Mark } from './marks.js'

/**
 * What a row is for, which decides how every format shows it: the title of the sheet, the line that all sheets share, a
 * note on how to read the sheet, the title of a section (or titles side by side), column headers, or content.
 */
export type RowRole = 'title' | 'subject' | 'note' | 'section' | 'head' | 'body'

/** One row; undefined cells are not written. */
export interface RowPlan {
  /** Default `body`. */
  role?: RowRole
  cells: readonly (Cell | undefined)[]
  /** Points; by default, what the wrapped cells need. */
  height?: number
  /** Cells that may replace others when the reader changes an input: the row is high enough for both. */
  alternative?: readonly (Cell | undefined)[]
  /** First and last of the columns joined to one cell, counted from 0; one pair for each such cell. */
  merged?: readonly (readonly [first: number, last: number])[]
  /** An intermediate result or the data of a chart: collapsed in the workbook and not printed. */
  working?: boolean
  /** A printed page begins with this row. */
  newPage?: boolean
  /** About the workbook itself, such as how many inputs were changed; omitted from the HTML page. */
  workbookOnly?: boolean
}

/** An input cell and the values it accepts. */
export interface Validation {
  address: string
  rule: DataValidation
}

/** A sheet before it is written in any format. `rows` may be called repeatedly and returns the same rows each time. */
export interface SheetPlan {
  name: string
  /** Returns column units. A generator that yields between rows, because measuring a long table takes time. */
  widths: () => Generator<void, readonly number[]>
  columns: number
  /** Columns of intermediate results, counted from 0: collapsed in the workbook, not printed, and not on the HTML page. */
  workingColumns?: readonly number[]
  rows: () => Iterable<RowPlan>
  /** The names and values of a table, for CSV: first a row of names. */
  data?: () => Iterable<readonly CellContent[]>
  /** Number of rows and columns that stay in view when the reader scrolls. */
  frozen?: { rows?: number; columns?: number }
  /** Range with a filter on each header, such as `A5:K20`. */
  filter?: string
  /** Earlier marks take priority. */
  marks?: readonly Mark[]
  validations?: readonly Validation[]
  charts?: readonly Chart[]
  /** On narrow screens, each row of its tables becomes a card that repeats the headers. */
  cards?: boolean
  /** Names that formulas use for cells. */
  names?: readonly { name: string; address: string }[]
  /** Not shown or printed until the reader unhides it. */
  hidden?: boolean
  /** Colour of the sheet tab, ARGB. */
  tab?: string
  print?: PrintPlan
}

/** Creates a sheet; called only when the sheet is about to be written. */
export type SheetFactory = () => SheetPlan

interface PrintPlan {
  /** The sheet is scaled to one page. */
  onePage?: boolean
  /** The last printed row, if not all are printed. */
  lastRow?: number
  /** Number of printed columns, if not all are printed. */
  columns?: number
  /** First and last row repeated on each page. */
  titleRows?: readonly [number, number]
  /** Columns repeated on each page, such as `A:B`. */
  titleColumns?: string
  /**
   * First printed row if the sheet is several pages wide, because the heading would be cut off at the edge of the first
   * page; pages then have a header instead.
   */
  wideFrom?: number
}

/** What identifies a report in its title, document properties and page footers. Text from outside, not yet cleaned. */
export interface ReportIdentity {
  title: string
  subject: string
  /** Left part of the footer, such as `RFQ 42 · as of 2026-01-31 12:00 UTC`. */
  footer: string
  /** Also the creation date of the document, so that equal models give equal bytes. */
  asOf: Date
}
