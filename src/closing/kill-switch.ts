import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { databaseFile } from '../store/database-location.js'

const STOP_FILE = 'closing.stop'

interface Locations {
  /** Path or URL of the database. */
  database: string
  /** Path of the configuration. */
  file: string
}

/** The part of the configuration that says whether closing is stopped, and where the stop file is. */
export interface ClosingSwitches extends Locations {
  closing: { enabled: boolean }
}

/** The path of the stop file: beside the database, or beside the configuration if the database is on a server. */
export const stopFileOf = ({ database, file }: Locations): string =>
  join(dirname(databaseFile(database) ?? file), STOP_FILE)

/**
 * The kill switch for closing: `closing.enabled: false`, or a stop file (docs/CLOSING.md, rule 10).
 * @returns a function to call before each POST: the reason closing is stopped, or null
 */
export function closingKillSwitch(config: ClosingSwitches): () => string | null {
  const stopFile = stopFileOf(config)
  return () => {
    if (!config.closing.enabled) return 'closing.enabled is false in the configuration'
    return existsSync(stopFile) ? `stop file ${stopFile} exists` : null
  }
}
