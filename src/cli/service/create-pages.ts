import type { JobObserver } from '../../../jobs/contract.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { closestMatches } from '../../core/text/suggest.js'
import type { Clock } from '../../core/time/clock.js'
import { asUser } from '../../pool/current-user.js'
import type { Queries } from '../../pool/queries.js'
import type { NotificationsDeps } from '../../web/pages/operation/notifications-page.js'
import type { ReportsDeps } from '../../web/pages/operation/reports-page.js'
import type { WebPlugin } from '../../web/plugin.js'
import type { App } from '../app.js'
import { createAwardDesk } from './award-desk.js'
import { createApi } from './create-api.js'
import { createQueueActions, type QueueActions } from './queue-actions.js'

/** The web page and the HTTP API of the service. */
export async function createPages(
  app: App,
  now: Clock,
  observer?: Pick<JobObserver, 'reportEnded'>,
): Promise<(queue: ServiceQueue) => WebPlugin> {
  const { pageRoutes } = await import('../../web/pages/pages.js')
  const { queries } = await app.pool()
  const { keepRecommendations } = await import('./keep-recommendations.js')
  const compute: Queries['computeRecommendations'] = (...args) =>
    asUser('recommendations', () => queries.computeRecommendations(...args))
  app.onClose(keepRecommendations({ app, store: await app.store(), now, command: 'start', compute }))
  const reports = await createReports(app, now, observer)
  const { config, makeReport } = app
  const desk = createAwardDesk({ store: await app.store(), config, makeReport, now })
  const awards = { ...desk, prepare: queries.prepareAward }
  const notifications = await createNotificationsDeps(app, now)
  const pages = (actions: QueueActions) =>
    pageRoutes({
      queries,
      channels: app.config.channels.map(({ key }) => key),
      now,
      settings: app.config.reports.settings,
      suggest: (text, candidates) => closestMatches(text, candidates, { max: 1 }),
      reports,
      closing: actions,
      awards,
      notifications,
      queue: { kind: app.config.queue.kind, queue: actions.queue, ...actions.jobs },
      onError: (error) => app.log.error({ err: error }, 'HTTP request failed'),
    })
  const api = await createApi(app, { reader: queries, now, awards, ...notifications })
  const actionsOn = await createQueueActions(app, now)
  return (queue) => async (scope) => {
    takeTurns(scope)
    const actions = actionsOn(queue)
    await pages(actions)(scope)
    await api(actions)(scope)
  }
}

/** Lets each user of the routes have turns of their own in the worker pool; a read ends when its client is gone. Call it before they are added. */
export function takeTurns(scope: Parameters<WebPlugin>[0]): void {
  // The last hook: what runs before it may lose the context, such as reading a body.
  scope.addHook('preHandler', (request, reply, done) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    asUser(request.user?.name ?? request.ip, done, request.method === 'GET' ? gone.signal : null)
  })
}

async function createNotificationsDeps(app: App, now: Clock): Promise<NotificationsDeps> {
  const store = await app.store()
  return { scrub: app.scrub, retryDeliveries: (which) => store.retryDeliveries(which, now()) }
}

async function createReports(
  app: App,
  now: Clock,
  observer: Pick<JobObserver, 'reportEnded'> | undefined,
): Promise<ReportsDeps> {
  const [{ createReportJobs }, { createWebReportMaker }, { createReportFiles }] = await Promise.all([
    import('../../web/reports/report-jobs.js'),
    import('./web-report-maker.js'),
    import('./report-files.js'),
  ])
  const { config, log, makeReport } = app
  const store = await app.store()
  const make = createWebReportMaker({ config, log, makeReport, store, now, observer })
  const describe = (error: unknown) => {
    app.log.error({ err: error }, 'a report requested on the page failed')
    return 'The report could not be made; see the log of the service.'
  }
  return {
    jobs: createReportJobs(make, describe),
    ...createReportFiles({ directory: config.reports.directory, store }),
  }
}
