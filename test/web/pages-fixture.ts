import type { FastifyInstance } from 'fastify'
import { apiConfigOf } from '../../src/cli/api/api-queries.js'
import { createReportMaker } from '../../src/cli/pages/report-maker.js'
import { createThreadQueries } from '../../src/cli/pages/thread-queries.js'
import { closestMatches } from '../../src/config/suggest.js'
import { makeReportInProcess } from '../../src/reporting/make-report.js'
import { findReport, listReports } from '../../src/reporting/report-folder.js'
import { pageRoutes } from '../../src/web/pages/pages.js'
import { createReportJobs } from '../../src/web/reports/report-jobs.js'
import type { ServerOptions } from '../../src/web/server.js'
import type { ChannelFixture } from '../helpers/channel-fixture.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'
import { webApp } from './web-app.js'

interface PagesFixture {
  app: FastifyInstance
  /** The folder of the reports. */
  directory: string
}

/** The pages of a channel, read from its store in this thread. Reports are made in a folder of their own. */
export async function openPages(
  { store, now }: ChannelFixture,
  options: Partial<ServerOptions> = {},
): Promise<PagesFixture> {
  const directory = testFolder()
  const { settings } = testConfig().reports
  const config = testConfig({ reports: { directory, settings } })
  const queries = createThreadQueries(store, apiConfigOf(config))
  const make = createReportMaker({ config, makeReport: makeReportInProcess(store) }, now)
  const reports = {
    jobs: createReportJobs(make, (error) => (error as Error).message),
    files: () => listReports(directory),
    find: (name: string) => findReport(directory, name),
  }
  const onError = (error: unknown) => {
    throw error
  }
  const app = await webApp({
    ...options,
    now,
    plugins: [pageRoutes({ queries, now, settings, suggest: closestMatches, reports, onError })],
  })
  return { app, directory }
}

export const pagesOf = async (fixture: ChannelFixture): Promise<FastifyInstance> => (await openPages(fixture)).app
