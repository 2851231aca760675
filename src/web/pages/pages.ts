import type { WebPlugin } from '../plugin.js'
import { addAwards } from './award/award-page.js'
import { addClosing } from './closings/closing-page.js'
import { addList } from './list-page.js'
import { addReports } from './operation/reports-page.js'
import { addSystem } from './operation/system-page.js'
import { addPage, type PageDeps } from './page.js'
import { rfqPage } from './rfq/rfq-page.js'
import { todayPage } from './today-page.js'

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (deps: PageDeps): WebPlugin =>
  (app) => {
    app.get('/pulse', (_request, reply) => deps.queries.pulse().then((pulse) => reply.type('text/plain').send(pulse)))
    addPage(app, deps, '/', todayPage, { names: ['since'] })
    addList(app, deps, 'rfqs')
    addPage(app, deps, '/rfqs/:org/:channel/:name', rfqPage, {
      names: ['as_of', 'offer', 'cursor'],
      acceptsSettings: true,
    })
    addClosing(app, deps)
    addList(app, deps, 'awards')
    addAwards(app, deps)
    addList(app, deps, 'changes')
    addList(app, deps, 'listings')
    addReports(app, deps)
    addList(app, deps, 'closings')
    addSystem(app, deps)
  }
