import { closestMatches } from '../core/text/suggest.js'
import type { ViewConfig } from '../tables/source.js'
import type { Views } from '../tables/views.js'
import { type ApiReader, createApiReader } from '../web/api/read.js'

/** What reads an open database for the API. */
export const openApiReader = (views: Views, { channels, reports }: ViewConfig): ApiReader =>
  createApiReader({
    views,
    channels: channels.map(({ key }) => key),
    settings: reports.settings,
    suggest: (text, candidates) => closestMatches(text, candidates),
  })
