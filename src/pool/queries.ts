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
