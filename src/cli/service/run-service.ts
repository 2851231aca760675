import { VERSION } from '../../version.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { untilStopped } from '../runs/stop-signals.js'
import { createHandlerDeps } from './handler-deps.js'
import { createMaintenanceJobs } from './maintenance-jobs.js'
import { openServiceMetrics } from './service-metrics.js'
import { createPages, webServerStarter } from './web.js'

interface ServiceParts {
  work: boolean
  schedule: boolean
  /** Null: no web server. */
  port: number | null
  /** Whether the web server serves pages, besides health. */
  pages: boolean
}

/** Runs the service, or some parts of it, until SIGINT or SIGTERM. Without a port it answers no HTTP requests. */
export async function runService({ io }: Cli, app: App, { port, pages, ...parts }: ServiceParts): Promise<void> {
  const { startService } = await import('../../../jobs/service.js')
  const { config, log, scrub } = app
  const metrics = port === null ? null : await openServiceMetrics(app, io.now)
  const plugins = pages ? [await createPages(app, io.now)] : []
  const { keepFigures } = await import('./keep-figures.js')
  app.onClose(await keepFigures(app, io.now))
  const serveWeb = port === null ? null : webServerStarter(app, io.now, { port, metrics, plugins })
  const maintenance = parts.schedule ? await createMaintenanceJobs(app, io.now) : []
  const deps = await createHandlerDeps(app, io.now, metrics)
  const { createSendMessage } = await import('../../notify/send-message.js')
  const notifications = { send: createSendMessage({ reportsDirectory: config.reports.directory }), scrub }
  const service = await startService({
    ...deps,
    ...parts,
    maintenance,
    notifications,
    serveWeb,
  })
  app.onClose(() => service.stop())
  const channels = Object.fromEntries(config.channels.map(({ key, autoClose }) => [key, autoClose]))
  const database = (await app.store()).name
  const facts = { version: VERSION, queue: config.queue.kind, database, channels }
  log.info({ ...facts, ...(service.url === null ? {} : { url: service.url }) }, 'quotekeeper started')
  await untilStopped(io.stop)
  log.info('quotekeeper stopping')
}
