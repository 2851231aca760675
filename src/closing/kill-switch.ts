import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Store } from '../store/contract.js'
import { databaseFile } from '../store/open-database.js'

const STOP_FILE = 'closing.stop'

/** The part of the configuration that says whether closing is stopped, and where the stop file is. */
interface ClosingSwitches {
  /** Path or URL of the database. */
  database: string
  /** Path of the configuration. */
  file: string
  closing: { enabled: boolean }
}

type Locations = Pick<ClosingSwitches, 'database' | 'file'>

/** The path of the stop file: beside the database, or beside the configuration if the database is on a server. */
export const stopFileOf = ({ database, file }: Locations): string =>
  join(dirname(databaseFile(database) ?? file), STOP_FILE)

/** The stop file that exists; null if there is none. If the database is a symbolic link, one beside its target counts too. */
function findStopFile({ database, file }: Locations): string | null {
  const beside = databaseFile(database) ?? file
  const paths = [beside, realPathOf(beside)].map((path) => join(dirname(path), STOP_FILE))
  return paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? null
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // It does not exist yet.
  }
}

/** Called before each POST: resolves to the reason closing is stopped, or null. */
export type KillSwitch = () => Promise<string | null>

/**
 * The kill switch for closing (docs/CLOSING.md, rule 10): `closing.enabled: false`, a stop file, or a person's order in the database,
 * which applies to all machines. Create it once the database is open. It rejects if the database cannot be read: then nothing is closed.
 */
export function closingKillSwitch(config: ClosingSwitches, store: Pick<Store, 'closingStop'>): KillSwitch {
  const file = databaseFile(config.database)
  const opened = inodeOf(file)
  return async () => {
    // An order would be written to the file that is there now.
    if (inodeOf(file) !== opened) return 'the database was replaced while this process ran: restart it'
    if (!config.closing.enabled) return 'closing.enabled is false in the configuration'
    // Without its folder: the reason is recorded and sent in events.
    if (findStopFile(config) !== null) return `stop file ${STOP_FILE} exists; delete it to close again`
    const stop = await store.closingStop()
    return (
      stop && `stopped by ${stop.by} at ${stop.since} (${stop.reason}); \`quotekeeper close-expired --resume\` ends it`
    )
  }
}

/** Creates a function that finds what blocks all closing of a channel: the kill switch, or a list that may not be whole (docs/CLOSING.md, rules 2 and 10). */
export function createFindClosingBlocker(
  config: ClosingSwitches,
  store: Pick<Store, 'newestRun' | 'closingStop'>,
): (channel: string) => Promise<string | null> {
  const killSwitch = closingKillSwitch(config, store)
  return async (channel) => {
    const stopped = await killSwitch()
    if (stopped !== null) return stopped
    const list = await store.newestRun({ channel, hasList: true })
    return list?.suspicious ? `the newest list (run ${list.id}) may not be whole` : null
  }
}

const inodeOf = (file: string | null): number | undefined =>
  file === null ? undefined : statSync(file, { throwIfNoEntry: false })?.ino
