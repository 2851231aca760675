import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Name of the stop file; it stands beside the database file. */
const STOP_FILE = 'closing.stop'

/** The part of the configuration that says whether closing is stopped, and beside which file the stop file stands. */
export interface ClosingSwitches {
  closing: { enabled: boolean }
  database: string
}

/**
 * The kill switch for closing: `closing.enabled: false`, or a stop file beside the database (docs/CLOSING.md, rule 10).
 * @returns a function to call before each POST: the reason closing is stopped, or null
 */
export function closingKillSwitch(config: ClosingSwitches): () => string | null {
  const stopFile = join(dirname(config.database), STOP_FILE)
  return () => {
    if (!config.closing.enabled) return 'closing.enabled is false in the configuration'
    return existsSync(stopFile) ? `stop file ${stopFile} exists` : null
  }
}
