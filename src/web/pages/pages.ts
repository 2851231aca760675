import type { WebPlugin } from '../plugin.js'
import { decisionsPage } from './decisions-page.js'
import { addPage, type PageDeps } from './page.js'
import { problemsPage } from './problems-page.js'
import { runsPage } from './runs-page.js'

/** The web page (docs/WEB.md). */
export const pageRoutes =
  (deps: PageDeps): WebPlugin =>
  (app) => {
    app.get('/', (_request, reply) => reply.redirect('/runs', 302))
    addPage(app, deps, '/runs', runsPage)
    addPage(app, deps, '/decisions', decisionsPage)
    addPage(app, deps, '/problems', problemsPage)
  }
