import type { HandlerDeps, ReportJobOptions } from '../../../jobs/handlers.js'
import type { ChannelConfig } from '../../config/contract.js'
import type { Clock } from '../../core/time/clock.js'
import type { App } from '../app.js'
import type { OpenMetrics } from './service-metrics.js'

/** The functions that the service's job handlers call: the use-cases, with the store and the marketplace they need. */
export async function createHandlerDeps(
  app: App,
  now: Clock,
  metrics: OpenMetrics | null = null,
): Promise<Omit<HandlerDeps, 'enqueue'>> {
  const { config, log } = app
  const [{ pollListings }, { pollRfqs }, { closeExpired }, { closingKillSwitch }] = await Promise.all([
    import('../../sync/poll.js'),
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
