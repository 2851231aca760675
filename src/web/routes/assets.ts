import { PAGE_SCRIPT_PATH, pageScript } from '../components/page-script.js'
import type { WebPlugin } from '../plugin.js'

/** The script of the pages. Their style sheet is in each of them. */
export const assetRoutes: WebPlugin = (app) => {
  app.get(PAGE_SCRIPT_PATH, { config: { access: 'public' } }, (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(pageScript),
  )
}
