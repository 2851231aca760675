import { assessedOutcome } from '../compare/awards/award-summary.js'
import { createContext } from '../compare/input/comparison-context.js'
import type { ParsedResponse, ParsedRfq } from '../compare/input/comparison-input.js'
import {
  findLastSummaries,
  parseStoredResponse,
  parseStoredRfq,
  versionMetadata,
} from '../compare/input/stored-documents.js'
import type { ListingQuality } from '../compare/offer/listing-quality.js'
import { conflictPaths } from '../compare/offer/newer-summary.js'
import { findReviewedOffers } from '../compare/offer/reviewed-terms.js'
import { assessRfq, type RfqAssessment, type RfqAssessmentInput } from '../compare/rfq/rfq-assessment.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import { findSummaryConflicts, newerSummariesOf } from '../core/sources/offer-sources.js'
import { listDiffOf } from '../core/sources/sources.js'
import { withRoundedNumbers } from '../core/text/number-format.js'
import type { History, PollStates, RfqFilter } from '../store/contract.js'
import { createListingReader } from './listing-reader.js'
import { factsOf, type RfqFacts } from './rfq-facts.js'
import { figuresOf, type RfqFigures } from './rfq-figures.js'

/** The version of the comparison rules. Increase it when the same documents and settings may lead to different figures. */
export const COMPARISON_RULES = 2

export type StateStore = Pick<History, 'rfqs' | 'listings' | 'problems' | 'rfqHistory'> &
  Pick<PollStates, 'responseStates'>

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
  parsed: ParsedDocuments
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
  readListings = createListingReader(store),
): Promise<RfqDocuments[]> {
  const found = (await store.rfqs(filter)).map(({ rfq, responses }) => {
    const { shape, body } = rfq
    const own = parseStoredRfq({ ...versionMetadata(rfq), shape, body })
    return { rfq, responses, body, parsed: { rfq: own, responses: responses.map(parseStoredResponse) } }
  })
  const ids = found.flatMap(({ parsed }) => parsed.responses.flatMap(({ document }) => document?.listingId ?? []))
  const listings = await readListings(filter.channel, [...new Set(ids)], filter.asOf)
  return found.map((each) => ({ ...each, listings }))
}

/**
 * Computes the recommendation for an RFQ from its documents. The same documents, settings and day always give the same state.
 * @throws StoreError
 */
export async function rfqStateOf(
  store: StateStore,
  { rfq, responses, body, parsed, listings }: RfqDocuments,
  { timeZone, at, asOf, settings }: StateMoment,
): Promise<RfqState> {
  const { channel, shape, readAt, entry } = rfq
  const listed = listDiffOf({ readAt, entry, body })
  const context = createContext({
    ...{ channel, timeZone, settings, listed },
    ...{ asOf: at, generatedAt: at, programVersion: '' },
  })
  const assessed = assessRfq(
    {
      ...parsed,
      listings,
      reviewed: await findReviewedOffers(responses, () => store.rfqHistory(channel, rfq.id, asOf)),
      ...(await readSummaryTimes(store, rfq, parsed, asOf)),
    },
    context,
  )
  const outcome = assessedOutcome(assessed, settings)
  // Rounded, so that no surface shows 8.745000000000001.
  const figures = withRoundedNumbers(figuresOf(assessed, outcome))
  const { award } = outcome
  return {
    facts: factsOf({ shape, body }, listed, parsed.rfq.document),
    figures,
    recommendation: withRoundedNumbers({
      status: outcome.status,
      offers: (award?.offers ?? []).map(({ id, number, name, tonnes, total, pricePerTonne }) => ({
        ...{ id, number, name, tonnes, total, pricePerTonne },
      })),
      tonnes: award?.tonnes ?? null,
      cost: award?.total ?? null,
      pricePerTonne: award?.pricePerTonne ?? null,
      currency: figures.currency,
      coverage: figures.coverage,
      bestPrice: figures.bestPricePerTonne,
    }),
    assessed,
    settings,
  }
}

interface ParsedDocuments {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
}

/**
 * Finds the summaries of an RFQ that are newer than the reads of its offers, and the last summaries of missing offers. Queries the store only
 * if a summary differs from its offer, or an offer is missing.
 * @param asOf undefined for the present
 * @returns null if no summary differs, and no missing offer was accepted
 * @throws StoreError
 */
async function readSummaryTimes(
  store: StateStore,
  { channel, id, readAt }: KnownDocument,
  parsed: ParsedDocuments,
  asOf: Date | undefined,
): Promise<Pick<RfqAssessmentInput, 'newerSummaries' | 'lastSummaries' | 'conflictsOf'> | null> {
  const differing = offersThatDiffer(parsed)
  const lastSummaries = await findLastSummaries(parsed.responses, async (moment) => {
    const [then] = await store.rfqs({ channel, asOf: moment, ids: [id], withoutResponses: true })
    return then?.rfq
  })
  if (differing.length === 0 && lastSummaries.size === 0) return null
  const problems = await store.problems({ channel, entityIds: [...differing, ...lastSummaries.keys()] })
  const until = asOf?.toISOString()
  const conflictsOf = conflictPaths(problems.filter(({ firstSeenAt }) => until === undefined || firstSeenAt <= until))
  const newerSummaries =
    asOf === undefined ? newerSummariesOf(readAt, await store.responseStates(channel, [id])) : 'by-version'
  return { newerSummaries, lastSummaries, conflictsOf }
}

function offersThatDiffer({ rfq, responses }: ParsedDocuments): string[] {
  if (rfq.shape !== 'full' || rfq.document === null) return []
  const summaries = new Map(rfq.document.responses.map((summary) => [summary.id as string, summary]))
  return responses.flatMap((response) =>
    response.shape === 'full' && findSummaryConflicts(summaries.get(response.id) ?? null, response.document).length > 0
      ? [response.id]
      : [],
  )
}
