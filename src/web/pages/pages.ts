import type { AwardActions } from '../../views/awards/award-order.js'
import type { WebPlugin } from '../plugin.js'
import { eventRoutes } from '../routes/events.js'
import { addAwards } from './award/award-page.js'
import { awardsPage } from './award/awards-page.js'
import { addClosing, type ClosingDeps } from './closings/closing-page.js'
import { closingsPage } from './closings/closings-page.js'
import { changesPage } from './lists/changes-page.js'
import { listingsPage } from './lists/listings-page.js'
import { problemsPage } from './lists/problems-page.js'
import { rfqsPage } from './lists/rfqs-page.js'
import { runsPage } from './lists/runs-page.js'
import { offerPage } from './offer/offer-page.js'
import { apiPage } from './operation/api-page.js'
import { addChannel, channelsPage } from './operation/channel-page.js'
import { addNotifications, type NotificationsDeps } from './operation/notifications-page.js'
import { addQueue, type QueueDeps } from './operation/queue-page.js'
import { addReports, type ReportsDeps } from './operation/reports-page.js'
import { addPage, type FailedJobs, type PageDeps } from './page.js'
import { rfqPage } from './rfq/rfq-page.js'
import { todayPage } from './today-page.js'

export interface PagesDeps extends Omit<PageDeps, 'failedJobs'> {
  reports: ReportsDeps
  closing: ClosingDeps
  awards: AwardActions
  notifications: NotificationsDeps
  queue: QueueDeps
  onError: (error: unknown) => void
}

/** Remembers how many jobs failed. Of a queue that does not answer, nothing is known. */
function countFailedJobs(queue: Pick<QueueDeps, 'load'>): FailedJobs {
  let known: number | null = null
  return {
    refresh: () =>
      void queue.load().then(
        ({ failed }) => (known = failed),
        () => (known = null),
      ),
    known: () => known,
  }
}

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (parts: PagesDeps): WebPlugin =>
  (app) => {
    const deps = { ...parts, failedJobs: countFailedJobs(parts.queue) }
    eventRoutes({ pulse: () => deps.queries.pulse(), onError: deps.onError })(app)
    addPage(app, deps, '/', todayPage, { names: ['since'] })
    addPage(app, deps, '/rfqs', rfqsPage, { names: ['channel', 'state', 'q'] })
    addPage(app, deps, '/rfqs/:org/:channel/:name', rfqPage, { names: ['as_of'], acceptsSettings: true })
    addPage(app, deps, '/rfqs/:org/:channel/:name/offers/:offer', offerPage, { names: ['as_of'] })
    addClosing(app, deps, deps.closing)
    addPage(app, deps, '/awards', awardsPage, { names: ['channel'] })
    addAwards(app, deps, deps.awards)
    addPage(app, deps, '/channels', channelsPage)
    addChannel(app, deps, deps.closing)
    addPage(app, deps, '/changes', changesPage, { names: ['channel', 'rfq', 'kind', 'since', 'before'] })
    addPage(app, deps, '/listings', listingsPage, { names: ['channel', 'q', 'as_of'] })
    addReports(app, deps, deps.reports)
    addPage(app, deps, '/runs', runsPage, { names: ['channel', 'kind', 'outcome'] })
    addPage(app, deps, '/closings', closingsPage, { names: ['channel', 'outcome'] })
    // Its earlier address.
    app.get('/decisions', ({ url }, reply) => reply.redirect(url.replace('/decisions', '/closings'), 301))
    addPage(app, deps, '/problems', problemsPage, { names: ['channel'] })
    addNotifications(app, deps, deps.notifications)
    addQueue(app, deps, deps.queue)
    addPage(app, deps, '/api', apiPage)
  }
