import { onTestFinished } from 'vitest'
import type { JobHandlers } from '../../../jobs/contract.js'
import { createInProcessRunner } from '../../../jobs/queue/in-process-runner.js'
import { createAwardDesk } from '../../../src/cli/service/award-desk.js'
import { createApi, createQueueActions } from '../../../src/cli/service/web.js'
import { createScrubber } from '../../../src/core/text/secret-scrubber.js'
import { createQueries } from '../../../src/pool/queries.js'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { type ChannelFixture, KEY } from '../../helpers/channel-fixture.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { locationsOf, openReaderOf } from '../../helpers/store/store-engine.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'
import { webApp } from './web-app.js'

/** The API over the database of a fixture, with a queue in this process. Its channel `acme/peat` closes nothing. */
export async function openApiApp(
  fixture: ChannelFixture,
  { handlers, ...options }: Partial<ServerOptions> & { handlers?: JobHandlers } = {},
) {
  const store = await openReaderOf(fixture.store)
  const runner = createInProcessRunner({ concurrency: 1, log: recordingLog() })
  onTestFinished(async () => {
    await runner.close(0)
    await store.close()
  })
  if (handlers) await runner.work(handlers)
  const config = testConfig({
    ...locationsOf(fixture.store),
    channels: [channelConfig(KEY), channelConfig('acme/peat', { autoClose: 'off' })],
  })
  const views = viewConfigOf(config)
  const reader = createQueries(store, views)
  const scrub = createScrubber(['a secret', 'key of acme'])
  const makeReport = makeReportInProcess(fixture.store, views)
  const desk = createAwardDesk({ store: fixture.store, makeReport, now: fixture.now })
  const createRoutes = await createApi(
    { config, log: recordingLog() as never },
    { reader, now: fixture.now, awards: { ...desk, prepare: reader.prepareAward } },
  )
  const actions = (await createQueueActions({ config, scrub, store: async () => fixture.store }))(runner)
  return { app: await webApp({ plugins: [createRoutes(actions)], now: fixture.now, ...options }), runner }
}
