import type { JobObserver, JobRunner } from '../../../jobs/contract.js'
import type { Clock } from '../../core/time/clock.js'
import type { RequestObserver } from '../../marketplace/contract.js'
import { VERSION } from '../../version.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'

/** The metrics of a running service, and what feeds them. */
export interface OpenMetrics {
  requestObserver: RequestObserver
  jobObserver: JobObserver
  /** Adds `GET /metrics` to the web server. */
  routes(runner: Pick<JobRunner, 'load'>): WebPlugin
}

/** Creates the metrics of the service, which read the database through a connection of their own. */
export async function openServiceMetrics(app: App, now: Clock): Promise<OpenMetrics> {
  const [
    { createServiceMetrics },
    { metricsRoute },
    { openDatabaseReader },
    { createPollChecks },
    { closingKillSwitch },
  ] = await Promise.all([
    import('../../metrics/service-metrics.js'),
    import('../../web/routes/metrics.js'),
    import('../../store/open-database.js'),
    import('../../readiness/poll-freshness.js'),
    import('../../closing/kill-switch.js'),
  ])
  const { config, log } = app
  await app.store() // Creates the database, if there is none.
  const reader = await openDatabaseReader(config.database)
  app.onClose(() => reader.close())
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
  return {
    requestObserver: activity.requestEnded,
    jobObserver: {
      ...activity,
      runEnded(result) {
        activity.runEnded(result)
        countVersions(result.run).catch(onError)
      },
    },
    routes: (runner) => metricsRoute(exposeWith({ ...sources, queue: () => runner.load() }, { now, onError })),
  }
}
