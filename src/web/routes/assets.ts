import { PAGE_SCRIPT_PATH, pageScript } from '../components/page-script.js'
import { STYLESHEET, STYLESHEET_PATH } from '../components/stylesheet.js'
import type { WebPlugin } from '../plugin.js'

/** The style sheet and the script of the pages, including those shown before sign-in. */
export const assetRoutes: WebPlugin = (app) => {
  const assets = [
    { path: STYLESHEET_PATH, type: 'text/css; charset=utf-8', text: STYLESHEET },
    { path: PAGE_SCRIPT_PATH, type: 'text/javascript; charset=utf-8', text: pageScript },
  ]
  for (const { path, type, text } of assets) {
    app.get(path, { config: { access: 'public' } }, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(text),
    )
  }
}
