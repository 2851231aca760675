import type { HandlerDeps, ReportJobOptions } from '../../../jobs/handlers.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import type { ChannelConfig } from '../../config/contract.js'
import type { Clock } from '../../core/time/clock.js'
import type { Readiness } from '../../readiness/contract.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import { operatorName } from '../input/operator-name.js'
import type { OpenMetrics } from './service-metrics.js'

/** The functions that the service's job handlers call: the use-cases, with the store and the marketplace they need. */
export async function createHandlerDeps(
  app: App,
  now: Clock,
  metrics: OpenMetrics | null = null,
): Promise<Omit<HandlerDeps, 'enqueue'>> {
  const { config, log } = app
  const [{ pollListings }, { pollRfqs }, { closeExpired }, { closingKillSwitch }] = await Promise.all([
    import('../../sync/poll-listings.js'),
    import('../../sync/poll-rfqs.js'),
    import('../../closing/closing-round.js'),
    import('../../closing/kill-switch.js'),
  ])
  const store = await app.store()
  const marketplace = await app.marketplace(metrics?.requestObserver)
  const work = {
    pollListings,
    pollRfqs,
    closeExpired,
    killSwitch: closingKillSwitch(config, store),
    ...reportHandlers(app, now),
  }
  return { config, store, marketplace, now, log, ...work, ...(metrics && { observer: metrics.jobObserver }) }
}

/** Makes the reports of jobs. */
export function reportHandlers(
  { makeReport }: Pick<App, 'makeReport'>,
  now: Clock,
): Pick<HandlerDeps, 'rfqReport' | 'channelReport'> {
  const make = async (
    { key: channel }: ChannelConfig,
    { signal, ...options }: ReportJobOptions,
    about: { rfqId?: string } = {},
  ): Promise<string> => (await makeReport({ channel, now: now(), ...options, ...about }, { signal })).path
  return { rfqReport: (channel, rfqId, options) => make(channel, options, { rfqId }), channelReport: make }
}

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
    const onError = (error: unknown) => log.error({ err: error }, 'HTTP request failed')
    const all = [healthRoutes(safeReadiness), ...(metrics === null ? [] : [metrics.routes(runner)])]
    return startWebServer({
      ...config.web,
      port,
      localUser: operatorName(),
      now,
      plugins: [...all, ...plugins.map((plugin) => plugin(runner))],
      onError,
    })
  }
