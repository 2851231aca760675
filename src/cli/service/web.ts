import type { JobStatus } from '../../../jobs/contract.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { scrubError } from '../../core/text/secret-scrubber.js'
import type { Clock } from '../../core/time/clock.js'
import type { Readiness } from '../../readiness/contract.js'
import { reportPath } from '../../tables/page-paths.js'
import type { ActionDeps, JobStatusView } from '../../web/api/actions.js'
import type { ApiOptions } from '../../web/api/api-routes.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import { operatorName } from '../input/operator-name.js'
import { createAwardDesk } from './award-desk.js'
import type { OpenMetrics } from './service-metrics.js'

interface WebOptions {
  port?: number
  metrics?: OpenMetrics | null
  /** What it serves besides health and metrics. Default nothing. */
  plugins?: readonly ((queue: ServiceQueue) => WebPlugin)[]
}

/** Creates the function that starts the service's web server. */
export const webServerStarter =
  (
    { config, log, scrub }: Pick<App, 'config' | 'log' | 'scrub'>,
    now: Clock,
    { port = config.web.port, metrics = null, plugins = [] }: WebOptions = {},
  ) =>
  async (readiness: Readiness, runner: ServiceQueue) => {
    const [{ startWebServer }, { healthRoutes }] = await Promise.all([
      import('../../web/server.js'),
      import('../../web/routes/health.js'),
    ])
    // Errors of libraries may quote what they were given.
    const safeReadiness: Readiness = async () =>
      (await readiness()).map((check) => ({ ...check, message: scrub(check.message) }))
    const all = [healthRoutes(safeReadiness), ...(metrics === null ? [] : [metrics.routes(runner)])]
    return startWebServer({
      ...config.web,
      port,
      localUser: operatorName(),
      now,
      plugins: [...all, ...plugins.map((plugin) => plugin(runner))],
      onError: sharedDeps({ config, log }).onError,
    })
  }

/** The web page and the HTTP API of the service. */
export async function createPages(app: App, now: Clock): Promise<(queue: ServiceQueue) => WebPlugin> {
  const [{ pageRoutes }, { findReport }] = await Promise.all([
    import('../../web/pages/pages.js'),
    import('../../report-files/report-folder.js'),
  ])
  const { config, makeReport } = app
  const store = await app.store()
  const { queries } = await app.pool()
  const awards = { ...createAwardDesk({ store, makeReport, now }), prepare: queries.prepareAward }
  const api = await createApi(app, { reader: queries, now, awards })
  const actionsOn = await createQueueActions(app)
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
export async function createApi(
  app: Pick<App, 'config' | 'log'>,
  deps: Pick<ApiOptions, 'reader' | 'now' | 'awards'>,
): Promise<(actions: QueueActions) => WebPlugin> {
  const { apiRoutes } = await import('../../web/api/api-routes.js')
  return (actions) => apiRoutes({ ...sharedDeps(app), ...deps, ...actions })
}

/** What users put on the queue, on pages and over the API, and what becomes of it. */
type QueueActions = Pick<ActionDeps, 'queue' | 'closingObstacle'>

/** What users can put on the queue, once that is open. */
export async function createQueueActions({
  config,
  scrub,
  store,
}: Pick<App, 'config' | 'scrub' | 'store'>): Promise<(queue: ServiceQueue) => QueueActions> {
  const { createFindClosingBlocker } = await import('../../closing/closing-blockers.js')
  const closingObstacle = async (key: string) => {
    const mode = config.channels.find((channel) => channel.key === key)?.autoClose
    if (mode !== 'on' && mode !== 'dry-run') return `${key} has autoClose: off`
    return createFindClosingBlocker(config, await store())(key)
  }
  return (queue) => ({
    queue: {
      enqueue: ({ name, payload }) => queue.enqueue(name, payload),
      async status(id) {
        const status = await queue.job(id)
        // Errors of libraries may quote what they were given.
        return status === null ? null : scrubError(toView(status), scrub)
      },
    },
    closingObstacle,
  })
}

function toView({ id, payload, result, ...status }: JobStatus): JobStatusView {
  const { name, state, addedAt, finishedAt, error } = status
  const { channel, rfqId = null, asOf = null } = payload
  const report = result?.report ?? null
  const job = { job: id, name, channel, rfqId, asOf, state, addedAt, finishedAt, error }
  return { ...job, report, reportHref: report && reportPath(report) }
}
