import type { JobObserver } from '../../../jobs/contract.js'
import { startService } from '../../../jobs/service.js'
import { closeExpired } from '../../closing/closing-round.js'
import { closingKillSwitch } from '../../closing/kill-switch.js'
import type { Clock } from '../../core/time/clock.js'
import { createServiceMetrics } from '../../metrics/service-metrics.js'
import { createSendMessage } from '../../notify/send-message.js'
import { createPollChecks } from '../../readiness/poll-freshness.js'
import { openDatabaseReader } from '../../store/open-database.js'
import { pollListings } from '../../sync/poll.js'
import { pollRfqs } from '../../sync/poll-rfqs.js'
import { VERSION } from '../../version.js'
import { metricsRoute } from '../../web/routes/metrics.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { untilStopped } from '../runs/stop-signals.js'
import { keepFigures } from './keep-figures.js'
import { createMaintenanceJobs } from './maintenance-jobs.js'
import { createPages, type ServicePlugin, webServerStarter } from './web.js'

interface ServiceParts {
  schedule: boolean
  /** Null: no web server. */
  port: number | null
  /** Whether the web server serves pages, besides health. */
  pages: boolean
}

/** Runs the service, or some parts of it, until SIGINT or SIGTERM. Without a port it answers no HTTP requests. */
export async function runService({ io }: Cli, app: App, { port, pages, schedule }: ServiceParts): Promise<void> {
  const { config, log, scrub } = app
  const store = await app.store()
  const metrics = port === null ? null : await openMetrics(app, io.now)
  const plugins = [...(metrics === null ? [] : [metrics.plugin]), ...(pages ? [await createPages(app, io.now)] : [])]
  app.onClose(await keepFigures(app, io.now))
  const service = await startService({
    ...{ config, store, log, now: io.now, schedule },
    marketplace: await app.marketplace(metrics?.requestObserver),
    ...{ pollListings, pollRfqs, closeExpired, killSwitch: closingKillSwitch(config, store) },
    makeReport: app.makeReport,
    ...(metrics && { observer: metrics.jobObserver }),
    maintenance: createMaintenanceJobs(app, io.now),
    send: createSendMessage({ reportsDirectory: config.reports.directory, scrub }),
    serveWeb: port === null ? null : webServerStarter(app, io.now, { port, plugins }),
  })
  app.onClose(() => service.stop())
  const channels = Object.fromEntries(config.channels.map(({ key, autoClose }) => [key, autoClose]))
  const facts = { version: VERSION, queue: config.queue.kind, database: store.name, channels }
  log.info({ ...facts, ...(service.url === null ? {} : { url: service.url }) }, 'quotekeeper started')
  await untilStopped(io.stop)
  log.info('quotekeeper stopping')
}

/** Creates the metrics of the service, which read the database through a connection of their own, and what feeds them. */
async function openMetrics({ config, log, onClose }: App, now: Clock) {
  const reader = await openDatabaseReader(config.database)
  onClose(() => reader.close())
  const { activity, exposeWith } = createServiceMetrics({ version: VERSION })
  const killSwitch = closingKillSwitch(config, reader)
  const sources = {
    ...{ reader, channels: config.channels, pollChecks: createPollChecks(config, reader) },
    targets: config.notify.targets.map(({ name }) => name),
    closingStopped: async () => (await killSwitch()) !== null,
  }
  const onError = (error: unknown) => log.warn({ err: error }, 'a source of the metrics could not be read')
  const countVersions = async ({ id, channel }: { id: number; channel: string }) => {
    activity.versionsWritten(channel, await reader.recordedVersions(id))
  }
  const jobObserver: JobObserver = {
    ...activity,
    runEnded(result) {
      activity.runEnded(result)
      countVersions(result.run).catch(onError)
    },
  }
  const plugin: ServicePlugin = (queue) =>
    metricsRoute(exposeWith({ ...sources, queue: () => queue.load() }, { now, onError }))
  return { requestObserver: activity.requestEnded, jobObserver, plugin }
}
