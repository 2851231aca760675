import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The script of the pages. */
export const pageScript = readFileSync(new URL('../browser/page.js', import.meta.url), 'utf8')

/** Its address changes with its content, so that browsers can cache it forever. */
export const PAGE_SCRIPT_PATH = `/assets/page-${createHash('sha256').update(pageScript).digest('hex').slice(0, 12)}.js`
