import { awardProblem } from '../compare/awards/award-problem.js'
import { type AwardState, awardState } from '../compare/decision/award-state.js'
import { outcomeOf } from '../compare/decision/recommendation.js'
import { createContext } from '../compare/input/comparison-context.js'
import type { ParsedResponse, ParsedRfq } from '../compare/input/comparison-input.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../compare/input/stored-documents.js'
import { type ListingQuality, listingQuality } from '../compare/offer/listing-quality.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import { findReviewedOffers } from '../compare/offer/reviewed-terms.js'
import { assessRfq, type RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import { type RfqFacts, rfqFacts } from '../compare/rfq/rfq-terms.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { RecommendationFigures, RfqClaim } from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import { comparableId } from '../core/documents/identifier.js'
import { parseDocument } from '../core/documents/observation.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import { withRoundedNumbers } from '../core/text/number-format.js'
import type { History } from '../store/contract.js'
import { claimsOf, figuresOf, offersAtStake, type RfqFigures, type Stake, stakesOf } from './rfq-figures.js'

type StateStore = Pick<History, 'rfqs' | 'listings' | 'rfqHistory'>

/** The data of an RFQ, and the recommendation for it, at a moment. */
export interface RfqState {
  facts: RfqFacts
  figures: RfqFigures
  stakes: Stake[]
  claims: RfqClaim[]
  /** Null without a standing award. */
  award: AwardState | null
  recommendation: RecommendationFigures
  assessed: RfqAssessment
  /** The settings with which it was computed. */
  settings: Settings
}

export interface StateMoment {
  timeZone: string
  /** The moment that decides the current day. */
  at: Date
  /** Uses documents as of this moment; default: the current ones. */
  asOf?: Date | undefined
  /** The settings with the exchange rates of the moment. */
  settings: Settings
}

/** The stored documents of an RFQ, parsed. */
export interface RfqDocuments {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
  /** By id: those that the offers of the RFQs that were read together name. */
  listings: ReadonlyMap<string, ListingQuality>
}

/**
 * Parses RFQs of a channel, and reads the listings of their offers.
 * @param kept listings of the channel, which are not read again, and to which others are added
 * @throws StoreError
 */
export async function readDocuments(
  store: Pick<History, 'listings'>,
  rfqs: readonly RfqWithResponses[],
  { channel, asOf }: { channel: string; asOf?: Date | undefined },
  kept = new Map<string, ListingQuality>(),
): Promise<RfqDocuments[]> {
  const found = rfqs.map(({ rfq, responses }) => ({
    rfq: parseStoredRfq(rfq),
    responses: responses.map(parseStoredResponse),
    listings: kept,
  }))
  const named = found.flatMap(({ responses }) => responses.flatMap(({ document }) => document?.listingId ?? []))
  const ids = [...new Set(named)].filter((id) => !kept.has(comparableId(id)))
  const listings = ids.length === 0 ? [] : await store.listings({ channel, ids, ...(asOf && { asOf }) })
  for (const id of ids) kept.set(comparableId(id), listingQuality(undefined))
  for (const listing of listings.map(parseStoredListing)) kept.set(listing.id, listingQuality(listing))
  return found
}

/** The state of an RFQ at a moment; null if it was not known then. Errors: as `rfqStateOf`. */
export async function rfqStateAt(
  store: StateStore,
  { channel, id }: Pick<KnownDocument, 'channel' | 'id'>,
  moment: StateMoment,
): Promise<RfqState | null> {
  const { asOf } = moment
  const [found] = await readDocuments(store, await store.rfqs({ channel, ids: [id], asOf }), { channel, asOf })
  return found === undefined ? null : rfqStateOf(store, found, moment)
}

/**
 * Computes the recommendation for an RFQ from its documents. The same documents, settings and day always give the same state.
 * @param standing the desk's award on record, for its figures
 * @throws StoreError
 */
export async function rfqStateOf(
  store: StateStore,
  documents: RfqDocuments,
  moment: StateMoment,
  standing?: AwardFacts,
): Promise<RfqState> {
  const { rfq, responses } = documents
  const { timeZone, at, asOf, settings } = moment
  const { channel, id } = rfq
  const context = createContext({ channel, timeZone, settings, asOf: at, generatedAt: at, programVersion: '' })
  const reviewed = await findReviewedOffers(responses, () => store.rfqHistory(channel, id, asOf))
  const assessed = assessRfq({ ...documents, reviewed }, context)
  const { currency, offers } = assessed
  const outcome = outcomeOf(awardProblem({ rfq: assessed.rfq, offers, settings }, currency.comparison))
  const { offers: awarded = [], tonnes = null, total: cost = null, pricePerTonne = null } = outcome.award ?? {}
  const amounts = { tonnes, cost, pricePerTonne, currency: currency.comparison }
  const award = standing === undefined ? null : awardState(standing, offers)
  const atStake = offersAtStake(assessed, outcome, award)
  const stakes = stakesOf(atStake, assessed)
  const undecided = standing === undefined && (await isUndecided(store, documents, moment, assessed))
  return {
    facts: rfqFacts(rfq),
    award,
    claims: claimsOf(atStake, assessed.rfq, undecided),
    // Rounded, so that no surface shows 8.745000000000001.
    ...withRoundedNumbers({
      figures: figuresOf(assessed, { outcome, atStake, undecided }, standing),
      stakes,
      recommendation: { status: outcome.status, offers: awarded, ...amounts },
    }),
    assessed,
    settings,
  }
}

/** Whether an RFQ was seen open, and closed with an offer that could be awarded, of which none is accepted. */
async function isUndecided(
  store: StateStore,
  { rfq: { channel, id, version } }: RfqDocuments,
  { asOf, ...moment }: StateMoment,
  { rfq: { state }, offers }: RfqAssessment,
): Promise<boolean> {
  const isOpen = state === 'open' || state === null
  if (isOpen || version === 1 || offers.length === 0 || offers.some(isAccepted)) return false
  const versions = await store.rfqHistory(channel, id, asOf)
  const open = versions.findLast(
    ({ kind, body }) => kind === 'rfq' && parseDocument('rfq', body).document?.state === 'open',
  )
  if (open === undefined || offers.some(isRanked)) return open !== undefined
  // Its offers may have been withdrawn or rejected since it closed.
  const at = new Date(Date.parse(open.supersededAt ?? open.observedAt) - 1)
  const then = await rfqStateAt(store, { channel, id }, { ...moment, at, asOf: at })
  return then?.assessed.offers.some(isRanked) ?? false
}

const isRanked = ({ standing }: OfferReport) => standing === 'ranked'
