import { stripVTControlCharacters } from 'node:util'
import { rounded } from '../../core/numbers.js'
import { INVISIBLE } from '../../core/text/invisible-characters.js'

/** Variation selectors are kept: they select the form of an emoji. */
const HIDDEN = new RegExp(`(?![\\ufe00-\\ufe0f])[${INVISIBLE}]`, 'gu')
const ALL_INVISIBLE = new RegExp(`(?!\\n)[${INVISIBLE}]`, 'gu')

/**
 * Makes untrusted text safe to print on a terminal: one line without escape codes, control characters, or characters
 * that reorder or hide text.
 */
export function sanitize(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(HIDDEN, '')
    .trim()
}

/**
 * Writes characters that are not shown, or that reorder others, as `\uXXXX`; line feeds are kept. JSON means the same after
 * it, so it can be printed on a terminal.
 */
export const escapeInvisible = (text: string): string =>
  text.replace(ALL_INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => unicodeEscape(character.charCodeAt(at))).join(''),
  )

const unicodeEscape = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`

/** Splits text into characters with their combining marks, each of which takes one position on a terminal. */
const graphemes = (text: string) => text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u
const PLAIN = /^[\x20-\x7e]*$/

/** The number of terminal columns that sanitized text takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const segment of graphemes(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Shortens text to a width in columns, ending in an ellipsis if anything was removed. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const segment of graphemes(text)) {
    used += displayWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return width < 1 ? '' : `${kept.trimEnd()}…`
}

export const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - displayWidth(text)))
export const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - displayWidth(text))) + text

/** `1 RFQ`, `2 RFQs`. */
export const plural = (number: number, noun: string, plural = `${noun}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`

/** A number with thousands separators and at most `decimals` decimals; empty for null. */
export const formatNumber = (value: number | null | undefined, decimals = 2) =>
  value === null || value === undefined
    ? ''
    : rounded(value, decimals).toLocaleString('en', { maximumFractionDigits: decimals })

/** Breaks a text that has no spaces into parts of at most `width` columns. */
export function breakWord(word: string, width: number): string[] {
  const parts: string[] = []
  let part = ''
  for (const segment of graphemes(word)) {
    if (part !== '' && displayWidth(part) + displayWidth(segment) > width) {
      parts.push(part)
      part = ''
    }
    part += segment
  }
  return part === '' ? parts : [...parts, part]
}

/** Breaks text at spaces into lines of at most `width` columns. A longer word keeps its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > width) lines.push(line)
    line = line !== '' && displayWidth(longer) > width ? word : longer
  }
  return line === '' ? lines : [...lines, line]
}
