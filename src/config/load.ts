import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { didYouMean } from '../core/text/suggest.js'
import { ConfigError, type ConfigIssue } from './config-error.js'
import type { Config } from './contract.js'
import { applyOverrides, type Environment, isRecord, readEnvironment } from './environment.js'
import { insteadOfKey } from './removed.js'
import { checkRules } from './rules.js'
import { configSchema } from './schema.js'
import { type Path, readDocument } from './yaml-document.js'

interface LoadOptions {
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
  const env = readEnvironment(folder, options.env)
  checkProxy(options.env)
  const { value, originOf } = applyOverrides(document.value, env, options.set ?? [])
  const context = { folder, env, secretsRequired: options.secrets !== 'if-set' }
  const parsed = configSchema(context).safeParse(value, { error: allowedFor, jitless: true })
  const mistakes = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => mistakesOf(issue, value)),
    ...checkRules(value, context),
  ]
  if (mistakes.length === 0 && parsed.success) return { file, ...parsed.data }
  const issues = mistakes.map(({ path, found, allowed }) => ({
    ...(originOf(path) ?? { file, line: document.lineOf(path), key: keyName(path, value) }),
    ...{ found, allowed },
  }))
  throw new ConfigError(issues.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)))
}

function readText(file: string): string {
  try {
    const bytes = readFileSync(file)
    if (!bytes.includes(0)) return bytes.toString('utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw code === 'ENOENT'
      ? fileError(
          file,
          'no such file',
          'a configuration file; `quotekeeper init` creates one, --config FILE names another',
        )
      : fileError(file, `a file that cannot be read (${code})`, 'a file that this user can read')
  }
  throw fileError(file, 'text in UTF-16, or no text', 'UTF-8; save the file in this encoding')
}

const fileError = (file: string, found: string, allowed: string) =>
  new ConfigError([{ file, line: null, key: '', found, allowed }])

/** Connections take the proxy from the environment themselves (`marketplace/dispatcher.ts`). */
function checkProxy(env: Environment): void {
  const proxy = env.https_proxy ?? env.HTTPS_PROXY
  if (!proxy || (/^https?:\/\//i.test(proxy) && URL.canParse(proxy))) return
  const allowed = 'an http or https URL, such as http://proxy.example.com:3128'
  const found = 'something else (not shown)'
  throw new ConfigError([{ file: 'environment', line: null, key: 'HTTPS_PROXY', found, allowed }])
}

/** What is allowed where the schema of a value does not say it itself. */
function allowedFor(issue: z.core.$ZodRawIssue): string | undefined {
  const { shape = {} } = (issue.inst?._zod.def ?? {}) as { shape?: object }
  const keys = Object.keys(shape).join(', ')
  if (issue.code === 'unrecognized_keys') return keys
  if (issue.code === 'invalid_key') return 'a name of at most 40 letters, digits, - and _'
  if (issue.code !== 'invalid_type') return undefined
  if (issue.expected === 'array') return 'a list'
  return issue.expected === 'object' ? `a section with ${keys}` : undefined
}

function mistakesOf(
  issue: z.core.$ZodIssue,
  value: unknown,
): (Pick<ConfigIssue, 'found' | 'allowed'> & { path: Path })[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key], issue.message))
  const reported = issue.code === 'custom' ? String(issue.params?.found ?? '') : ''
  const at = issue.code === 'invalid_key' ? path.at(-1) : valueAt(value, path)
  // A file of text alone may be a secret.
  const found = path.length === 0 ? 'no keys' : reported || describeValue(at)
  return [{ path, found, allowed: issue.message }]
}

/** @param known the keys that the section has */
function unknownKey(path: Path, known: string) {
  const names = path.filter((step) => typeof step === 'string')
  const instead = insteadOfKey(names)
  if (instead) return { path, found: 'a removed key', allowed: instead }
  return {
    path,
    found: 'an unknown key',
    allowed: `${didYouMean(names.at(-1) ?? '', known.split(', '))}Known here: ${known}`,
  }
}

/** `channels[0].autoClose (acme/forest)`. */
function keyName(path: Path, value: unknown): string {
  const text = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
  const channel = path[0] === 'channels' && path.length > 1 ? valueAt(value, path.slice(0, 2)) : null
  const { org, channel: slug } = isRecord(channel) ? channel : {}
  return typeof org === 'string' && typeof slug === 'string' ? `${text} (${org}/${slug})` : text
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : at),
    value,
  )

function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isRecord(value)) return `a section with ${Object.keys(value).join(', ') || 'nothing'}`
  const text = JSON.stringify(value) ?? String(value)
  if (/:.*[@?#]/.test(text)) return 'text that looks like a URL with a password or token (not shown)'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
