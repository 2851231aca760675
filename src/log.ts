import { type Logger, pino } from 'pino'
import type { Config } from './config/contract.js'
import { INVISIBLE } from './core/text/clean-text.js'
import { createScrubber } from './core/text/secret-scrubber.js'
import { targetSecrets } from './notify/target-secrets.js'

export type { Logger } from 'pino'

interface LogOptions {
  level: NonNullable<Config['logLevel']>
  /** stdout for the service, stderr for commands that write their result to stdout. */
  out: { write(text: string): unknown }
  /** Format lines for a terminal instead of as JSON. */
  pretty: boolean
  colour: boolean
  /** Values that must never be written; see collectSecrets. */
  secrets: readonly string[]
}

/**
 * Creates the log: one JSON object per line, or readable lines on a terminal. Secrets are removed from the finished line,
 * because redaction by path misses messages, errors and the output of libraries.
 */
export async function createLog({ level, out, pretty, colour, secrets }: LogOptions): Promise<Logger> {
  const scrub = createScrubber(secrets)
  const format = pretty
    ? await createPrettyFormat({ colour, stacks: level === 'debug' || level === 'trace', scrub })
    : (line: string) => line
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const isShown = (line: string) => level === 'debug' || level === 'trace' || !OF_OUTAGE.test(line)
  return pino(options, { write: (line) => void (isShown(line) && out.write(format(scrubLine(line, scrub)))) })
}

/** What fails during an outage, which has a line of its own when it begins and when it ends. */
const OF_OUTAGE = /"name":"(Database|Queue)UnavailableError"/

/** Written by the log itself. */
const OWN_KEYS = new Set(['level', 'time', 'pid'])

/** Removes secrets from the values of a line, and keeps its keys: programs read them. Keys within a value are data. */
function scrubLine(line: string, scrub: (text: string) => string): string {
  if (scrub(line) === line) return line
  const members = Object.entries(JSON.parse(line) as Record<string, unknown>)
  const scrubbed = members.map(([key, value]) => {
    const text = JSON.stringify(value)
    return `${JSON.stringify(key)}:${OWN_KEYS.has(key) ? text : scrubJson(text, scrub)}`
  })
  return `{${scrubbed.join(',')}}\n`
}

/** A number that contains a secret becomes a text. */
function scrubJson(json: string, scrub: (text: string) => string): string {
  const scrubbed = scrub(json)
  try {
    JSON.parse(scrubbed)
    return scrubbed
  } catch {
    return JSON.stringify(scrubbed)
  }
}

interface PrettyOptions {
  colour: boolean
  /** Whether errors have their stack, on lines of its own. */
  stacks: boolean
  scrub: (text: string) => string
}

/** One line per event: time with its zone, level, message, and what is known about it. */
async function createPrettyFormat({ colour, stacks, scrub }: PrettyOptions) {
  const { prettyFactory } = await import('pino-pretty')
  const common = { colorize: colour, translateTime: false, ignore: 'pid', singleLine: true }
  const render = prettyFactory(stacks ? common : { ...common, errorLikeObjectKeys: [] })
  /** Logged text must not control the terminal, nor hide or reorder anything. Stack traces keep their lines. */
  const clean = (key: string, value: unknown) => {
    if (key === 'time' && typeof value === 'string' && TIMESTAMP.test(value))
      return `${value.slice(0, 19).replace('T', ' ')} UTC`
    // Once more, because characters may have been removed from within a secret.
    if (typeof value === 'string') return OWN_KEYS.has(key) ? value : scrub(value.replace(REMOVED, ''))
    if (value === null) return undefined
    return key === 'err' && !stacks ? ((value as { message?: unknown }).message ?? value) : value
  }
  return (line: string) => render(JSON.stringify(JSON.parse(line, clean)))
}
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const REMOVED = new RegExp(`(?![\\n\\t])[${INVISIBLE}]`, 'gu')

/** All values of a configuration that must never be written anywhere. */
export function collectSecrets(config: Pick<Config, 'channels' | 'web' | 'queue' | 'notify' | 'database'>): string[] {
  const keys = config.channels.map(({ apiKey }) => apiKey)
  const tokens = config.web.tokens.map(({ token }) => token)
  const targets = config.notify.targets.flatMap(targetSecrets)
  const all = [
    ...keys,
    config.web.token ?? '',
    config.web.proxySecret ?? '',
    ...tokens,
    ...queueSecrets(config.queue),
    ...passwordsIn(config.database),
    ...targets,
  ]
  return all.filter((secret) => secret !== '')
}

/** A user name of this length without a password may be a token. */
const MIN_TOKEN_LENGTH = 16

/** The password of the queue, also if it is the user name. */
function queueSecrets(queue: Config['queue']): string[] {
  if (queue.kind === 'in-process' || !URL.canParse(queue.url)) return []
  const { username, password } = new URL(queue.url)
  const user = password === '' && username.length >= MIN_TOKEN_LENGTH ? username : ''
  return [decoded(user), ...passwordsIn(queue.url)]
}

/** The password in a URL, also if it is a parameter; a path has none. */
export function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  const parameters = [...searchParams].filter(([name]) => /pass|secret|token/i.test(name)).map(([, value]) => value)
  return [decoded(password), ...parameters]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
