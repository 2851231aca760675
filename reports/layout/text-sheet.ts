import { type Cell, text } from '../cells.js'
import type { RowPlan, SheetPlan } from '../plan.js'
import { body, head, section, wrapped } from '../styles.js'
import { fittedRow, fixedWidths, type Heading, headingRows } from '../table.js'
import { cleanText, piecesOf } from '../text.js'
import { wrappedLines } from '../typeset.js'

const WIDTHS = [30, 40, 10, 24, 24, 10, 44]
/** The first column names, the rest of the width tells. */
const WORDS_UNITS = WIDTHS.slice(1).reduce((sum, width) => sum + width, 0)
/** No row can be higher than this many lines. */
const PIECE_LINES = 28
const PIECE_CHARACTERS = 2_400

/** A row, and whether its second cell runs across the sheet. */
export interface AboutRow {
  plan: RowPlan
  across?: boolean
  /** Whether a page begins with it. */
  newPage?: boolean
}

/** A sheet of words in titled parts; they may be asked for more than once. */
export function wordsSheet(heading: Heading, parts: () => Iterable<AboutRow>): SheetPlan {
  const rows = function* (): Generator<AboutRow> {
    for (const plan of headingRows(heading)) yield { plan }
    yield* parts()
  }
  const plans = function* (): Generator<RowPlan> {
    for (const { plan } of rows()) yield plan
  }
  return {
    name: 'About',
    ...fixedWidths(WIDTHS, plans),
    rows: plans,
    merges: [...numbersOf(rows(), ({ across }) => across)].map((row) => `B${row}:G${row}`),
    frozen: { rows: 2 },
    print: { titleRows: [1, 2], breaksAfter: [...numbersOf(rows(), ({ newPage }) => newPage)].map((row) => row - 1) },
  }
}

function* numbersOf(rows: Iterable<AboutRow>, wanted: (row: AboutRow) => boolean | undefined): Generator<number> {
  let number = 0
  for (const row of rows) {
    number++
    if (wanted(row)) yield number
  }
}

/** A part with its title; `None.` where it is empty. */
export function* titled(title: string, rows: Iterable<AboutRow>, newPage = false): Generator<AboutRow> {
  yield { plan: { cells: [] } }
  yield { plan: { cells: [text(title, section)], height: 18 }, newPage }
  let empty = true
  for (const row of rows) {
    empty = false
    yield row
  }
  if (empty) yield { plan: { cells: [text('None.', body)] } }
}

/** Texts as they came, in pieces no higher than a row can be. */
export function* pairs(entries: Iterable<readonly [string, string]>): Generator<AboutRow> {
  for (const [term, words] of entries) {
    let first = true
    for (const piece of pieces(words)) {
      const height = fittedRow([undefined, text(piece, wrapped)], [0, WORDS_UNITS]).height
      const label = text(first ? term : `${term}, continued`, wrapped)
      const own = fittedRow([label], WIDTHS).height ?? 0
      yield { plan: { cells: [label, text(piece, wrapped)], height: Math.max(own, height ?? 0) }, across: true }
      first = false
    }
  }
}

function* pieces(words: string): Generator<string> {
  for (const piece of piecesOf(cleanText(words), PIECE_CHARACTERS)) yield* linePieces(piece)
}

/** Many short lines are as high as one long text. */
function* linePieces(text: string): Generator<string> {
  let kept: string[] = []
  for (const line of text.split('\n')) {
    if (kept.length > 0 && wrappedLines([...kept, line].join('\n'), WORDS_UNITS) > PIECE_LINES) {
      yield kept.join('\n')
      kept = []
    }
    kept.push(line)
  }
  yield kept.join('\n')
}

/** The headers of a table within the sheet, and its rows. */
export const headers = (...names: string[]): AboutRow => ({
  plan: fittedRow(
    names.map((name) => text(name, head)),
    WIDTHS,
  ),
})
export const row = (...cells: Cell[]): AboutRow => ({ plan: fittedRow(cells, WIDTHS) })
