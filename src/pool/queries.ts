import type { Store } from '../store/contract.js'
import type { ViewConfig } from '../tables/source.js'
import { createViews, type Views } from '../tables/views.js'
import { type ApiReader, createApiReader } from '../web/api/read.js'

/** Everything that pages and the API read. */
export type Queries = Views & ApiReader

/** What pages and the API read, from an open store. */
export function createQueries(store: Store, config: ViewConfig): Queries {
  const views = createViews(store, config)
  return { ...views, ...createApiReader(views, config) }
}
