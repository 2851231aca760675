import type { WebPlugin } from '../plugin.js'
import { STYLESHEET, STYLESHEET_PATH } from '../views/stylesheet.js'

/** The style of the pages, also of those that a browser sees before it signs in. */
export const assetRoutes: WebPlugin = (app) => {
  app.get(STYLESHEET_PATH, { config: { access: 'public' } }, (_request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(STYLESHEET),
  )
}
