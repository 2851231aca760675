import { cleanText, splitText } from '../layout/clean-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { fittedRow, fixedWidths, type Heading, headingRows } from '../layout/table-sheet.js'
import { wrappedLines } from '../layout/text-metrics.js'
import { body, header, section, wrapped } from '../xlsx/cell-styles.js'
import { type Cell, text } from '../xlsx/cells.js'

const WIDTHS = [30, 40, 10, 24, 24, 10, 44]
/** Width of the text column: it spans all columns but the first. */
const TEXT_UNITS = WIDTHS.slice(1).reduce((sum, width) => sum + width, 0)
/** Excel limits row heights to 409 points, so longer texts continue in further rows. */
const MAX_LINES_PER_ROW = 28
const MAX_CHARACTERS_PER_ROW = 2_400

export interface TextRow {
  plan: RowPlan
  /** The second cell spans the sheet. */
  spansSheet?: boolean
  /** A page begins with this row. */
  newPage?: boolean
}

/** An `About` sheet: text in titled sections. `sections` is called more than once. */
export function textSheet(heading: Heading, sections: () => Iterable<TextRow>): SheetPlan {
  const rows = function* (): Generator<TextRow> {
    for (const plan of headingRows(heading)) yield { plan }
    yield* sections()
  }
  const plans = function* (): Generator<RowPlan> {
    for (const { plan } of rows()) yield plan
  }
  return {
    name: 'About',
    ...fixedWidths(WIDTHS, plans),
    rows: plans,
    merges: [...rowNumbersWhere(rows(), ({ spansSheet }) => spansSheet)].map((row) => `B${row}:G${row}`),
    frozen: { rows: 2 },
    print: {
      titleRows: [1, 2],
      breaksAfter: [...rowNumbersWhere(rows(), ({ newPage }) => newPage)].map((row) => row - 1),
    },
  }
}

function* rowNumbersWhere(rows: Iterable<TextRow>, matches: (row: TextRow) => boolean | undefined): Generator<number> {
  let number = 0
  for (const row of rows) {
    number++
    if (matches(row)) yield number
  }
}

/** A section with its title; `None.` where it has no rows. */
export function* titledSection(title: string, rows: Iterable<TextRow>, newPage = false): Generator<TextRow> {
  yield { plan: { cells: [] } }
  yield { plan: { cells: [text(title, section)], height: 18 }, newPage }
  let empty = true
  for (const row of rows) {
    empty = false
    yield row
  }
  if (empty) yield { plan: { cells: [text('None.', body)] } }
}

/** Terms with their full texts; long texts continue in further rows. */
export function* termRows(entries: Iterable<readonly [term: string, text: string]>): Generator<TextRow> {
  for (const [term, full] of entries) {
    let first = true
    for (const piece of pieces(full)) {
      const height = fittedRow([undefined, text(piece, wrapped)], [0, TEXT_UNITS]).height
      const label = text(first ? term : `${term}, continued`, wrapped)
      const labelHeight = fittedRow([label], WIDTHS).height ?? 0
      yield {
        plan: { cells: [label, text(piece, wrapped)], height: Math.max(labelHeight, height ?? 0) },
        spansSheet: true,
      }
      first = false
    }
  }
}

function* pieces(full: string): Generator<string> {
  for (const piece of splitText(cleanText(full), MAX_CHARACTERS_PER_ROW)) yield* linePieces(piece)
}

/** Splits text into rows by the lines it needs, because text with many short lines needs more height than its length suggests. */
function* linePieces(text: string): Generator<string> {
  let lines: string[] = []
  for (const line of text.split('\n')) {
    if (lines.length > 0 && wrappedLines([...lines, line].join('\n'), TEXT_UNITS) > MAX_LINES_PER_ROW) {
      yield lines.join('\n')
      lines = []
    }
    lines.push(line)
  }
  yield lines.join('\n')
}

/** Header row of a table within the sheet. */
export const headerRow = (...names: string[]): TextRow => ({
  plan: fittedRow(
    names.map((name) => text(name, header)),
    WIDTHS,
  ),
})
export const tableRow = (...cells: Cell[]): TextRow => ({ plan: fittedRow(cells, WIDTHS) })
