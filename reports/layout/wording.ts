import type { ReportContext } from '../../src/compare/input/comparison-context.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { formatMinute } from '../../src/core/time/clock.js'
import { describeReads } from '../../src/core/time/read-times.js'

/** `as of 2026-01-31 12:00 UTC`. */
export const asOfLabel = (asOf: string): string => `as of ${formatMinute(asOf)} UTC`

/** `as of 2026-01-31 12:00 UTC, terms read 2 to 14 min before`, if it is known when prices and terms were read. */
export const freshnessLabel = (context: ReportContext): string =>
  [asOfLabel(context.asOf), ...describeReads(context, new Date(context.asOf), 'before')].join(', ')

/** Spelling of words within codes that capital letters alone would get wrong. */
const SPELLINGS: Readonly<Record<string, string>> = { rfq: 'RFQ', id: 'ID', api: 'API' }

/** A code of the marketplace or of ours: one word, or several joined as in `registryTransfer` or `already-closed`. */
const CODE = /^[A-Za-z][a-z]*(?:[A-Z][a-z]+|[-_][a-z]+)*$/

/**
 * A code in words: `registryTransfer` is `Registry transfer`, `ForestsAndWoodlands` is `Forests and woodlands`. Text that
 * is not a code stays as it is.
 */
export function codeLabel(code: string): string {
  const text = oneLine(code)
  if (!CODE.test(text)) return text
  const words = text.replace(/(?<=[a-z])(?=[A-Z])|[-_]/g, ' ').toLowerCase()
  const spelled = words
    .split(' ')
    .map((word) => SPELLINGS[word] ?? word)
    .join(' ')
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}

/** Codes in words, joined for one cell. */
export const codeList = (codes: readonly string[]): string => codes.map(codeLabel).join(', ')

let regions: Intl.DisplayNames | undefined

/** The English name of a country from its code of two letters (ISO 3166-1); any other text stays as it is. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  regions ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })
  return regions.of(code) ?? code
}
