import type { ServiceQueue } from '../../../jobs/service.js'
import type { RedeliveryFilter } from '../../core/events/deliveries.js'
import type { Clock } from '../../core/time/clock.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import { createAwardDesk } from './award-desk.js'
import { createApi } from './create-api.js'
import { createQueueActions, type QueueActions } from './queue-actions.js'

/** The web page and the HTTP API of the service. */
export async function createPages(app: App, now: Clock): Promise<(queue: ServiceQueue) => WebPlugin> {
  const { pageRoutes } = await import('../../web/pages/pages.js')
  const { queries } = await app.pool()
  const { keepRecommendations } = await import('./keep-recommendations.js')
  const compute = queries.computeRecommendations
  app.onClose(keepRecommendations({ app, store: await app.store(), now, command: 'start', compute }))
  const { findReport } = await import('../../report-files/report-folder.js')
  const { config, makeReport } = app
  const store = await app.store()
  const desk = createAwardDesk({ store, makeReport, now })
  const awards = { ...desk, prepare: queries.prepareAward }
  const retryDeliveries = (which: RedeliveryFilter) => store.retryDeliveries(which, now())
  const pages = (actions: QueueActions) =>
    pageRoutes({
      queries,
      channels: app.config.channels.map(({ key }) => key),
      now,
      settings: app.config.reports.settings,
      reports: { find: (name) => findReport(config.reports.directory, name), queue: actions.queue },
      closing: actions,
      awards,
      system: { retryDeliveries, queue: actions.queue },
      onError: (error) => app.log.error({ err: error }, 'HTTP request failed'),
    })
  const api = await createApi(app, { reader: queries, now, awards, retryDeliveries })
  const actionsOn = await createQueueActions(app, now)
  return (queue) => async (scope) => {
    const actions = actionsOn(queue)
    await pages(actions)(scope)
    await api(actions)(scope)
  }
}
