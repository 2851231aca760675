/** Controls (but line breaks), lone surrogates, noncharacters, and marks that turn the reading direction of what stands beside them. */
const UNPRINTABLE = /(?!\n)\p{Cc}|\p{Surrogate}|[\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu
const LONE_AT_END = /[\uD800-\uDBFF]$/
const BREAKS = /\r\n?|[\u0085\u2028\u2029]/g

/**
 * Outside text as it may stand in a cell, a page or a line of CSV: well-formed XML characters only. What had to go is
 * shown as U+FFFD, so that a reader sees that something was there. Objects are shown as their JSON, never used.
 * @param value anything
 * @returns text; empty for null and undefined
 */
export function cleanText(value: unknown): string {
  return asText(value).replace(BREAKS, '\n').replaceAll('\t', ' ').replace(UNPRINTABLE, '\uFFFD')
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'object') return jsonOf(value)
  return String(value)
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[unreadable]'
  }
}

/**
 * At most so many UTF-16 units of a text, with a visible mark where it was cut. Never splits a surrogate pair.
 * @param text cleaned text
 * @param most units, the mark included
 * @param mark what stands at the cut
 */
export function truncate(text: string, most: number, mark = '…'): string {
  return text.length <= most ? text : `${wholeUnits(text, most - mark.length)}${mark}`
}

/**
 * A text in pieces of at most so many units, in order; joined they are the text.
 * @param text cleaned text
 * @param most units a piece
 */
export function splitText(text: string, most: number): string[] {
  const pieces: string[] = []
  for (let rest = text; rest.length > 0; ) {
    const piece = wholeUnits(rest, most)
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return pieces
}

function wholeUnits(text: string, most: number): string {
  const head = text.slice(0, Math.max(most, 2))
  return LONE_AT_END.test(head) ? head.slice(0, -1) : head
}

/** One line of a text: line breaks become spaces. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
