import type { ComputeRfqs } from '../recommendations/compute-rfq.js'
import type { ViewConfig, ViewStore } from '../tables/source.js'
import { createViews, type Views } from '../tables/views.js'
import { type ApiReader, createApiReader } from '../web/api/read.js'
import { computeRfqsOf } from './compute-source.js'

/** What the recorder of recommendations asks for. */
interface RecommendationComputer {
  computeRecommendations: ComputeRfqs
}

/** Everything that pages and the API read. */
export type Queries = Views & ApiReader & RecommendationComputer

/** What pages and the API read, from an open store. */
export function createQueries(store: ViewStore, config: ViewConfig): Queries {
  const views = createViews(store, config)
  return { ...views, ...createApiReader(views, config), computeRecommendations: computeRfqsOf(store, config) }
}
