import type { ComparisonInput } from '../../compare/input/comparison-input.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../../compare/input/stored-documents.js'
import { findReviewedOffers } from '../../compare/offer/reviewed-terms.js'
import { compareOffers, type RfqReport } from '../../compare/report/compare-offers.js'
import { type AwardFacts, awardFacts } from '../../core/decision/award-record.js'
import type { Settings } from '../../core/decision/settings.js'
import { pricesReadOf, termsReadOf } from '../../core/time/read-times.js'
import { settingsAt } from '../../figures/exchange-rates.js'
import type { Store } from '../../store/contract.js'
import { VERSION } from '../../version.js'
import { FilterError } from '../filter-error.js'

/** The RFQ whose offers to compare, as known at a moment. */
export interface ComparisonRequest {
  /** `org/slug`. */
  channel: string
  rfqId: string
  now: Date
  /** What was known at this moment is compared. Default: now. */
  asOf?: Date | undefined
  /** Default: the configured ones. */
  settings?: Settings | undefined
  /** Who asked for it, or what else caused it. */
  madeBy?: string | undefined
  /** The award to show, which is about to be recorded. Default: the one that stands. */
  award?: AwardFacts | undefined
}

interface Source {
  store: Store
  settings: Settings
  rulesOf: (channel: string) => { timeZone: string }
}

/**
 * Compares the offers for an RFQ.
 * @throws FilterError if a setting names offers that the RFQ does not have, StoreError
 */
export async function compareRfq(source: Source, request: ComparisonRequest): Promise<RfqReport> {
  const report = compareOffers(await readInput(source, request))
  const { without } = report.settings
  const isUnknown = (number: number) => report.offers.every(({ sequence }) => sequence !== number)
  const unknown = without === null ? [] : `${without}`.split(',').map(Number).filter(isUnknown)
  if (unknown.length === 0) return report
  const known = report.offers.length === 0 ? 'it has none' : `its offers are 1 to ${report.offers.length}`
  throw new FilterError('without', `without: the RFQ has no offer ${unknown.join(', ')}; ${known}`)
}

async function readInput({ store, rulesOf, ...source }: Source, request: ComparisonRequest): Promise<ComparisonInput> {
  const { channel, rfqId, now, asOf = now, settings = source.settings, madeBy, award } = request
  const isPast = asOf < now
  const [found] = await store.rfqs({ channel, ids: [rfqId], ...(isPast && { asOf }) })
  if (found === undefined)
    throw new FilterError('rfq', `RFQ ${rfqId} of ${channel} was not known at ${asOf.toISOString()}`, 404)
  const rfq = parseStoredRfq(found.rfq)
  const responses = found.responses.map(parseStoredResponse)
  const offered = responses.flatMap(({ document }) => document?.listingId ?? [])
  const listingIds = [...new Set([...(rfq.document?.listingIds ?? []), ...offered])]
  const entityIds = [rfqId, ...responses.map(({ id }) => id), ...listingIds]
  const [listings, problems, decisions, [standing], poll] = await Promise.all([
    store.listings({ channel, asOf, ids: listingIds }),
    store.problems({ channel, asOf, entityIds }),
    store.decisions({ channel, rfqId }),
    store.awards({ channel, rfqId, standing: true, asOf, limit: 1 }),
    store.newestRun({ channel, kind: 'rfqs', isComplete: true }),
  ])
  return {
    ...{ channel, timeZone: rulesOf(channel).timeZone, asOf, generatedAt: now, programVersion: VERSION, madeBy },
    settings: await settingsAt(store, settings, asOf),
    ...{ rfq, responses, problems, decisions, award: award ?? (standing === undefined ? null : awardFacts(standing)) },
    listings: listings.map(parseStoredListing),
    reviewed: await findReviewedOffers(responses, () => store.rfqHistory(channel, rfqId, asOf)),
    // Later reads change these, so a comparison as of a past moment is without them: it must never change.
    ...(!isPast && {
      termsRead: termsReadOf(found.responses),
      pricesRead: pricesReadOf(found.rfq, poll?.startedAt ?? null),
      claims: await store.creditClaims(),
    }),
  }
}
