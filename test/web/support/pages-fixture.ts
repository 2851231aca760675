import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { JobHandlers, JobObserver, JobRunner } from '../../../jobs/contract.js'
import { createHandlers } from '../../../jobs/handlers.js'
import { createInProcessRunner } from '../../../jobs/queue/in-process-runner.js'
import type { App } from '../../../src/cli/app.js'
import { createPages } from '../../../src/cli/service/web.js'
import { closingKillSwitch } from '../../../src/closing/kill-switch.js'
import type { Config } from '../../../src/config/contract.js'
import { createScrubber } from '../../../src/core/text/secret-scrubber.js'
import type { Marketplace } from '../../../src/marketplace/contract.js'
import { createQueries } from '../../../src/pool/queries.js'
import { makeReportInProcess } from '../../../src/report-files/make-report.js'
import { recordReports } from '../../../src/report-files/report-folder.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import type { ServerOptions } from '../../../src/web/server.js'
import type { ChannelFixture } from '../../helpers/channel-fixture.js'
import { type RecordingLog, recordingLog } from '../../helpers/recording-log.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'
import { testFolder } from '../../helpers/test-folder.js'
import { webApp } from './web-app.js'

interface PagesFixture {
  app: FastifyInstance
  /** The folder of the reports. */
  directory: string
  /** What jobs logged. */
  log: RecordingLog
  runner: JobRunner
  /** The reports that were measured. */
  reported: { report: 'rfq' | 'channel'; succeeded: boolean; measured: boolean }[]
}

type ReportEnded = Parameters<JobObserver['reportEnded']>[0]

/**
 * The pages and the HTTP API of a channel, read from its store in this thread, with a queue in this process. Reports are made in a
 * folder of their own.
 * @param options.handlers what does the jobs; null: nothing. By default, rounds of the fixture with the policy of the configuration
 */
export async function openPages(
  fixture: ChannelFixture,
  {
    channels = testConfig().channels,
    closing = testConfig().closing,
    schedule = testConfig().schedule,
    handlers,
    ...options
  }: Partial<ServerOptions> &
    Partial<Pick<Config, 'channels' | 'closing' | 'schedule'>> & { handlers?: JobHandlers | null } = {},
): Promise<PagesFixture> {
  const { store, now } = fixture
  const directory = testFolder()
  const { settings } = testConfig().reports
  const config = testConfig({ ...locationsOf(store), channels, closing, schedule, reports: { directory, settings } })
  const makeReport = recordReports(makeReportInProcess(store, viewConfigOf(config)), directory, store)
  const reported: PagesFixture['reported'] = []
  const log = recordingLog()
  const runner = createInProcessRunner({ concurrency: 2, log })
  onTestFinished(() => runner.close(0))
  const killSwitch = closingKillSwitch(config, store)
  const rounds = createHandlers({
    ...{ config, store, now, log, killSwitch },
    marketplace: { session: () => fixture.session() } as unknown as Marketplace,
    ...{ pollListings: () => fixture.pollListings(), pollRfqs: () => fixture.pollRfqs() },
    makeReport,
    observer: {
      runEnded: () => undefined,
      runFailed: () => undefined,
      reportEnded: ({ seconds, ...report }: ReportEnded) => void reported.push({ ...report, measured: seconds > 0 }),
    },
    enqueue: async () => 'job',
    closeExpired: (_context, policy) => fixture.closeExpired(policy, { stopped: killSwitch }),
  })
  if (handlers !== null) await runner.work(handlers ?? rounds)
  const service = {
    ...{ config, log, makeReport, scrub: createScrubber(['a secret', 'key of acme']) },
    store: async () => store,
    pool: async () => ({ queries: createQueries(store, viewConfigOf(config)) }),
  } as unknown as App
  const plugin = (await createPages(service, now))(runner)
  return { app: await webApp({ ...options, now, plugins: [plugin] }), directory, log, runner, reported }
}

export const pagesOf = async (fixture: ChannelFixture): Promise<FastifyInstance> => (await openPages(fixture)).app
