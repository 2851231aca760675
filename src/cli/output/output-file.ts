import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../../config/contract.js'
import { databaseFile } from '../../store/open-database.js'
import { FailedError, UsageError } from '../cli-error.js'

/** A file that Quotekeeper itself needs: no output may replace it. */
interface NeededFile {
  path: string
  what: string
}

/** What the names of the files beside the database end with. */
export const DATABASE_COMPANIONS = ['-wal', '-shm', '-journal', '-requests']

/** Every file that the configuration names, and those beside them, whether they exist or not. */
function neededFiles({ file, database, secretFiles }: Pick<Config, 'file' | 'database' | 'secretFiles'>): NeededFile[] {
  return [
    ...databaseFiles(databaseFile(database)),
    { path: file, what: 'the configuration' },
    { path: join(dirname(file), '.env'), what: 'the file of the API keys' },
    ...secretFiles.map((path) => ({ path, what: 'a key file named in the configuration' })),
  ]
}

function databaseFiles(path: string | null): NeededFile[] {
  if (path === null) return []
  const companions = [path, canonicalPath(path)].flatMap((each) => DATABASE_COMPANIONS.map((suffix) => each + suffix))
  return [
    { path, what: 'the database' },
    ...companions.map((each) => ({ path: each, what: 'a file that belongs to the database' })),
  ]
}

/**
 * @param path absolute path of an output
 * @throws {UsageError} if it is, also through a link, a file that Quotekeeper needs
 */
export function refuseNeededFile(path: string, config: Pick<Config, 'file' | 'database' | 'secretFiles'>): void {
  const found = neededFiles(config).find((each) => isSameFile(each.path, path))
  if (found) throw new UsageError(`${path} is ${found.what} and is never overwritten: choose another file`)
}

/**
 * Resolves `--out`.
 * @param options.force whether an existing file may be overwritten
 * @returns the absolute path
 * @throws {UsageError} for a file that Quotekeeper needs, a folder or a device
 * @throws {FailedError} for an existing file without `force`
 */
export function outputFile(
  text: string,
  { cwd, config, force }: { cwd: string; config: Parameters<typeof refuseNeededFile>[1]; force: boolean },
): string {
  const path = resolve(cwd, text)
  refuseNeededFile(path, config)
  const existing = statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false })
  if (existing?.isDirectory() || (existing === undefined && /[/\\]$/.test(text)))
    throw new UsageError(`${path} is a folder, but --out needs the path of a file`)
  if (existing && !existing.isFile() && !existing.isSymbolicLink())
    throw new UsageError(`${path} is not a regular file: choose another file`)
  if (existing && !force) throw new FailedError(`${path} already exists: choose another file, or use --force`)
  return path
}

/** Whether two paths lead to one file: by name, through links, or as hard links. */
export function isSameFile(one: string, other: string): boolean {
  if (resolve(one) === resolve(other) || canonicalPath(one) === canonicalPath(other)) return true
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

const MAX_LINKS = 40

/** The path without links, also of a file that does not exist, or to which a link leads nowhere. */
function canonicalPath(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    if (parent === path || links > MAX_LINKS) return path
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    if (isLink) return canonicalPath(resolve(parent, readlinkSync(path)), links + 1)
    return join(canonicalPath(parent, links), basename(path))
  }
}
