import { stripVTControlCharacters } from 'node:util'
import { INVISIBLE } from '../../core/text/clean-text.js'

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
