import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { didYouMean } from '../core/text/suggest.js'
import { ConfigError } from './config-error.js'
import type { Config } from './contract.js'
import { applyOverrides, type Environment, isRecord, readEnvironment } from './environment.js'
import { REMOVED } from './removed.js'
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
 * @throws {ConfigError} with all errors; those of keys that contradict each other once each key is valid
 */
export function loadConfig(options: LoadOptions): Config {
  const file = resolve(options.cwd, options.file ?? (options.env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'))
  const document = readDocument(readText(file), file)
  if (document.issues.length > 0) throw new ConfigError(document.issues)
  const folder = dirname(file)
  const env = readEnvironment(folder, options.env)
  checkProxy(options.env)
  const { value, originOf } = applyOverrides(document.value, env, options.set ?? [])
  const schema = configSchema({ folder, env, secretsRequired: options.secrets !== 'if-set' })
  const { data, error } = schema.safeParse(value, { error: namesOfKeys, jitless: true })
  if (error === undefined) return { file, ...data }
  const issues = error.issues.flatMap(mistakesOf).map(({ path, message }) => ({
    ...(originOf(path) ?? { file, line: document.lineOf(path), key: keyName(path, value) }),
    message,
  }))
  throw new ConfigError(issues.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)))
}

function readText(file: string): string {
  let message: string
  try {
    const bytes = readFileSync(file)
    if (!bytes.includes(0)) return bytes.toString('utf8')
    message = 'Expected text in UTF-8'
  } catch (error) {
    message = `The file cannot be read (${(error as NodeJS.ErrnoException).code}): \`quotekeeper init\` creates one, --config FILE names another`
  }
  throw new ConfigError([{ file, line: null, key: '', message }])
}

/** Connections take the proxy from the environment themselves (`marketplace/dispatcher.ts`). */
function checkProxy(env: Environment): void {
  const proxy = env.https_proxy ?? env.HTTPS_PROXY
  if (!proxy || (/^https?:\/\//i.test(proxy) && URL.canParse(proxy))) return
  const message = 'Expected an http or https URL, such as http://proxy.example.com:3128'
  throw new ConfigError([{ file: 'environment', line: null, key: 'HTTPS_PROXY', message }])
}

/** Of a section with unknown keys, the known ones. */
function namesOfKeys({ code, inst }: z.core.$ZodRawIssue): string | undefined {
  const { shape = {} } = (inst?._zod.def ?? {}) as { shape?: object }
  return code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : undefined
}

function mistakesOf(issue: z.core.$ZodIssue): { path: Path; message: string }[] {
  const path = issue.path as Path
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  return issue.keys.map((key) => {
    const instead = new Map(Object.entries(REMOVED.key)).get([...path, key].join('.'))
    const closest = `${didYouMean(key, issue.message.split(', '))}Known here: ${issue.message}`
    return { path: [...path, key], message: instead ? `Removed: ${instead}` : `Unknown key; ${closest}` }
  })
}

/** `channels[0].autoClose (acme/forest)`. */
function keyName(path: Path, value: unknown): string {
  const text = z.core.toDotPath(path)
  const [section, index] = path
  const channels = isRecord(value) && section === 'channels' ? value.channels : null
  const channel: unknown = Array.isArray(channels) && typeof index === 'number' ? channels[index] : null
  const { org, channel: slug } = isRecord(channel) ? channel : {}
  return typeof org === 'string' && typeof slug === 'string' ? `${text} (${org}/${slug})` : text
}
