import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The script that all pages load. */
export const pageScript = readFileSync(new URL('../browser/page.js', import.meta.url), 'utf8')

/** Contains a hash of the script, so that browsers can cache it forever. */
export const PAGE_SCRIPT_PATH = `/assets/page-${createHash('sha256').update(pageScript).digest('hex').slice(0, 12)}.js`
