import type { JobStatus } from '../../../jobs/contract.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { createFindClosingBlocker } from '../../closing/kill-switch.js'
import { scrubError } from '../../core/text/secret-scrubber.js'
import type { Clock } from '../../core/time/clock.js'
import type { Readiness } from '../../readiness/readiness.js'
import { findReport } from '../../report-files/report-folder.js'
import { reportPath } from '../../tables/page-paths.js'
import type { ActionDeps, JobStatusView } from '../../web/api/actions.js'
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
      ...{ port, localUser: operatorName(), now, onError: sharedDeps({ config, log }).onError },
      plugins: [healthRoutes(safeReadiness), ...plugins.map((plugin) => plugin(queue))],
    })
  }

/** The web page and the HTTP API of the service. */
export async function createPages(app: App, now: Clock): Promise<ServicePlugin> {
  const { config, makeReport } = app
  const store = await app.store()
  const { queries } = await app.pool()
  const awards = { ...createAwardDesk({ store, makeReport, now }), prepare: queries.prepareAward }
  const api = createApi(app, { reader: queries, now, awards })
  const actionsOn = createQueueActions(app)
  return (open) => async (scope) => {
    const actions = actionsOn(open)
    const { queue } = actions
    const reports = { find: (name: string) => findReport(config.reports.directory, name), queue }
    const deps = { ...sharedDeps(app), queries, now, awards, closing: actions, reports }
    await pageRoutes({ ...deps, system: { queue } })(scope)
    await api(actions)(scope)
  }
}

const sharedDeps = ({ config, log }: Pick<App, 'config' | 'log'>) => ({
  channels: config.channels.map(({ key }) => key),
  settings: config.reports.settings,
  onError: (error: unknown) => log.error({ err: error }, 'HTTP request failed'),
})

/** The HTTP API of the service, for the queue once that is open. */
export const createApi =
  (app: Pick<App, 'config' | 'log'>, deps: Pick<ApiOptions, 'reader' | 'now' | 'awards'>) =>
  (actions: QueueActions): WebPlugin =>
    apiRoutes({ ...sharedDeps(app), ...deps, ...actions })

/** What users put on the queue, on pages and over the API, and what becomes of it. */
type QueueActions = Pick<ActionDeps, 'queue' | 'closingObstacle'>

/** What users can put on the queue, once that is open. */
export const createQueueActions =
  ({ config, scrub, store }: Pick<App, 'config' | 'scrub' | 'store'>) =>
  (queue: ServiceQueue): QueueActions => ({
    queue: {
      enqueue: ({ name, payload }) => queue.enqueue(name, payload),
      async status(id) {
        const status = await queue.job(id)
        // Errors of libraries may quote what they were given.
        return status === null ? null : scrubError(toView(status), scrub)
      },
    },
    async closingObstacle(key) {
      const mode = config.channels.find((channel) => channel.key === key)?.autoClose
      if (mode !== 'on' && mode !== 'dry-run') return `${key} has autoClose: off`
      return createFindClosingBlocker(config, await store())(key)
    },
  })

function toView({ id, payload, ...status }: JobStatus): JobStatusView {
  const { channel, rfqId = null, asOf = null } = payload
  return { job: id, channel, rfqId, asOf, ...status, reportHref: status.report && reportPath(status.report) }
}
