import type { Severity } from '../../src/domain/comparison/flag.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { oneLine } from './clean-text.js'

export const yesNo = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no')

export const severityLabels: Record<Severity, string> = { high: 'High', medium: 'Medium', low: 'Low' }

/** Joins values for one cell, each on one line. */
export const joinList = (values: readonly string[], separator = ', '): string => values.map(oneLine).join(separator)

/** The flags of an offer, one per line, each with its severity. */
export const flagLines = (offer: Pick<OfferReport, 'flags'>): string =>
  offer.flags.map((flag) => `${severityLabels[flag.severity]}: ${oneLine(flag.words)}`).join('\n')

export const countFlags = (offer: Pick<OfferReport, 'flags'>, severity: Severity): number =>
  offer.flags.filter((flag) => flag.severity === severity).length

/** A column header with its currency, if all rows share one. */
export const withCurrency = (header: string, currency: string | null, per = ''): string =>
  currency === null ? header : `${header} (${currency}${per})`
