import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import type { Io } from '../process-io.js'
import { pageConfigOf } from './page-queries.js'

/** The web page of the service. What it reads in is closed with the app. */
export async function createPages(
  app: App,
  { now, pageThreadScript }: Pick<Io, 'now' | 'pageThreadScript'>,
): Promise<WebPlugin> {
  const { pageRoutes } = await import('../../web/pages/pages.js')
  return pageRoutes({ queries: await openQueries(app, pageThreadScript), now })
}

async function openQueries(app: App, script: URL | null) {
  const config = pageConfigOf(app.config)
  if (script === null)
    return (await import('./page-queries.js')).createPageQueries({ store: await app.store(), config })
  const { queryInThread } = await import('./page-client.js')
  const { queries, close } = queryInThread(script, { database: app.config.database, config })
  app.onClose(close)
  return queries
}
