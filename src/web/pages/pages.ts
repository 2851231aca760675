import type { WebPlugin } from '../plugin.js'
import { eventRoutes } from '../routes/events.js'
import { apiPage } from './api-page.js'
import { addChangesFeed } from './changes-feed.js'
import { changesPage } from './changes-page.js'
import { addChannel, channelsPage } from './channel-page.js'
import { addClosing, type ClosingDeps } from './closing-page.js'
import { decisionsPage } from './decisions-page.js'
import { listingsPage } from './listings-page.js'
import { addNotifications, type NotificationsDeps } from './notifications-page.js'
import { offerPage } from './offer-page.js'
import { addPage, type PageDeps } from './page.js'
import { problemsPage } from './problems-page.js'
import { type QueueDeps, queuePage } from './queue-page.js'
import { addReports, type ReportsDeps } from './reports-page.js'
import { rfqPage } from './rfq-page.js'
import { rfqsPage } from './rfqs-page.js'
import { runsPage } from './runs-page.js'
import { todayPage } from './today-page.js'

export interface PagesDeps extends PageDeps {
  reports: ReportsDeps
  closing: ClosingDeps
  notifications: NotificationsDeps
  queue: QueueDeps
  onError: (error: unknown) => void
}

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (deps: PagesDeps): WebPlugin =>
  (app) => {
    eventRoutes({ pulse: () => deps.queries.pulse(), onError: deps.onError })(app)
    addPage(app, deps, '/', todayPage)
    addPage(app, deps, '/rfqs', rfqsPage)
    addPage(app, deps, '/rfqs/:org/:channel/:name', rfqPage)
    addPage(app, deps, '/rfqs/:org/:channel/:name/offers/:offer', offerPage)
    addClosing(app, deps, deps.closing)
    addPage(app, deps, '/channels', channelsPage)
    addChannel(app, deps, deps.closing)
    addPage(app, deps, '/changes', changesPage)
    addChangesFeed(app, deps)
    addPage(app, deps, '/listings', listingsPage)
    addReports(app, deps, deps.reports)
    addPage(app, deps, '/runs', runsPage)
    addPage(app, deps, '/decisions', decisionsPage)
    addPage(app, deps, '/problems', problemsPage)
    addNotifications(app, deps, deps.notifications)
    addPage(app, deps, '/queue/jobs', (page) => queuePage(page, deps.queue))
    // On Redis, bull-board is there.
    if (deps.queue.kind !== 'redis') addPage(app, deps, '/queue', (page) => queuePage(page, deps.queue))
    addPage(app, deps, '/api', apiPage)
  }
