import { closestMatches } from '../core/text/suggest.js'
import { createApiQueries } from '../views/api-queries.js'
import { type ApiReader, createApiReader } from '../web/api/read.js'

/** What reads an open database for the API. */
export function openApiReader(source: Parameters<typeof createApiQueries>[0]): ApiReader {
  const { channels, reports } = source.config
  return createApiReader({
    queries: createApiQueries(source),
    channels: channels.map(({ key }) => key),
    settings: reports.settings,
    suggest: (text, candidates) => closestMatches(text, candidates),
  })
}
