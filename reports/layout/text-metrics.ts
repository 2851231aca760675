import { truncate } from '../../src/core/text/clean-text.js'
import { FONT_POINTS, type fontOptions } from '../xlsx/cell-styles.js'

/** Advance widths of Arial in thousandths of an em, U+0020 to U+007E (from Adobe's metrics of Helvetica). */
const ADVANCES = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
]
const OTHER_ADVANCE = 610
const WIDE_ADVANCE = 1_000
const FIRST_WIDE_CODE = 0x2e80
const BOLD_FACTOR = 1.08
/** A column unit is the width of the widest digit of the workbook's font at 96 dpi. */
const UNIT_PIXELS = 7
const PADDING_UNITS = 1.4
/** An indentation step is three spaces wide. */
const INDENT_UNITS = 1.5
const PIXELS_PER_POINT = 96 / 72
/** Tolerance for rounding, so that a word fits on one line in a column of its own width. */
const ROUNDING_TOLERANCE = 1e-6
const LINE_SPACING = 1.24
/** Excel's limits. */
const MAX_COLUMN_UNITS = 255
const MAX_ROW_POINTS = 409
export const ROW_POINTS = 15
/** Columns are never narrower. */
export const MIN_COLUMN_UNITS = 9

type FontOptions = Partial<ReturnType<typeof fontOptions>>

/** Width of a line of text in column units, without padding. */
export function textWidth(line: string, font: FontOptions = {}): number {
  let advance = 0
  for (const character of line) advance += advanceWidth(character.codePointAt(0) ?? 0)
  const pixels = (advance / 1_000) * (font.points ?? FONT_POINTS) * PIXELS_PER_POINT * (font.bold ? BOLD_FACTOR : 1)
  return pixels / UNIT_PIXELS
}

const advanceWidth = (code: number) => ADVANCES[code - 0x20] ?? (code >= FIRST_WIDE_CODE ? WIDE_ADVANCE : OTHER_ADVANCE)

const padding = ({ indent = 0 }: FontOptions) => PADDING_UNITS + indent * INDENT_UNITS

/** Column width needed to show text without wrapping; of its longest line, if it has several. */
export function columnWidth(text: string, font: FontOptions = {}): number {
  const widest = Math.max(...text.split('\n').map((line) => textWidth(line, font)))
  return Math.min(MAX_COLUMN_UNITS, widest + padding(font))
}

/** Number of lines text takes in a column when it wraps at spaces and within words longer than a line. */
export function wrappedLines(text: string, columnUnits: number, font: FontOptions = {}): number {
  const room = Math.max(1, columnUnits - padding(font))
  return text.split('\n').reduce((lines, paragraph) => lines + countLines(paragraph, room, font), 0)
}

function countLines(paragraph: string, room: number, font: FontOptions): number {
  const space = textWidth(' ', font)
  let lines = 1
  let used = 0
  for (const word of paragraph.split(' ')) {
    const width = textWidth(word, font)
    const joined = used === 0 ? width : used + space + width
    if (joined <= room + ROUNDING_TOLERANCE) {
      used = joined
      continue
    }
    if (used > 0) lines++
    lines += Math.max(0, Math.ceil((width - ROUNDING_TOLERANCE) / room) - 1)
    used = width <= room + ROUNDING_TOLERANCE ? width : width % room
  }
  return lines
}

/** Height in points of a row with this many lines, within Excel's limit. */
export function rowHeight(lines: number, points: number = FONT_POINTS): number {
  return Math.min(MAX_ROW_POINTS, Math.max(ROW_POINTS, Math.ceil(lines * points * LINE_SPACING + 2.5)))
}

/** Truncates text, with a visible mark, to what fits in this many lines of a column. */
export function truncateToLines(text: string, columnUnits: number, lines: number, mark = '… [full text on About]') {
  // Upper bound on the characters per line, however narrow they are.
  const max = Math.ceil(lines * columnUnits * 3)
  if (text.length <= max && wrappedLines(text, columnUnits) <= lines) return text
  let low = 0
  let high = Math.min(text.length, max)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (wrappedLines(`${text.slice(0, middle)}${mark}`, columnUnits) <= lines) low = middle
    else high = middle - 1
  }
  return truncate(text, low + mark.length, mark)
}
