import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'dotenv'
import { ConfigError, type ConfigIssue } from './config-error.js'
import type { Path } from './yaml-document.js'

/** The origin of a value that does not come from the configuration file. */
export type ValueOrigin = Pick<ConfigIssue, 'file' | 'line' | 'key'>

export type Environment = Readonly<Record<string, string | undefined>>

/** Environment variables that override keys of the file. One that ends in `_FILE` names the file of a secret. */
export const OVERRIDES: Readonly<Record<string, string>> = {
  QUOTEKEEPER_BASE_URL: 'baseUrl',
  QUOTEKEEPER_DATABASE: 'database',
  QUOTEKEEPER_DATABASE_PASSWORD_FILE: 'databasePassword',
  QUOTEKEEPER_QUEUE: 'queue',
  QUOTEKEEPER_QUEUE_PASSWORD_FILE: 'queuePassword',
  QUOTEKEEPER_LOG_LEVEL: 'logLevel',
}

/**
 * Merges the process environment over the `.env` beside the configuration file. An empty variable counts as not set,
 * because Docker Compose passes missing variables as empty.
 */
export function readEnvironment(folder: string, env: Environment): Environment {
  const merged: Record<string, string | undefined> = { ...dotEnv(join(folder, '.env')) }
  for (const [name, value] of Object.entries(env)) if (value) merged[name] = value
  return merged
}

function dotEnv(file: string): Record<string, string> {
  try {
    const text = readFileSync(file, 'utf8')
    const issues = cutValues(text, file)
    if (issues.length > 0) throw new ConfigError(issues)
    return parse(text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** A value without quotes that contains a `#`, which no space precedes: some programs take all of it, others what is before the `#`. */
const CUT_VALUE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*(?!(['"`]).*\2)[^#\r\n]*(?<=\S)#/

const cutValues = (text: string, file: string): ConfigIssue[] =>
  text.split(/\r?\n|\r/).flatMap((line, at) => {
    const [, key] = CUT_VALUE.exec(line) ?? []
    const found = 'a value with # that is not in quotes (not shown)'
    const allowed = `quotes around the value, as in ${key}='…#…', or a space before # if a comment begins there`
    return key === undefined ? [] : [{ file, line: at + 1, key, found, allowed }]
  })

/**
 * Replaces keys by the environment variables that override them.
 * @returns the new value, and a function that finds the variable behind a path
 */
export function applyOverrides(value: unknown, env: Environment) {
  const set = Object.entries(OVERRIDES).filter(([name]) => env[name])
  const root = isRecord(value) ? { ...value } : value
  const valueFrom = (name: string) => (name.endsWith('_FILE') ? { file: env[name] } : env[name])
  if (isRecord(root)) for (const [name, key] of set) root[key] = valueFrom(name)
  const originOf = (path: Path): ValueOrigin | null => {
    const [name] = set.find(([, key]) => path[0] === key) ?? []
    return name === undefined ? null : { file: 'environment', line: null, key: name }
  }
  return { value: root, originOf }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
