import type { FastifyInstance } from 'fastify'
import { apiConfigOf } from '../../src/cli/api/api-queries.js'
import { createThreadQueries } from '../../src/cli/pages/thread-queries.js'
import { DEFAULT_SETTINGS } from '../../src/domain/comparison/settings.js'
import { pageRoutes } from '../../src/web/pages/pages.js'
import type { ChannelFixture } from '../helpers/channel-fixture.js'
import { testConfig } from '../helpers/test-config.js'
import { webApp } from './web-app.js'

/** The pages of a channel, read from its store in this thread. */
export async function pagesOf({ store, now }: ChannelFixture): Promise<FastifyInstance> {
  const queries = createThreadQueries(store, apiConfigOf(testConfig()))
  return webApp({ now, plugins: [pageRoutes({ queries, now, settings: DEFAULT_SETTINGS })] })
}
