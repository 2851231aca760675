import { closestMatches } from '../../core/suggest.js'
import { type ApiReader, createApiReader } from '../../web/api/read.js'
import { createApiQueries } from './api-queries.js'

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
