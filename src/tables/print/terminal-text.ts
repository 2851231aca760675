import { INVISIBLE } from '../../core/text/clean-text.js'

const ALL_INVISIBLE = new RegExp(`(?!\\n)[${INVISIBLE}]`, 'gu')

/**
 * Writes characters that are not shown, or that reorder others, as `\uXXXX`; line feeds are kept. JSON means the same after
 * it, so it can be printed on a terminal.
 */
export const escapeInvisible = (text: string): string =>
  text.replace(ALL_INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => unicodeEscape(character.charCodeAt(at))).join(''),
  )

const unicodeEscape = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
