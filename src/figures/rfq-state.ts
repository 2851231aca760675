import { awardProblem } from '../compare/awards/award-problem.js'
import { outcomeOf } from '../compare/decision/recommendation.js'
import { createContext } from '../compare/input/comparison-context.js'
import type { ParsedResponse, ParsedRfq } from '../compare/input/comparison-input.js'
import { parseStoredResponse, parseStoredRfq, versionMetadata } from '../compare/input/stored-documents.js'
import type { ListingQuality } from '../compare/offer/listing-quality.js'
import { findReviewedOffers } from '../compare/offer/reviewed-terms.js'
import { summariseOffers } from '../compare/report/rfq-statistics.js'
import { assessRfq, type RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import { parseStored } from '../core/documents/observation.js'
import type { RfqWithResponses } from '../core/records.js'
import { withRoundedNumbers } from '../core/text/number-format.js'
import type { History, RfqFilter } from '../store/contract.js'
import { createListingReader } from './listing-reader.js'
import { factsOf, type RfqFacts } from './rfq-facts.js'
import { figuresOf, type RfqFigures } from './rfq-figures.js'

type StateStore = Pick<History, 'rfqs' | 'listings' | 'rfqHistory'>

/** The data of an RFQ, and the recommendation for it, at a moment. */
export interface RfqState {
  facts: RfqFacts
  figures: RfqFigures
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
export interface RfqDocuments extends RfqWithResponses {
  /** The body of the RFQ. */
  body: unknown
  parsed: { rfq: ParsedRfq; responses: readonly ParsedResponse[] }
  /** By id: those that the offers of the RFQs that were read together name. */
  listings: ReadonlyMap<string, ListingQuality>
}

/**
 * Reads RFQs of a channel with what figures are computed from.
 * @throws StoreError
 */
export async function readDocuments(
  store: Pick<History, 'rfqs' | 'listings'>,
  filter: RfqFilter & { channel: string },
  readListings = createListingReader(),
): Promise<RfqDocuments[]> {
  const found = (await store.rfqs(filter)).map(({ rfq, responses }) => {
    const { shape, entry, body } = rfq
    const own = parseStoredRfq({ ...versionMetadata(rfq), shape, entry, body })
    return { rfq, responses, body, parsed: { rfq: own, responses: responses.map(parseStoredResponse) } }
  })
  const ids = found.flatMap(({ parsed }) => parsed.responses.flatMap(({ document }) => document?.listingId ?? []))
  const listings = await readListings(store, filter.channel, [...new Set(ids)], filter.asOf)
  return found.map((each) => ({ ...each, listings }))
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
  const { rfq, responses, body, parsed, listings } = documents
  const { timeZone, at, asOf, settings } = moment
  const { channel, shape, entry } = rfq
  const context = createContext({ channel, timeZone, settings, asOf: at, generatedAt: at, programVersion: '' })
  const assessed = assessRfq(
    {
      ...parsed,
      listings,
      reviewed: await findReviewedOffers(responses, () => store.rfqHistory(channel, rfq.id, asOf)),
    },
    context,
  )
  const { currency, offers } = assessed
  const outcome = outcomeOf(awardProblem({ rfq: assessed.rfq, offers, settings }, currency.comparison))
  // Rounded, so that no surface shows 8.745000000000001.
  const figures = withRoundedNumbers(figuresOf(assessed, outcome, standing))
  const facts = factsOf({ shape, entry, body }, parsed.rfq.document)
  const { award } = outcome
  return {
    facts,
    figures: {
      ...figures,
      undecided: standing === undefined && (await isUndecided(store, documents, moment, { facts, figures })),
    },
    recommendation: withRoundedNumbers({
      status: outcome.status,
      offers: (award?.offers ?? []).map(({ id, number, name, tonnes, total, pricePerTonne }) => ({
        ...{ id, number, name, tonnes, total, pricePerTonne },
      })),
      tonnes: award?.tonnes ?? null,
      cost: award?.total ?? null,
      pricePerTonne: award?.pricePerTonne ?? null,
      currency: figures.currency,
      coverage: summariseOffers(assessed.offers, assessed.rfq).coverage,
      bestPrice: figures.bestPricePerTonne,
    }),
    assessed,
    settings,
  }
}

/** Whether an RFQ was seen open, and closed with an offer that could be awarded, of which none is accepted. */
async function isUndecided(
  store: StateStore,
  { rfq: { channel, id, version }, responses }: RfqDocuments,
  { asOf, ...moment }: StateMoment,
  { facts: { state }, figures }: Pick<RfqState, 'facts' | 'figures'>,
): Promise<boolean> {
  const isOpen = state === 'open' || state === null
  if (isOpen || version === 1 || figures.stakes.some(({ kind }) => kind === 'accepted') || responses.length === 0)
    return false
  const versions = await store.rfqHistory(channel, id, asOf)
  const open = versions.findLast(
    ({ kind, shape, body }) => kind === 'rfq' && parseStored('rfq', shape, body).document?.state === 'open',
  )
  if (open === undefined || figures.ranked > 0) return open !== undefined
  // Its offers may have been withdrawn or rejected since it closed.
  const closedAt = Date.parse(open.supersededAt ?? open.observedAt)
  const at = new Date(closedAt - 1)
  const [then] = await readDocuments(store, { channel, ids: [id], asOf: at })
  return then !== undefined && (await rfqStateOf(store, then, { ...moment, at, asOf: at })).figures.ranked > 0
}
