import { type ComputedBatch, computeRfqs } from '../recommendations/compute-rfq.js'
import type { DirtyRfq, Monitoring, Reader } from '../store/contract.js'
import type { ApiConfig } from '../views/api-queries.js'
import type { PageQueries } from '../views/page-contract.js'
import { createPageQueries } from '../views/page-queries.js'
import { createRfqList } from '../views/rfqs/rfq-list.js'
import type { ApiReader } from '../web/api/read.js'
import { computeSourceOf } from './compute-source.js'
import { openApiReader } from './open-api-reader.js'

/** What the recorder of recommendations asks for. */
interface RecommendationComputer {
  computeRecommendations(dirty: DirtyRfq[], now: Date): Promise<ComputedBatch>
}

/** Everything that pages and the API read. */
export type Queries = PageQueries & ApiReader & RecommendationComputer

/** What pages and the API read, from an open store. */
export function createQueries(store: Omit<Reader, 'close' | keyof Monitoring>, config: ApiConfig): Queries {
  const rfqs = createRfqList({ store, channels: config.channels, settings: config.reports.settings })
  const source = { store, config, rfqs }
  const computed = computeSourceOf(store, config)
  const computeRecommendations = (dirty: DirtyRfq[], now: Date) => computeRfqs(computed, dirty, now)
  return { ...createPageQueries(source), ...openApiReader(source), computeRecommendations }
}

/** Queries that compare offers or read many documents. */
const HEAVY_QUERIES: readonly string[] = [
  'rfq',
  'offer',
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
