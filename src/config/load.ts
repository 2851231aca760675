import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { didYouMean } from '../core/text/suggest.js'
import { applyAssignments } from './assignment.js'
import { ConfigError, type ConfigIssue } from './config-error.js'
import type { Config } from './contract.js'
import { crossCheck } from './cross-checks.js'
import { applyOverrides, type Environment, isRecord, readEnvironment, type ValueOrigin } from './environment.js'
import { insteadOfKey } from './removed.js'
import { configSchema } from './schema.js'
import { parseSecretRef } from './secret.js'
import { knownKeys } from './section.js'
import { type ConfigDocument, type Path, readDocument } from './yaml-document.js'

/** The schema parses one value: compiling a parser would take longer than it saves. */
const ONCE = { jitless: true } as const

export interface LoadOptions {
  /** Path of the file, relative to `cwd`; default `$QUOTEKEEPER_CONFIG`, else `./quotekeeper.yaml`. */
  file?: string | undefined
  env: Environment
  cwd: string
  /** `if-set`: unavailable keys and tokens become empty, for commands that only read the database. */
  secrets?: 'required' | 'if-set'
  /** `KEY=VALUE` each: overrides keys under `reports:`. */
  set?: readonly string[]
}

/**
 * Reads and validates the configuration: the file, the `.env` beside it, and the variables and options that override
 * keys.
 * @returns the configuration with all defaults filled in and all paths absolute
 * @throws {ConfigError} with all errors
 */
export function loadConfig(options: LoadOptions): Config {
  const file = resolve(options.cwd, options.file ?? (options.env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'))
  const document = readDocument(readText(file), file)
  if (document.issues.length > 0) throw new ConfigError(document.issues)
  const folder = dirname(file)
  const env = loadEnvironment(folder, options.env)
  const unusable = proxyIssue(options.env)
  if (unusable !== null) throw new ConfigError([unusable])
  const overridden = applyOverrides(document.value, env)
  const { value, originOf } = applyAssignments(overridden.value, options.set ?? [])
  const secretsRequired = options.secrets !== 'if-set'
  const parsed = configSchema({ folder, env, secretsRequired }).safeParse(value, ONCE)
  const toIssues = issueConverter({
    file,
    document,
    value,
    originOf: (path) => overridden.originOf(path) ?? originOf(path),
  })
  const issues = [
    ...(parsed.error?.issues ?? []).flatMap(toIssues),
    ...crossCheck(value, { env, folder, secretsRequired }).flatMap(toIssues),
  ]
  if (issues.length > 0 || !parsed.success) throw new ConfigError(issues.sort(byLine))
  return { file, secretFiles: secretFilesIn(value).map((path) => resolve(folder, path)), ...parsed.data }
}

function readText(file: string): string {
  const bytes = readBytes(file)
  if (!bytes.includes(0)) return bytes.toString('utf8')
  const allowed = 'UTF-8; save the file in this encoding'
  throw new ConfigError([{ file, line: null, key: '', found: 'text in UTF-16, or no text', allowed }])
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const found = code === 'ENOENT' ? 'no such file' : `a file that cannot be read (${code})`
    const allowed =
      code === 'ENOENT'
        ? 'a configuration file; `quotekeeper init` creates one, --config FILE names another'
        : 'a file that this user can read'
    throw new ConfigError([{ file, line: null, key: '', found, allowed }])
  }
}

function loadEnvironment(folder: string, env: Environment): Environment {
  try {
    return readEnvironment(folder, env)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const found = `a file that cannot be read (${(error as NodeJS.ErrnoException).code})`
    throw new ConfigError([
      { file: resolve(folder, '.env'), line: null, key: '', found, allowed: 'a file that this user can read, or none' },
    ])
  }
}

/** Connections take the proxy from the environment itself (`marketplace/http/dispatcher.ts`). */
function proxyIssue(env: Environment): ConfigIssue | null {
  const proxy = env.https_proxy ?? env.HTTPS_PROXY
  if (!proxy || (/^https?:\/\//i.test(proxy) && URL.canParse(proxy))) return null
  const allowed = 'an http or https URL, such as http://proxy.example.com:3128'
  return { file: 'environment', line: null, key: 'HTTPS_PROXY', found: 'something else (not shown)', allowed }
}

/** The paths of every `{ file: PATH }`. */
function secretFilesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(secretFilesIn)
  if (!isRecord(value)) return []
  const ref = parseSecretRef(value)
  return 'value' in ref && 'file' in ref.value ? [ref.value.file] : Object.values(value).flatMap(secretFilesIn)
}

const byLine = (a: ConfigIssue, b: ConfigIssue) => (a.line ?? 0) - (b.line ?? 0)

interface IssueContext {
  file: string
  document: ConfigDocument
  value: unknown
  /** The origin of a value that does not come from the file; null if it does. */
  originOf: (path: Path) => ValueOrigin | null
}
type RawIssue = Pick<z.core.$ZodIssue, 'message' | 'path'> & Partial<z.core.$ZodIssue>

/** Converts zod issues to configuration errors with file, line and key. */
function issueConverter({ file, document, value, originOf }: IssueContext) {
  const locate = (path: Path) => originOf(path) ?? { file, line: document.lineOf(path), key: keyName(path, value) }
  return (issue: RawIssue): ConfigIssue[] => {
    const path = issue.path as Path
    if (issue.code === 'unrecognized_keys') {
      return (issue.keys ?? []).map((key) => ({
        ...locate([...path, key]),
        ...unknownKey([...path, key], issue.message),
      }))
    }
    const at = valueAt(value, path)
    const written = originOf(path) === null && typeof at !== 'string' ? document.writtenAs(path) : null
    const found =
      issue.code === 'invalid_key' ? describeValue(path.at(-1)) : reportedValue(issue) || describeValue(at, written)
    // Unquoted, 0042 is a number, and null is nothing.
    const remedy = written && issue.message.startsWith('text') ? `; quote it: "${written}"` : ''
    return [{ ...locate(path), found, allowed: issue.message + remedy }]
  }
}

const reportedValue = (issue: RawIssue) => ('params' in issue ? String(issue.params?.found ?? '') : '')

function unknownKey(path: Path, message: string): Pick<ConfigIssue, 'found' | 'allowed'> {
  const names = path.filter((step) => typeof step === 'string')
  const instead = insteadOfKey(names)
  if (instead) return { found: 'a removed key', allowed: instead }
  const known = knownKeys(message)
  const suggestion = didYouMean(names.at(-1) ?? '', known)
  const list = known.length > 0 ? known.join(', ') : message
  return { found: 'an unknown key', allowed: suggestion === '' ? list : `${suggestion}Known here: ${list}` }
}

/** `channels[0].autoClose (acme/forest)`. */
function keyName(path: Path, value: unknown): string {
  const text = path.reduce<string>(
    (prefix, step) => (typeof step === 'number' ? `${prefix}[${step}]` : prefix === '' ? step : `${prefix}.${step}`),
    '',
  )
  const channel = path[0] === 'channels' && path.length > 1 ? valueAt(value, path.slice(0, 2)) : null
  const { org, channel: slug } = isRecord(channel) ? channel : {}
  return typeof org === 'string' && typeof slug === 'string' ? `${text} (${org}/${slug})` : text
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : at),
    value,
  )

/** @param written how a number, `true`, `false` or `null` is written in the file, if it is */
function describeValue(value: unknown, written: string | null = null): string {
  if (written && value === null) return `${written}, which YAML reads as nothing`
  if (written && written !== String(value)) return `${written}, which YAML reads as ${String(value)}`
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isRecord(value)) return `a section with ${Object.keys(value).join(', ') || 'nothing'}`
  const text = JSON.stringify(value) ?? String(value)
  if (/:.*[@?#]/.test(text)) return 'text that looks like a URL with a password or token (not shown)'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
