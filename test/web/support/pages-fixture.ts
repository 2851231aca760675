import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { JobObserver, JobRunner } from '../../../jobs/contract.js'
import { createHandlers } from '../../../jobs/handlers.js'
import { createInProcessRunner } from '../../../jobs/queue/in-process-runner.js'
import { createAwardDesk } from '../../../src/cli/service/award-desk.js'
import { reportHandlers } from '../../../src/cli/service/run-service.js'
import { createQueueActions } from '../../../src/cli/service/web.js'
import { closingKillSwitch } from '../../../src/closing/kill-switch.js'
import type { Config } from '../../../src/config/contract.js'
import { createScrubber } from '../../../src/core/text/secret-scrubber.js'
import type { Marketplace } from '../../../src/marketplace/contract.js'
import { createQueries } from '../../../src/pool/queries.js'
import { type MakeReport, makeReportInProcess } from '../../../src/report-files/make-report.js'
import { recordReports } from '../../../src/report-files/recorded-reports.js'
import { findReport } from '../../../src/report-files/report-folder.js'
import { viewConfigOf } from '../../../src/tables/source.js'
import { pageRoutes } from '../../../src/web/pages/pages.js'
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
 * The pages of a channel, read from its store in this thread, with a queue in this process that closes RFQs. Reports are made
 * in a folder of their own.
 */
export async function openPages(
  fixture: ChannelFixture,
  {
    channels = testConfig().channels,
    closing: rules = testConfig().closing,
    ...options
  }: Partial<ServerOptions> & Partial<Pick<Config, 'channels' | 'closing'>> = {},
): Promise<PagesFixture> {
  const { store, now } = fixture
  const directory = testFolder()
  const { settings } = testConfig().reports
  const config = testConfig({ ...locationsOf(store), channels, closing: rules, reports: { directory, settings } })
  const unexpected = (error: unknown) => {
    throw error
  }
  const queries = createQueries(store, viewConfigOf(config))
  const reported: PagesFixture['reported'] = []
  const observer = {
    reportEnded: ({ seconds, ...report }: ReportEnded) => void reported.push({ ...report, measured: seconds > 0 }),
  }
  const makeReport = recordReports(makeReportInProcess(store, viewConfigOf(config)), {
    directory,
    store,
    onError: unexpected,
  })
  const { log, runner } = await openQueue(fixture, { config, makeReport, observer })
  const scrub = createScrubber(['a secret'])
  const closing = (await createQueueActions({ config, scrub, store: async () => store }))(runner)
  const { queue } = closing
  const app = await webApp({
    ...options,
    now,
    plugins: [
      pageRoutes({
        queries,
        channels: config.channels.map(({ key }) => key),
        now,
        settings,
        reports: { find: (name) => findReport(directory, name), queue },
        closing,
        awards: { ...createAwardDesk({ store, makeReport, now }), prepare: queries.prepareAward },
        system: { queue },
      }),
    ],
  })
  return { app, directory, log, runner, reported }
}

/** A queue in this process. Its closing rounds are those of the fixture, with the policy of the configuration. */
async function openQueue(
  fixture: ChannelFixture,
  {
    config,
    makeReport,
    observer,
  }: { config: Config; makeReport: MakeReport; observer: Pick<JobObserver, 'reportEnded'> },
): Promise<Pick<PagesFixture, 'log' | 'runner'>> {
  const log = recordingLog()
  const runner = createInProcessRunner({ concurrency: 2, log })
  onTestFinished(() => runner.close(0))
  const { store, now } = fixture
  const killSwitch = closingKillSwitch(config, store)
  const marketplace = { session: () => fixture.session() } as unknown as Marketplace
  await runner.work(
    createHandlers({
      ...{ config, store, marketplace, now, log, killSwitch },
      ...{ pollListings: () => fixture.pollListings(), pollRfqs: () => fixture.pollRfqs() },
      ...reportHandlers({ makeReport }, now),
      observer: { runEnded: () => undefined, runFailed: () => undefined, ...observer },
      enqueue: async () => 'job',
      closeExpired: (_context, policy) => fixture.closeExpired(policy, { stopped: killSwitch }),
    }),
  )
  return { log, runner }
}

export const pagesOf = async (fixture: ChannelFixture): Promise<FastifyInstance> => (await openPages(fixture)).app
