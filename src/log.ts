import { type Logger, pino } from 'pino'
import type { Config, LogLevel } from './config.js'
import { INVISIBLE } from './domain/invisible-characters.js'
import { createScrubber } from './domain/secret-scrubber.js'
import type { NotifyTarget } from './notify/contract.js'

export type { Logger } from 'pino'

export interface LogOptions {
  level: LogLevel
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
  const format = pretty ? await createPrettyFormat(colour) : (line: string) => line
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

async function createPrettyFormat(colour: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const render = prettyFactory({ colorize: colour, translateTime: 'SYS:HH:MM:ss', ignore: 'pid', singleLine: true })
  return (line) => render(withoutInvisible(line))
}

/** Logged text must not control the terminal, nor hide or reorder anything. Stack traces keep their lines. */
function withoutInvisible(line: string): string {
  const clean = (value: unknown) => (typeof value === 'string' ? value.replace(REMOVED, '') : value)
  try {
    return JSON.stringify(JSON.parse(line, (_, value) => clean(value)))
  } catch {
    // Removing a very short secret can leave invalid JSON, which is printed as it is.
    return line.replace(REMOVED, '')
  }
}
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
  if (target.type !== 'webhook') return [pathname + search]
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
