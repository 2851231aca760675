import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import type { ConfigIssue } from './config-error.js'
import type { Path } from './yaml-document.js'

/** Where a value stands that did not come from the file. */
export type ValueOrigin = Pick<ConfigIssue, 'file' | 'line' | 'key'>

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that stand for a key of the file (interfaces.md §2). */
export const OVERRIDES: Readonly<Record<string, string>> = {
  QUOTEKEEPER_BASE_URL: 'baseUrl',
  QUOTEKEEPER_DATABASE: 'database',
  QUOTEKEEPER_QUEUE: 'queue',
  QUOTEKEEPER_LOG_LEVEL: 'logLevel',
}

/**
 * The environment of the process over the `.env` beside the configuration file. An empty variable counts as not set,
 * because that is what Compose makes of one that is missing.
 */
export function readEnvironment(folder: string, env: Environment): Environment {
  const merged: Record<string, string | undefined> = { ...dotEnv(join(folder, '.env')) }
  for (const [name, value] of Object.entries(env)) if (value) merged[name] = value
  return merged
}

function dotEnv(file: string): Record<string, string> {
  try {
    return parse(readFileSync(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Puts the overriding variables in the place of their keys, and says which variable stands for a path. */
export function applyOverrides(value: unknown, env: Environment) {
  const set = Object.entries(OVERRIDES).filter(([name]) => env[name])
  const root = isRecord(value) ? { ...value } : value
  if (isRecord(root)) for (const [name, key] of set) root[key] = env[name]
  const placeOf = (path: Path): ValueOrigin | null => {
    const [name] = set.find(([, key]) => path[0] === key) ?? []
    return name === undefined ? null : { file: 'environment', line: null, key: name }
  }
  return { value: root, placeOf }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
