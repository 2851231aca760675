import type { AwardActions } from '../../tables/awards/awards.js'
import type { WebPlugin } from '../plugin.js'
import { addAwards } from './award/award-page.js'
import { addClosing, type ClosingDeps } from './closings/closing-page.js'
import { addList } from './list-page.js'
import { addReports, type ReportsDeps } from './operation/reports-page.js'
import { addSystem, type SystemDeps } from './operation/system-page.js'
import { addPage, type PageDeps } from './page.js'
import { rfqPage } from './rfq/rfq-page.js'
import { todayPage } from './today-page.js'

interface PagesDeps extends PageDeps {
  reports: ReportsDeps
  closing: ClosingDeps
  awards: AwardActions
  system: SystemDeps
}

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (deps: PagesDeps): WebPlugin =>
  (app) => {
    app.get('/pulse', (_request, reply) => deps.queries.pulse().then((pulse) => reply.type('text/plain').send(pulse)))
    addPage(app, deps, '/', todayPage, { names: ['since'] })
    addList(app, deps, 'rfqs')
    addPage(app, deps, '/rfqs/:org/:channel/:name', rfqPage, {
      names: ['as_of', 'offer', 'cursor'],
      acceptsSettings: true,
    })
    addClosing(app, deps, deps.closing)
    addList(app, deps, 'awards')
    addAwards(app, deps, deps.awards)
    addList(app, deps, 'changes')
    addList(app, deps, 'listings')
    addReports(app, deps, deps.reports)
    addList(app, deps, 'closings')
    addSystem(app, deps, deps.system)
  }
