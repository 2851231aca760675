import { type Logger, pino } from 'pino'
import type { Config, LogLevel } from './config.js'
import { createScrubber } from './domain/secret-scrubber.js'

export type { Logger } from 'pino'

export interface LogOptions {
  level: LogLevel
  /** Where lines go: stdout for the service, stderr for commands whose stdout is their result. */
  out: { write(text: string): unknown }
  /** For a person at a terminal rather than a machine. */
  pretty: boolean
  colour: boolean
  /** Values that must never be written (secretsOf). */
  secrets: readonly string[]
}

/**
 * The log: one JSON object a line, or readable lines on a terminal. Secrets are taken out of the finished line,
 * because redaction by path misses messages, errors and whatever a library prints.
 */
export async function createLog({ level, out, pretty, colour, secrets }: LogOptions): Promise<Logger> {
  const format = pretty ? await prettyLines(colour) : (line: string) => line
  const scrub = createScrubber(secrets)
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  // Before and after: making a line readable may change the form of a secret in it.
  return pino(options, { write: (line) => void out.write(scrub(format(scrub(line)))) })
}

async function prettyLines(colour: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const render = prettyFactory({ colorize: colour, translateTime: 'SYS:HH:MM:ss', ignore: 'pid', singleLine: true })
  return (line) => render(withoutEscapes(line))
}

/** Outside text must not steer the terminal; JSON holds its control characters as `\u00XX`. */
const withoutEscapes = (line: string) => line.replace(/\\u00[01][0-9a-f]|[\x7f-\x9f]/gi, '')

/** Everything in a configuration that must not be written anywhere. */
export function collectSecrets(config: Pick<Config, 'channels' | 'web' | 'queue'>): string[] {
  const keys = config.channels.map(({ apiKey }) => apiKey)
  return [...keys, config.web.token ?? '', ...passwordOf(config.queue)].filter((secret) => secret !== '')
}

function passwordOf(queue: Config['queue']): string[] {
  if (queue.kind === 'in-process' || !URL.canParse(queue.url)) return []
  const { password } = new URL(queue.url)
  return [password, safely(() => decodeURIComponent(password), password)]
}

function safely<T>(attempt: () => T, otherwise: T): T {
  try {
    return attempt()
  } catch {
    return otherwise
  }
}
