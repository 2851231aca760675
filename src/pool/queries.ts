import { type ComputedBatch, computeRfqs } from '../recommendations/compute-rfq.js'
import type { DirtyRfq } from '../store/contract.js'
import type { ViewConfig, ViewStore } from '../views/source.js'
import { createViews, type Views } from '../views/views.js'
import type { ApiReader } from '../web/api/read.js'
import { computeSourceOf } from './compute-source.js'
import { openApiReader } from './open-api-reader.js'

/** What the recorder of recommendations asks for. */
interface RecommendationComputer {
  computeRecommendations(dirty: DirtyRfq[], now: Date): Promise<ComputedBatch>
}

/** Everything that pages and the API read. */
export type Queries = Views & ApiReader & RecommendationComputer

/** What pages and the API read, from an open store. */
export function createQueries(store: ViewStore, config: ViewConfig): Queries {
  const views = createViews(store, config)
  const computed = computeSourceOf(store, config)
  const computeRecommendations = (dirty: DirtyRfq[], now: Date) => computeRfqs(computed, dirty, now)
  return { ...views, ...openApiReader(views, config), computeRecommendations }
}

/** Queries that compare offers or read many documents. */
const HEAVY_QUERIES: readonly string[] = [
  'comparison',
  'offers',
  'offer',
  'timeline',
  'prepareAward',
  'closingReasons',
  'computeRecommendations',
] satisfies (keyof Queries)[]

/** Operations of the API that do. */
const HEAVY_OPERATIONS: readonly unknown[] = ['compareOffers', 'listOffers', 'readOffer', 'listListings']

/** Whether a query may take seconds: it compares offers, reads many documents, or computes what was known at a past moment. */
export function isHeavy(name: string, args: readonly unknown[]): boolean {
  if (HEAVY_QUERIES.includes(name)) return true
  if (name !== 'apiRead') return isPast(args[0])
  const [operation, request] = args as Parameters<Queries['apiRead']>
  return HEAVY_OPERATIONS.includes(operation) || isPast(request.query)
}

const isPast = (filter: unknown): boolean => ['asOf', 'as_of'].some((key) => Object(filter)[key] !== undefined)
