import type { JobStatus } from '../../../jobs/contract.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { createFindClosingBlocker } from '../../closing/kill-switch.js'
import type { Clock } from '../../core/time/clock.js'
import type { Readiness } from '../../readiness/readiness.js'
import { findReport } from '../../report-files/report-folder.js'
import { reportPath } from '../../tables/page-paths.js'
import type { JobStatusView } from '../../web/api/actions.js'
import { type ApiOptions, apiRoutes } from '../../web/api/api-routes.js'
import { pageRoutes } from '../../web/pages/pages.js'
import type { WebPlugin } from '../../web/plugin.js'
import { healthRoutes } from '../../web/routes/health.js'
import { startWebServer } from '../../web/server.js'
import type { App } from '../app.js'
import { operatorName } from '../input/options.js'
import { createAwardDesk } from './award-desk.js'

/** A part of the web server that shows the queue, which is opened before it. */
export type ServicePlugin = (queue: ServiceQueue) => WebPlugin

/**
 * Creates the function that starts the service's web server.
 * @param plugins what it serves besides health
 */
export const webServerStarter =
  (
    { config, log, scrub }: Pick<App, 'config' | 'log' | 'scrub'>,
    now: Clock,
    { port, plugins }: { port: number; plugins: readonly ServicePlugin[] },
  ) =>
  (readiness: Readiness, queue: ServiceQueue) => {
    // Errors of libraries may quote what they were given.
    const safeReadiness: Readiness = async () =>
      (await readiness()).map((check) => ({ ...check, message: scrub(check.message) }))
    return startWebServer({
      ...config.web,
      ...{ port, localUser: operatorName(), now, onError: errorLog({ log }) },
      plugins: [healthRoutes(safeReadiness), ...plugins.map((plugin) => plugin(queue))],
    })
  }

/** The web page and the HTTP API of the service. */
export async function createPages(app: App, now: Clock): Promise<ServicePlugin> {
  const { config, makeReport } = app
  const store = await app.store()
  const { queries } = await app.pool()
  const awards = { ...createAwardDesk({ store, makeReport, now }), prepare: queries.prepareAward }
  const findBlocker = createFindClosingBlocker(config, store)
  return (queue) => async (scope) => {
    const shared = {
      channels: config.channels.map(({ key }) => key),
      settings: config.reports.settings,
      ...{ now, awards, queue: queueOfUsers(queue, app) },
    }
    await pageRoutes({ ...shared, queries, findReport: (name) => findReport(config.reports.directory, name) })(scope)
    await apiRoutes({
      ...{ ...shared, reader: queries, onError: errorLog(app) },
      async closingObstacle(key) {
        const mode = config.channels.find((channel) => channel.key === key)?.autoClose
        return mode === 'on' || mode === 'dry-run' ? findBlocker(key) : `${key} has autoClose: off`
      },
    })(scope)
  }
}

const errorLog =
  ({ log }: Pick<App, 'log'>) =>
  (error: unknown) =>
    log.error({ err: error }, 'HTTP request failed')

/** What users put on the queue, on pages and over the API, and what becomes of it. */
const queueOfUsers = (queue: ServiceQueue, { scrub }: App): ApiOptions['queue'] => ({
  enqueue: ({ name, payload }) => queue.enqueue(name, payload),
  async status(id) {
    const status = await queue.job(id)
    return status === null ? null : toView(status, scrub)
  },
})

function toView({ id, payload, ...status }: JobStatus, scrub: App['scrub']): JobStatusView {
  const { channel, rfqId = null, asOf = null } = payload
  // Errors of libraries may quote what they were given.
  const error = status.error && scrub(status.error)
  return { job: id, channel, rfqId, asOf, ...status, error, reportHref: status.report && reportPath(status.report) }
}
