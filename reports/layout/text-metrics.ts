import { FONT_POINTS } from '../xlsx/cell-styles.js'
import { truncate } from './clean-text.js'

/** Advance widths of Arial, thousandths of an em, U+0020 to U+007E (Adobe's metrics of its twin Helvetica). */
const ADVANCES = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
]
const LATIN = 610
const WIDE = 1_000
const FIRST_WIDE = 0x2e80
const BOLD = 1.08
/** A column unit is the widest digit of the workbook's font at 96 dpi. */
const UNIT_PIXELS = 7
const PADDING_UNITS = 1.4
/** A step of indentation is three spaces wide. */
const INDENT_UNITS = 1.5
const PIXELS_PER_POINT = 96 / 72
/** A column made as wide as a word takes that word on one line. */
const NOISE = 1e-6
const LINE_SPACING = 1.24
/** Excel's limits. */
const MOST_COLUMN_UNITS = 255
const MOST_ROW_POINTS = 409
export const ROW_POINTS = 15

export interface FontOptions {
  bold?: boolean
  points?: number
  /** Steps. */
  indent?: number
}

/** Width of one line of text in column units, without padding. */
export function textWidth(line: string, type: FontOptions = {}): number {
  let advance = 0
  for (const character of line) advance += advanceOf(character.codePointAt(0) ?? 0)
  const pixels = (advance / 1_000) * (type.points ?? FONT_POINTS) * PIXELS_PER_POINT * (type.bold ? BOLD : 1)
  return pixels / UNIT_PIXELS
}

const advanceOf = (code: number): number => ADVANCES[code - 0x20] ?? (code >= FIRST_WIDE ? WIDE : LATIN)

const paddingOf = ({ indent = 0 }: FontOptions) => PADDING_UNITS + indent * INDENT_UNITS

/** Width a column needs to show a text on one line (its longest line, where it has several). */
export function columnWidth(text: string, type: FontOptions = {}): number {
  const widest = Math.max(...text.split('\n').map((line) => textWidth(line, type)))
  return Math.min(MOST_COLUMN_UNITS, widest + paddingOf(type))
}

/** Lines a text takes in a column of so many units when it wraps at spaces, and within words too long for a line. */
export function wrappedLines(text: string, columnUnits: number, type: FontOptions = {}): number {
  const room = Math.max(1, columnUnits - paddingOf(type))
  return text.split('\n').reduce((lines, paragraph) => lines + paragraphLines(paragraph, room, type), 0)
}

function paragraphLines(paragraph: string, room: number, type: FontOptions): number {
  const space = textWidth(' ', type)
  let lines = 1
  let used = 0
  for (const word of paragraph.split(' ')) {
    const width = textWidth(word, type)
    const joined = used === 0 ? width : used + space + width
    if (joined <= room + NOISE) {
      used = joined
      continue
    }
    if (used > 0) lines++
    lines += Math.max(0, Math.ceil((width - NOISE) / room) - 1)
    used = width <= room + NOISE ? width : width % room
  }
  return lines
}

/** Height of a row with so many lines, in points, within what Excel allows. */
export function rowHeight(lines: number, points: number = FONT_POINTS): number {
  return Math.min(MOST_ROW_POINTS, Math.max(ROW_POINTS, Math.ceil(lines * points * LINE_SPACING + 2.5)))
}

/** A text cut, visibly, to what so many lines of a column can show. */
export function truncateToLines(
  text: string,
  columnUnits: number,
  lines: number,
  mark = '… [in full on About]',
): string {
  // No line holds more characters than this, however narrow they are.
  const most = Math.ceil(lines * columnUnits * 3)
  if (text.length <= most && wrappedLines(text, columnUnits) <= lines) return text
  let low = 0
  let high = Math.min(text.length, most)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (wrappedLines(`${text.slice(0, middle)}${mark}`, columnUnits) <= lines) low = middle
    else high = middle - 1
  }
  return truncate(text, low + mark.length, mark)
}
