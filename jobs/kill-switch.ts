import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../src/config.js'

/**
 * The kill switch of closing: `closing.enabled: false`, or a file `closing.stop` beside the database (docs/CLOSING.md).
 * @returns asked before each POST: why nothing may be closed now, or null
 */
export function closingSwitch(config: Pick<Config, 'closing' | 'database'>): () => string | null {
  const file = join(dirname(config.database), 'closing.stop')
  return () => {
    if (!config.closing.enabled) return 'closing.enabled is false in the configuration'
    return existsSync(file) ? `${file} exists` : null
  }
}
