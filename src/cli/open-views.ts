import type { Store } from '../store/contract.js'
import type { Views } from '../tables/views.js'
import type { App } from './app.js'

/** What is shown of a database: what pages and the API show too. */
export async function openViews({ config }: Pick<App, 'config'>, store: Store): Promise<Views> {
  const [{ createViews }, { viewConfigOf }] = await Promise.all([
    import('../tables/views.js'),
    import('../tables/source.js'),
  ])
  return createViews(store, viewConfigOf(config))
}
