import type { BreakEven, DeveloperQuestions } from '../../compare/decision/decision-model.js'
import type { OfferReport } from '../../compare/offer/offer-report-model.js'
import { changesOfVersion } from '../../compare/report/document-changes.js'
import type { RfqReport } from '../../compare/report/rfq-report-model.js'
import type { Version } from '../../core/records.js'
import type { PricesRead } from '../../core/sources/offer-sources.js'
import { awardedTonnesOf } from '../rfq/rfq-view.js'
import { type OfferView, offerView } from './offer-view.js'

/** One offer with everything behind its figures. */
export interface OfferPageModel {
  view: OfferView
  /** The lines, metrics and scores behind it. */
  offer: OfferReport
  asOf: string
  /** When its terms were last read; null if they were not, or as of a past moment. */
  readAt: string | null
  /** When the RFQ was read, which shows its status and price; null as of a past moment. */
  pricesRead: PricesRead | null
  currency: string | null
  /** The exchange rate from the currency of the offer, in words; null if there is none. */
  rate: string | null
  rfqTitle: string | null
  /** What to ask the developer about it; null if nothing. */
  questions: DeveloperQuestions['offers'][number] | null
  /** The price up to which it stays in the recommended award; null if it is not part of it, or if that price is not known. */
  breakEven: BreakEven | null
  /** Newest first. */
  versions: OfferVersion[]
  /** The newest document as received, and how much of it was left out. */
  document: { text: string; omitted: number; asReceived: boolean; contentHash: string }
}

export interface OfferVersion {
  version: number
  /** The change happened after the first and before the second observation. */
  notBefore: string | null
  observedAt: string
  valid: boolean
  shape: Version['shape']
  /** One sentence per difference to the version before; empty for the first. */
  changes: string[]
}

/** Characters of a document that are shown. */
const MAX_DOCUMENT = 200_000

/** The page of one offer; null if the report has no such offer. */
export function offerPageModel(
  report: RfqReport,
  offerId: string,
  { history, readAt }: { history: readonly Version[]; readAt: string | null },
): OfferPageModel | null {
  const { decision, currency } = report
  const offer = report.offers.find(({ id }) => id === offerId)
  const versions = history.filter(({ kind, id }) => kind === 'response' && id === offerId)
  const newest = versions.at(-1)
  if (offer === undefined || newest === undefined) return null
  const changesOf = offerChanges(versions, offer.label, report.context.asOf)
  const questions = decision.questions.flatMap((developer) => developer.offers)
  return {
    view: offerView(offer, awardedTonnesOf(report), currency.comparison),
    offer,
    asOf: report.context.asOf,
    readAt,
    pricesRead: report.context.pricesRead,
    currency: currency.comparison,
    rate: currency.rates.find((rate) => rate.currency === offer.terms.currencyCode)?.message ?? null,
    rfqTitle: report.rfq.title,
    questions: questions.find((each) => each.offerId === offerId) ?? null,
    breakEven: decision.recommendation.breakEven.find((each) => each.offerId === offerId) ?? null,
    versions: versions
      .map((each) => {
        const { version, notBefore, observedAt, valid, shape } = each
        return { version, notBefore, observedAt, valid, shape, changes: changesOf(each) }
      })
      .reverse(),
    document: {
      text: readable(newest).slice(0, MAX_DOCUMENT),
      omitted: Math.max(0, readable(newest).length - MAX_DOCUMENT),
      asReceived: newest.bodyAsReceived,
      contentHash: newest.contentHash,
    },
  }
}

/** What each version of an offer changed, in one sentence per difference; nothing for the first. */
export function offerChanges(
  versions: readonly Version[],
  label: string,
  asOf: string,
): (version: Version) => string[] {
  return (version) => {
    const previous = versions[versions.indexOf(version) - 1]
    if (previous === undefined) return []
    const context = { labels: new Map([[version.id, label]]), asOf }
    return changesOfVersion(previous, version, context).map(({ message }) => message)
  }
}

/** The text with line breaks, unless parsing it would lose something. */
function readable({ bodyText, body, isLossy }: Version): string {
  return isLossy || bodyText.length > MAX_DOCUMENT ? bodyText : JSON.stringify(body, null, 2)
}
