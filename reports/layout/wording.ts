import type { Severity } from '../../src/domain/comparison/flag.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { oneLine } from './clean-text.js'

/** Words that stand for what the documents say in code. */
export const yesNo = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no')

export const severityLabels: Record<Severity, string> = { high: 'High', medium: 'Medium', low: 'Low' }

/** A list in one cell. */
export const joinList = (values: readonly string[], between = ', '): string => values.map(oneLine).join(between)

/** Each flag on a line of its own, its severity first. */
export const flagLines = (offer: Pick<OfferReport, 'flags'>): string =>
  offer.flags.map((flag) => `${severityLabels[flag.severity]}: ${oneLine(flag.words)}`).join('\n')

export const countFlags = (offer: Pick<OfferReport, 'flags'>, severity: Severity): number =>
  offer.flags.filter((flag) => flag.severity === severity).length

/** A column of money with the currency it stands in, where it is one for all. */
export const withCurrency = (head: string, currency: string | null, per = ''): string =>
  currency === null ? head : `${head} (${currency}${per})`
