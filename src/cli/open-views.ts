import type { Store } from '../store/contract.js'
import { viewConfigOf } from '../tables/source.js'
import { createViews, type Views } from '../tables/views.js'
import type { App } from './app.js'

/** What is shown of a database: what pages and the API show too. */
export const openViews = ({ config }: Pick<App, 'config'>, store: Store): Views =>
  createViews(store, viewConfigOf(config))
