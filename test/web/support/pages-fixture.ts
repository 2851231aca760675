import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { JobHandlers } from '../../../jobs/contract.js'
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
import { recordingLog } from '../../helpers/recording-log.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'
import { testFolder } from '../../helpers/test-folder.js'
import { webApp } from './web-server.js'

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
) {
  const { store, now } = fixture
  const directory = testFolder()
  const { settings } = testConfig().reports
  const config = testConfig({ ...locationsOf(store), channels, closing, schedule, reports: { directory, settings } })
  const makeReport = recordReports(makeReportInProcess(store, viewConfigOf(config)), directory, store)
  const log = recordingLog()
  const runner = createInProcessRunner({ concurrency: 2, log })
  onTestFinished(() => runner.close(0))
  const killSwitch = closingKillSwitch(config, store)
  const rounds = createHandlers({
    ...{ config, store, now, log, killSwitch },
    marketplace: { session: () => fixture.session() } as unknown as Marketplace,
    ...{ pollListings: () => fixture.pollListings(), pollRfqs: () => fixture.pollRfqs() },
    makeReport,
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
  return { app: await webApp({ ...options, now, plugins: [plugin] }), log, runner }
}

/** Sends a form, as a browser does from a page of the server. */
export function sendForm(app: FastifyInstance, url: string, fields: Record<string, string>, headers = {}) {
  return app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  })
}

/** The notices in which a page answers what was asked for. */
export const notices = (body: string): string[] =>
  [...body.matchAll(/<p class="notice[^"]*"[^>]*>(.*?)<\/p>/g)].map(([, text = '']) => text.replaceAll('&quot;', '"'))

/** Every page that is not about one RFQ or offer, of the channel `acme/forest`. */
export const APPLICATION_PAGES = [
  '/',
  '/rfqs',
  '/awards',
  '/changes',
  '/listings',
  '/reports',
  '/system',
  '/closings',
] as const
