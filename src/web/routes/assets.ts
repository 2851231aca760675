import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { WebPlugin } from '../plugin.js'

const pageScript = readFileSync(new URL('../browser/page.js', import.meta.url), 'utf8')

/** Contains a hash of the script, so that browsers can cache it forever. */
export const PAGE_SCRIPT_PATH = `/assets/page-${createHash('sha256').update(pageScript).digest('hex').slice(0, 12)}.js`

/** The script of the pages. Their style sheet is in each of them. */
export const assetRoutes: WebPlugin = (app) => {
  app.get(PAGE_SCRIPT_PATH, { config: { access: 'public' } }, (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(pageScript),
  )
}
