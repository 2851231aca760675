import { stripVTControlCharacters } from 'node:util'
import { INVISIBLE } from '../core/text/clean-text.js'
import { withoutNoise } from '../core/text/number-format.js'

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

/**
 * The same value with `withoutHidden` applied to every text in it, also to the names of members, and without the last digits
 * that computing leaves in numbers. Numbers of documents stay as received.
 */
export function toPlainText(value: unknown, number: (value: number) => number = withoutNoise): unknown {
  if (typeof value === 'string') return withoutHidden(value)
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return value.map((each) => toPlainText(each, number))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, each]) => [
    withoutHidden(name),
    toPlainText(each, name === 'document' ? (received) => received : number),
  ])
  return Object.fromEntries(members)
}
