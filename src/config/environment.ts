import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseDotEnv } from 'dotenv'
import { parse as parseYaml } from 'yaml'
import { ConfigError, type ConfigIssue } from './config-error.js'
import type { Path } from './yaml-document.js'

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
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return {}
    throw new ConfigError([{ file, line: null, key: '', message: `The file cannot be read (${code})` }])
  }
  const issues = cutValues(text, file)
  if (issues.length > 0) throw new ConfigError(issues)
  return parseDotEnv(text)
}

/** A value without quotes that contains a `#`, which no space precedes: some programs take all of it, others what is before the `#`. */
const CUT_VALUE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*(?!(['"`]).*\2)[^#\r\n]*(?<=\S)#/

const cutValues = (text: string, file: string): ConfigIssue[] =>
  text.split(/\r?\n|\r/).flatMap((line, at) => {
    const [, key] = CUT_VALUE.exec(line) ?? []
    const message = `Expected quotes around a value with #, as in ${key}='…#…', or a space before # if a comment begins there`
    return key === undefined ? [] : [{ file, line: at + 1, key, message }]
  })

interface Override {
  path: Path
  value: unknown
  origin: Pick<ConfigIssue, 'file' | 'line' | 'key'>
}

/**
 * Replaces keys of the file by the environment variables and options that override them.
 * @param options `KEY=VALUE` each, with a dotted key below `reports:` and a YAML value; the last one for a key wins
 * @returns the new value, and the origin of the value at a path; null if that is the file
 */
export function applyOverrides(found: unknown, env: Environment, options: readonly string[]) {
  const overrides = [...Object.keys(OVERRIDES).flatMap((name) => fromVariable(name, env)), ...options.map(fromOption)]
  const value = isRecord(found)
    ? overrides.reduce<unknown>((to, override) => replaceAt(to, override.path, override.value), found)
    : found
  // A whole section may be invalid because of one of its keys.
  const originOf = (path: Path) =>
    overrides.findLast((each) => path.length >= Math.min(2, each.path.length) && overlap(each.path, path))?.origin ??
    null
  return { value, originOf }
}

function fromVariable(name: string, env: Environment): Override[] {
  const value = env[name]
  const origin = { file: 'environment', line: null, key: name }
  if (!value) return []
  return [{ path: [OVERRIDES[name] ?? ''], value: name.endsWith('_FILE') ? { file: value } : value, origin }]
}

function fromOption(text: string): Override {
  const [key = '', ...rest] = text.split('=')
  const origin = { file: 'command line', line: null, key: `--set ${key}` }
  return { path: ['reports', ...key.split('.')], value: readYaml(rest.join('=')), origin }
}

/** Invalid YAML is kept as text, which validation then rejects with a clear message. */
function readYaml(text: string): unknown {
  try {
    return parseYaml(text)
  } catch {
    return text
  }
}

function replaceAt(value: unknown, [step, ...rest]: Path, newValue: unknown): unknown {
  if (step === undefined) return newValue
  const record = isRecord(value) ? value : {}
  const inner = record[step]
  // Setting one exchange rate keeps the source of the others.
  const isSource = step === 'exchangeRates' && rest.length > 0 && typeof inner === 'string'
  return { ...record, [step]: replaceAt(isSource ? { from: inner } : inner, rest, newValue) }
}

/** Whether one path contains the other. */
const overlap = (one: Path, other: Path) => one.every((step, index) => index >= other.length || step === other[index])

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
