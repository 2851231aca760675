import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.js'
import { collectSecrets } from '../log.js'
import { quoteForShell } from '../quote-for-shell.js'
import { databaseFile } from '../store/database-location.js'
import { DATABASE_COMPANIONS } from './output-file.js'

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
 */
export function looseFiles(config: Config): LooseFile[] {
  if (process.platform === 'win32') return []
  const found = privateFiles(config).flatMap((file) => loosePermission(file, '600') ?? [])
  const folder = loosePermission(
    { what: 'the folder of reports', path: config.reports.directory, mayBeRead: true },
    '700',
  )
  const all = folder === null ? found : [...found, folder]
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at)
}

function privateFiles(config: Config): PrivateFile[] {
  const { file, secretFiles } = config
  const database = databaseFile(config.database)
  const ofDatabase =
    database === null
      ? []
      : [
          { what: 'the database', path: database },
          ...DATABASE_COMPANIONS.map((suffix) => ({ what: 'a file of the database', path: database + suffix })),
        ]
  return [
    ...ofDatabase,
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

/** Null if the file does not exist, or if nobody else may use it. */
function loosePermission({ what, path: name, mayBeRead = false }: PrivateFile, wanted: string): LooseFile | null {
  const path = resolveLinks(name)
  const stats = path === null ? undefined : statSync(path, { throwIfNoEntry: false })
  if (path === null || !stats) return null
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
    remedy: `chmod ${wanted} ${quoteForShell(path)}`,
  }
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
