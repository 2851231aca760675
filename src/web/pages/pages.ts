import type { AwardActions } from '../../tables/awards/award-order.js'
import type { WebPlugin } from '../plugin.js'
import { eventRoutes } from '../routes/events.js'
import { addAwards } from './award/award-page.js'
import { awardsPage } from './award/awards-page.js'
import { addClosing, type ClosingDeps } from './closings/closing-page.js'
import { closingsPage } from './closings/closings-page.js'
import { changesPage } from './lists/changes-page.js'
import { listingsPage } from './lists/listings-page.js'
import { rfqsPage } from './lists/rfqs-page.js'
import { addReports, type ReportsDeps } from './operation/reports-page.js'
import { addSystem, type SystemDeps } from './operation/system-page.js'
import { addPage, type PageDeps } from './page.js'
import { rfqPage } from './rfq/rfq-page.js'
import { todayPage } from './today-page.js'

export interface PagesDeps extends PageDeps {
  reports: ReportsDeps
  closing: ClosingDeps
  awards: AwardActions
  system: SystemDeps
  onError: (error: unknown) => void
}

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (deps: PagesDeps): WebPlugin =>
  (app) => {
    eventRoutes({ pulse: () => deps.queries.pulse(), onError: deps.onError })(app)
    addPage(app, deps, '/', todayPage, { names: ['since'] })
    addPage(app, deps, '/rfqs', rfqsPage, { names: ['channel', 'state', 'q'] })
    addPage(app, deps, '/rfqs/:org/:channel/:name', rfqPage, {
      names: ['as_of', 'offer', 'cursor'],
      acceptsSettings: true,
    })
    addClosing(app, deps, deps.closing)
    addPage(app, deps, '/awards', awardsPage, { names: ['channel'] })
    addAwards(app, deps, deps.awards)
    addPage(app, deps, '/changes', changesPage, { names: ['channel', 'rfq', 'kind', 'since', 'before'] })
    addPage(app, deps, '/listings', listingsPage, { names: ['channel', 'q', 'as_of'] })
    addReports(app, deps, deps.reports)
    addPage(app, deps, '/closings', closingsPage, { names: ['channel', 'outcome'] })
    addSystem(app, deps, deps.system)
  }
