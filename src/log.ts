import { type Logger, pino } from 'pino'
import type { Config, LogLevel } from './config.js'
import { INVISIBLE } from './domain/invisible-characters.js'
import { createScrubber, MIN_PART_LENGTH } from './domain/secret-scrubber.js'
import { createZonedTime } from './domain/zoned-time.js'
import type { NotifyTarget } from './notify/contract.js'

export type { Logger } from 'pino'

export interface LogOptions {
  level: LogLevel
  /** stdout for the service, stderr for commands that write their result to stdout. */
  out: { write(text: string): unknown }
  /** Format lines for a terminal instead of as JSON. */
  pretty: boolean
  colour: boolean
  /** Time zone of the lines for a terminal. Default UTC. */
  timeZone?: string
  /** Values that must never be written; see collectSecrets. */
  secrets: readonly string[]
}

/**
 * Creates the log: one JSON object per line, or readable lines on a terminal. Secrets are removed from the finished line,
 * because redaction by path misses messages, errors and the output of libraries.
 */
export async function createLog({ level, out, pretty, colour, secrets, timeZone }: LogOptions): Promise<Logger> {
  const format = pretty
    ? await createPrettyFormat({ colour, timeZone, stacks: level === 'debug' || level === 'trace' })
    : (line: string) => line
  const scrub = createScrubber(secrets)
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  // Before and after, because formatting may change the form of a secret.
  return pino(options, { write: (line) => void out.write(scrub(format(scrub(line)))) })
}

interface PrettyOptions {
  colour: boolean
  timeZone: string | undefined
  /** Whether errors have their stack, on lines of its own. */
  stacks: boolean
}

/** One line per event: time with its zone, level, message, and what is known about it. */
async function createPrettyFormat({ colour, timeZone = 'UTC', stacks }: PrettyOptions) {
  const { prettyFactory } = await import('pino-pretty')
  const zone = createZonedTime(timeZone)
  const timeOf = (time: string) => `${zone.second(new Date(time))} ${timeZone}`
  const common = { colorize: colour, translateTime: false, ignore: 'pid', singleLine: true }
  const render = prettyFactory(stacks ? common : { ...common, errorLikeObjectKeys: [] })
  return (line: string) => render(forTerminal(line, { timeOf, stacks }))
}

/** Logged text must not control the terminal, nor hide or reorder anything. Stack traces keep their lines. */
function forTerminal(line: string, { timeOf, stacks }: { timeOf: (time: string) => string; stacks: boolean }): string {
  const clean = (key: string, value: unknown) => {
    if (key === 'time' && typeof value === 'string' && TIMESTAMP.test(value)) return timeOf(value)
    if (typeof value === 'string') return value.replace(REMOVED, '')
    if (value === null) return undefined
    return key === 'err' && !stacks ? ((value as { message?: unknown }).message ?? value) : value
  }
  try {
    return JSON.stringify(JSON.parse(line, clean))
  } catch {
    // Removing a very short secret can leave invalid JSON, which is printed as it is.
    return line.replace(REMOVED, '')
  }
}
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const REMOVED = new RegExp(`(?![\\n\\t])[${INVISIBLE}]`, 'gu')

/** All values of a configuration that must never be written anywhere. */
export function collectSecrets(config: Pick<Config, 'channels' | 'web' | 'queue' | 'notify'>): string[] {
  const keys = config.channels.map(({ apiKey }) => apiKey)
  const tokens = config.web.tokens.map(({ token }) => token)
  const targets = config.notify.targets.flatMap(targetSecrets)
  const all = [...keys, config.web.token ?? '', ...tokens, ...queuePasswords(config.queue), ...targets]
  return all.filter((secret) => secret !== '')
}

/** A part of a path that is this long may be a token. */
const MAX_PLAIN_SEGMENT = 20

/**
 * The path of an incoming webhook of a chat is a secret, that of another webhook if it looks like one; messages name only the
 * host. A signing key may be written without its prefix.
 */
function targetSecrets(target: NotifyTarget): string[] {
  if (target.type === 'email') return [target.smtp.password ?? '']
  if (target.url === '') return []
  const { pathname, search } = new URL(target.url)
  const isPlain = search === '' && pathname.split('/').every(({ length }) => length < MAX_PLAIN_SEGMENT)
  // A very short path is no secret, and would be removed from other text too.
  if (target.type !== 'webhook') return (pathname + search).length < MIN_PART_LENGTH ? [] : [pathname + search]
  return [...(isPlain ? [] : [pathname + search]), target.secret, target.secret.replace(/^whsec_/, '')]
}

/** A user name of this length without a password may be a token. */
const MIN_TOKEN_LENGTH = 16

/** The password of the queue, also if it is the user name or a parameter. */
function queuePasswords(queue: Config['queue']): string[] {
  if (queue.kind === 'in-process' || !URL.canParse(queue.url)) return []
  const { username, password, searchParams } = new URL(queue.url)
  const user = password === '' && username.length >= MIN_TOKEN_LENGTH ? username : ''
  const parameters = [...searchParams].filter(([name]) => /pass|secret|token/i.test(name)).map(([, value]) => value)
  return [decoded(password), decoded(user), ...parameters]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
