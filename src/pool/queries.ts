import type { ViewConfig, ViewStore } from '../tables/source.js'
import { createViews, type Views } from '../tables/views.js'
import { type ApiReader, createApiReader } from '../web/api/read.js'

/** Everything that pages and the API read. */
export type Queries = Views & ApiReader

/** What pages and the API read, from an open store. */
export function createQueries(store: ViewStore, config: ViewConfig): Queries {
  const views = createViews(store, config)
  return { ...views, ...createApiReader(views, config) }
}
