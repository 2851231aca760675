import { assessedOutcome } from '../compare/awards/award-in-brief.js'
import { createContext } from '../compare/input/comparison-context.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../compare/input/stored-documents.js'
import { assessRfq, type RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import type { Settings } from '../core/decision/settings.js'
import type { RfqWithResponses } from '../core/records.js'
import { listDiffOf } from '../core/sources/sources.js'
import { withRoundedNumbers } from '../core/text/number-format.js'
import type { History } from '../store/contract.js'
import { factsOf, type RfqFacts } from './rfq-facts.js'
import { figuresOf, type RfqFigures } from './rfq-figures.js'
import { readSummaryTimes, type SummaryStore } from './summary-times.js'

/** Of the rules by which offers are compared; another one if equal documents and settings may lead to other figures. */
export const COMPARISON_RULES = 1

export type StateStore = SummaryStore & Pick<History, 'rfqs' | 'listings'>

/** What is known, shown in lists and recommended of an RFQ at a moment. */
export interface RfqState {
  facts: RfqFacts
  figures: RfqFigures
  recommendation: RecommendationFigures
  assessed: RfqAssessment
  /** Those it was computed with. */
  settings: Settings
  /** Ids of the listings that its offers name. */
  listings: string[]
}

export interface StateMoment {
  timeZone: string
  /** The moment from which days are counted. */
  at: Date
  /** Documents as of this moment; default: as they are now. */
  asOf?: Date | undefined
  /** With the exchange rates of the moment. */
  settings: Settings
}

/**
 * Computes what is recommended for an RFQ, from documents alone: equal documents, settings and days give an equal state, whenever it is
 * computed.
 * @throws StoreError
 */
export async function rfqStateOf(
  store: StateStore,
  { rfq, responses }: RfqWithResponses,
  { timeZone, at, asOf, settings }: StateMoment,
): Promise<RfqState> {
  const { channel } = rfq
  const listed = listDiffOf(rfq)
  const parsed = { rfq: parseStoredRfq(rfq), responses: responses.map(parseStoredResponse) }
  const listings = [...new Set(parsed.responses.flatMap(({ document }) => document?.listingId ?? []))]
  const known = listings.length === 0 ? [] : await store.listings({ channel, ids: listings, ...(asOf && { asOf }) })
  const context = createContext({
    ...{ channel, timeZone, settings, listed },
    ...{ asOf: at, generatedAt: at, programVersion: '' },
  })
  const assessed = assessRfq(
    {
      ...parsed,
      listings: new Map(known.map((listing) => [listing.id, parseStoredListing(listing)])),
      // They lead to flags only.
      problemsOf: () => 0,
      ...(await readSummaryTimes(store, rfq, parsed, asOf)),
    },
    context,
  )
  const outcome = assessedOutcome(assessed, settings)
  // No surface shows 8.745000000000001.
  const figures = withRoundedNumbers(figuresOf(assessed, outcome))
  const { award } = outcome
  return {
    facts: factsOf(rfq, listed),
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
    listings,
  }
}
