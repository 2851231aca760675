import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/contract.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { collectSecrets } from '../../log.js'
import { databaseFile } from '../../store/open-database.js'
import { DATABASE_COMPANIONS } from '../output/output-file.js'

/** A file that users of this machine other than its owner may read or change. */
export interface LooseFile {
  /** What it is, for example `the database`. */
  what: string
  /** Without links. */
  path: string
  /** Who may do what, for example `readable and writable by other users (mode 0666)`. */
  found: string
  /** A command. */
  remedy: string
}

interface PrivateFile {
  what: string
  path: string
  /** Whether reading it is harmless, or the system restricts it in another way. */
  mayBeRead?: boolean
}

/** Secrets of containers and services are mounted read-only there, often readable by everyone in the container. */
const SECRET_MOUNTS = /^(?:\/var)?\/run\/(?:secrets|credentials)\//

/**
 * Finds files that other users of this machine may read or change although they contain offers or secrets, or decide what is
 * closed. Follows links. Finds nothing on Windows, which has no such permissions.
 * @param options.databaseOpened whether the database could be opened. Otherwise `database:` may name something else by mistake,
 * which must not be changed
 */
export function looseFiles(config: Config, { databaseOpened }: { databaseOpened: boolean }): LooseFile[] {
  if (process.platform === 'win32') return []
  const files = [...(databaseOpened ? databaseFiles(config) : []), ...otherFiles(config)]
  const found = files.flatMap((file) => loosePermission(file, FILE) ?? [])
  const reports = { what: 'the folder of reports', path: config.reports.directory, mayBeRead: true }
  const folder = loosePermission(reports, FOLDER)
  const all = folder === null ? found : [...found, folder]
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at)
}

function databaseFiles(config: Config): PrivateFile[] {
  const database = databaseFile(config.database)
  if (database === null) return []
  const companions = DATABASE_COMPANIONS.map((suffix) => ({ what: 'a file of the database', path: database + suffix }))
  return [{ what: 'the database', path: database }, ...companions]
}

function otherFiles(config: Config): PrivateFile[] {
  const { file, secretFiles } = config
  return [
    { what: 'the configuration', path: file, mayBeRead: !containsSecret(config) },
    { what: 'the file of the API keys', path: join(dirname(file), '.env') },
    ...secretFiles.map((path) => ({ what: 'a key file', path, mayBeRead: SECRET_MOUNTS.test(path) })),
  ]
}

/** The password of the queue or the database may be in the configuration itself. */
function containsSecret(config: Config): boolean {
  try {
    const text = readFileSync(config.file, 'utf8')
    return collectSecrets(config).some((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
  } catch {
    return false
  }
}

interface Kind {
  matches: (stats: Stats) => boolean
  /** The permissions that it should have. */
  mode: string
}
const FILE: Kind = { matches: (stats) => stats.isFile(), mode: '600' }
const FOLDER: Kind = { matches: (stats) => stats.isDirectory(), mode: '700' }

/** Null if there is no such file or folder, or if nobody else may use it. */
function loosePermission({ what, path: name, mayBeRead = false }: PrivateFile, kind: Kind): LooseFile | null {
  const path = resolveLinks(name)
  const stats = path === null ? undefined : statSync(path, { throwIfNoEntry: false })
  if (path === null || !stats || !kind.matches(stats)) return null
  const rights = [
    ...(!mayBeRead && stats.mode & 0o044 ? ['readable'] : []),
    ...(stats.mode & 0o022 ? ['writable'] : []),
  ]
  if (rights.length === 0) return null
  const who = stats.mode & (mayBeRead ? 0o002 : 0o006) ? 'every user' : 'the group'
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  return {
    what,
    path,
    found: `${what} ${path} is ${rights.join(' and ')} by ${who} (mode ${mode})`,
    remedy: `chmod ${kind.mode} ${quoteForShell(path)}`,
  }
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
