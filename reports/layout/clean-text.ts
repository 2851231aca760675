/** Control characters (except line feeds), lone surrogates, noncharacters, bidirectional controls and marks. */
const UNSAFE = /(?!\n)\p{Cc}|\p{Surrogate}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu
/**
 * Characters without a width. The joiners stay where scripts and emoji need them: not after Latin, Greek and Cyrillic letters,
 * digits, punctuation, spaces or another joiner.
 */
const ZERO_WIDTH =
  /[\u180E\u200B\u2060-\u2064\uFEFF\u{E0000}-\u{E001F}]|[\u200C\u200D](?<=(?:^|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{P}\s\u200C\u200D])[\u200C\u200D])/gmu
const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/
const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029]/g

/**
 * Makes text from outside safe for a cell, an HTML page or a CSV field: only characters that XML allows. Each removed
 * character is replaced with U+FFFD, so that a reader sees that something was there. Objects become JSON.
 * @param value any value
 * @returns text; empty for null and undefined
 */
export function cleanText(value: unknown): string {
  return toText(value)
    .replace(LINE_BREAKS, '\n')
    .replaceAll('\t', ' ')
    .replace(UNSAFE, '\uFFFD')
    .replace(ZERO_WIDTH, '\uFFFD')
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') return toJson(value)
  return String(value)
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[unreadable]'
  }
}

/**
 * Truncates text, with a visible mark. Never splits a surrogate pair.
 * @param text cleaned text
 * @param max UTF-16 units, including the mark
 * @param mark added at the cut
 */
export function truncate(text: string, max: number, mark = '…'): string {
  return text.length <= max ? text : `${takeUnits(text, max - mark.length)}${mark}`
}

/**
 * Splits text into pieces that, joined, equal the text. Never splits a surrogate pair.
 * @param text cleaned text
 * @param max UTF-16 units per piece
 */
export function splitText(text: string, max: number): string[] {
  const pieces: string[] = []
  for (let rest = text; rest.length > 0; ) {
    const piece = takeUnits(rest, max)
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return pieces
}

function takeUnits(text: string, max: number): string {
  const head = text.slice(0, Math.max(max, 2))
  return HIGH_SURROGATE_AT_END.test(head) ? head.slice(0, -1) : head
}

/** Collapses each run of white space, line breaks included, to one space. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Cleans text and escapes it for content and attributes of XML, HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  cleanText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Spreadsheets read `_x0041_` as `A` (ECMA-376 part 1, ST_Xstring), so the underscore of such text is escaped. */
export const escapeXstring = (text: string): string => text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
