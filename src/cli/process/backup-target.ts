import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from '../cli-error.js'

/** Where a backup is written. */
export interface BackupTarget {
  /** Absolute path. */
  file: string
  /** Matches the file names of all backups of this pattern; null if the name contains no date. */
  siblings: RegExp | null
}

/** The name of a backup in a folder. */
const DEFAULT_NAME = 'quotekeeper-{date}T{time}Z.db'

/**
 * Resolves the argument of `quotekeeper backup`: a file, a folder, or a pattern with `{date}` and `{time}` (UTC).
 * @throws UsageError for a pattern whose folder contains a date
 */
export function backupTarget(text: string, { cwd, now }: { cwd: string; now: Date }): BackupTarget {
  const path = resolve(cwd, text)
  const isFolder = /[/\\]$/.test(text) || statSync(path, { throwIfNoEntry: false })?.isDirectory()
  const [folder, name] = isFolder ? [path, DEFAULT_NAME] : [dirname(path), basename(path)]
  if (/\{(date|time)\}/.test(folder))
    throw new UsageError(`${text}: {date} and {time} are allowed in the name of the file only, not in its folder`)
  const [date = '', time = ''] = now.toISOString().slice(0, 19).split('T')
  const file = join(folder, name.replaceAll('{date}', date).replaceAll('{time}', time.replaceAll(':', '')))
  return { file, siblings: /\{date\}/.test(name) ? namePattern(name) : null }
}

/** Captures the first date and the first time, to sort by. */
function namePattern(name: string): RegExp {
  const captured = new Set<string>()
  const parts = name.split(/(\{date\}|\{time\})/).map((part) => {
    const digits = { '{date}': '\\d{4}-\\d\\d-\\d\\d', '{time}': '\\d{6}' }[part]
    if (digits === undefined) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    if (captured.has(part)) return digits
    captured.add(part)
    return `(?<${part.slice(1, -1)}>${digits})`
  })
  return new RegExp(`^${parts.join('')}$`)
}

/**
 * Deletes the oldest backups of a pattern, so that `count` are left.
 * @param isBackup called with each path: whether it is one of ours; others are never deleted
 * @returns the deleted paths
 */
export function deleteOldBackups(
  { file, siblings }: BackupTarget & { siblings: RegExp },
  count: number,
  isBackup: (path: string) => boolean,
): string[] {
  const folder = dirname(file)
  const stampOf = (name: string) => {
    const { date = '', time = '' } = siblings.exec(name)?.groups ?? {}
    return `${date} ${time}`
  }
  const older = readdirSync(folder)
    .filter((name) => siblings.test(name) && stampOf(name) < stampOf(basename(file)))
    .sort((a, b) => (stampOf(a) < stampOf(b) ? 1 : -1))
    .map((name) => join(folder, name))
    .filter(isBackup)
  const surplus = older.slice(count - 1)
  for (const path of surplus) rmSync(path)
  return surplus
}
