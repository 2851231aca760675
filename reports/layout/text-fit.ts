import { splitText } from '../../src/core/text/clean-text.js'

/** Excel's limit is 409 points. */
export const MAX_ROW_LINES = 27
/** Pieces may need more lines than estimated. */
const MAX_PIECE_LINES = 22

/** The width of an average character, in column units. */
const CHARACTER_UNITS = 0.92
/** Cells have margins, and lines end between words. */
const LOST_UNITS = 2

/** About how many lines text takes in a column that wraps it. */
export const linesIn = (text: string, units: number): number =>
  text.split('\n').reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / charactersIn(units))), 0)

/** About how many characters fit on a line. */
export const charactersIn = (units: number): number => Math.max(1, Math.floor((units - LOST_UNITS) / CHARACTER_UNITS))

/** Splits text into pieces that fit in a row each, at line breaks where possible. */
export function rowPieces(text: string, units: number): string[] {
  const lines = text
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : splitText(line, MAX_PIECE_LINES * charactersIn(units))))
  const pieces: string[] = []
  for (const line of lines) {
    const longer = `${pieces.at(-1)}\n${line}`
    if (pieces.length > 0 && linesIn(longer, units) <= MAX_PIECE_LINES) pieces[pieces.length - 1] = longer
    else pieces.push(line)
  }
  return pieces
}
