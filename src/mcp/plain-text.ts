import { stripVTControlCharacters } from 'node:util'
import { INVISIBLE } from '../core/text/clean-text.js'

/** Line feeds and tabs are text; variation selectors select the form of an emoji. */
const HIDDEN = new RegExp(`(?![\\n\\t\\ufe00-\\ufe0f])[${INVISIBLE}]`, 'gu')

/**
 * A text without escape codes, and without control characters and others that are not shown or that reorder text: in them,
 * a document could carry instructions that a person who reads it does not see.
 */
const withoutHidden = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(HIDDEN, '')

/** The same value with `withoutHidden` applied to every text in it, also to the names of members. */
export function toPlainText(value: unknown): unknown {
  if (typeof value === 'string') return withoutHidden(value)
  if (Array.isArray(value)) return value.map(toPlainText)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [withoutHidden(name), toPlainText(each)]))
}
