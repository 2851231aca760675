import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import { cleanText, splitText } from './clean-text.js'
import { emptyRows, type Heading, headingRows, sectionRow, textRow } from './rows.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { rowSheet } from './table-sheet.js'
import { wrappedLines } from './text-metrics.js'

const WIDTHS = [30, 40, 10, 24, 24, 10, 44]
/** Columns of the texts: all but the first. */
const TEXT_COLUMNS = [[1, WIDTHS.length - 1]] as const
const TEXT_UNITS = WIDTHS.slice(1).reduce((sum, width) => sum + width, 0)
/** Excel limits row heights to 409 points, so longer texts continue in further rows. */
const MAX_LINES_PER_ROW = 28
const MAX_CHARACTERS_PER_ROW = 2_400

/** An `About` sheet: text in titled sections. `sections` is called more than once. */
export function textSheet(heading: Heading, sections: () => Iterable<RowPlan>): SheetPlan {
  const rows = function* (): Generator<RowPlan> {
    yield* headingRows(heading)
    yield* sections()
  }
  return rowSheet({ name: 'About', widths: WIDTHS, rows, frozen: { rows: 2 }, print: { titleRows: [1, 2] } })
}

/** A section with its title; `None.` where it has no rows. */
export function* titledSection(title: string, rows: Iterable<RowPlan>, newPage = false): Generator<RowPlan> {
  yield* emptyRows(1)
  yield { ...sectionRow(title), newPage }
  let empty = true
  for (const row of rows) {
    empty = false
    yield row
  }
  if (empty) yield textRow('None.')
}

/**
 * Terms with their full texts; long texts continue in further rows.
 * @param merged the columns of the texts, at least as wide as those of `textSheet`
 */
export function* termRows(
  entries: Iterable<readonly [term: string, text: string]>,
  merged: NonNullable<RowPlan['merged']> = TEXT_COLUMNS,
): Generator<RowPlan> {
  for (const [term, full] of entries) {
    let label = term
    for (const piece of pieces(full)) {
      yield { cells: [text(label, style.wrapped), text(piece, style.wrapped)], merged }
      label = `${term}, continued`
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
