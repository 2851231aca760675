import type { Store } from '../store/contract.js'
import type { Views } from '../views/views.js'
import type { App } from './app.js'

/** What is shown of a database: what pages and the API show too. */
export async function openViews({ config }: Pick<App, 'config'>, store: Store): Promise<Views> {
  const [{ createViews }, { viewConfigOf }] = await Promise.all([
    import('../views/views.js'),
    import('../views/source.js'),
  ])
  return createViews(store, viewConfigOf(config))
}
