/**
 * The inside of a character class (for a RegExp with the flag `u`): characters that are not shown, or that hide or reorder
 * others. Control characters (C0 and C1), format characters (such as zero-width and bidirectional ones), line and paragraph
 * separators, lone surrogates, and everything else that Unicode lets programs ignore, such as the Hangul fillers.
 */
export const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'

/** What is not shown or reorders text, and noncharacters; except line feeds, and the joiners and variation selectors of scripts and emoji. */
const HIDDEN = new RegExp(`(?![\\n\\u200C\\u200D\\u180B-\\u180D\\uFE00-\\uFE0F])[${INVISIBLE}\\uFFFE\\uFFFF]`, 'gu')
const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/
const LINE_BREAKS = /\r\n?|[\u0085\u2028\u2029]/g

/**
 * Makes text from outside safe for a cell, an HTML page or a CSV field: only characters that XML allows. Each removed
 * character is replaced with U+FFFD, so that a reader sees that something was there. Objects become JSON.
 * @param value any value
 * @returns text; empty for null and undefined
 */
export function cleanText(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  return text.replace(LINE_BREAKS, '\n').replaceAll('\t', ' ').replace(HIDDEN, '\uFFFD')
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

/** The beginning of a text of at most `max` UTF-16 units, without half a surrogate pair. */
function takeUnits(text: string, max: number): string {
  return text.slice(0, Math.max(max, 2)).replace(HIGH_SURROGATE_AT_END, '')
}

/** Cuts a text to at most `max` UTF-16 units, the mark included, without splitting a character. */
export const truncate = (text: string, max: number, mark = '…'): string =>
  text.length <= max ? text : `${takeUnits(text, max - mark.length)}${mark}`

/** Collapses each run of white space, line breaks included, to one space. */
export const oneLine = (text: string): string => text.replace(/[^\S ]\s*|\s{2,}/g, ' ').trim()

/** Text from outside, cleaned, on one line of at most `max` UTF-16 units. */
export const cleanLine = (value: unknown, max = Number.POSITIVE_INFINITY): string =>
  truncate(oneLine(cleanText(value)), max)

export const MAX_NAME_LENGTH = 100

/** Characters that are not shown, not assigned, or for private use. */
const NOT_IN_NAMES = new RegExp(`[${INVISIBLE}]|\\p{C}`, 'u')

/** Why a text cannot be recorded as the name of a person, such as `is empty`; null if it can. */
export function nameProblem(text: string): string | null {
  if (text.trim() === '') return 'is empty'
  if (text.length > MAX_NAME_LENGTH) return `is longer than ${MAX_NAME_LENGTH} characters`
  return NOT_IN_NAMES.test(text) ? 'has characters that are not shown' : null
}

/** Maximum length of the reason that a person gives for a decision. */
export const MAX_REASON_LENGTH = 2_000

/** Why a text cannot be recorded as the reason for a decision, such as `is empty`; null if it can. */
export function reasonProblem(text: string): string | null {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'is empty'
  return text.length > MAX_REASON_LENGTH ? `is longer than ${MAX_REASON_LENGTH} characters` : null
}
