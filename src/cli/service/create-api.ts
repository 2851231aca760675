import type { ApiOptions } from '../../web/api/api-routes.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import type { QueueActions } from './queue-actions.js'

/** The HTTP API of the service, for the queue once that is open. */
export async function createApi(
  { config, log }: Pick<App, 'config' | 'log'>,
  { reader, now, awards, retryDeliveries }: Pick<ApiOptions, 'reader' | 'now' | 'awards' | 'retryDeliveries'>,
): Promise<(actions: QueueActions) => WebPlugin> {
  const { apiRoutes } = await import('../../web/api/api-routes.js')
  return (actions) =>
    apiRoutes({
      ...actions,
      reader,
      now,
      awards,
      settings: config.reports.settings,
      retryDeliveries,
      channels: config.channels.map(({ key }) => key),
      onError: (error) => log.error({ err: error }, 'HTTP request failed'),
    })
}
