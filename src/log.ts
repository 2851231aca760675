import { type Logger, pino } from 'pino'
import type { Config, LogLevel } from './config.js'
import { createScrubber } from './domain/secret-scrubber.js'

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
  return (line) => render(removeControlCharacters(line))
}

/** Removes control characters, which JSON writes as `\u00XX`: logged text must not control the terminal. */
const removeControlCharacters = (line: string) => line.replace(/\\u00[01][0-9a-f]|[\x7f-\x9f]/gi, '')

/** All values of a configuration that must never be written anywhere. */
export function collectSecrets(config: Pick<Config, 'channels' | 'web' | 'queue'>): string[] {
  const keys = config.channels.map(({ apiKey }) => apiKey)
  return [...keys, config.web.token ?? '', ...queuePasswords(config.queue)].filter((secret) => secret !== '')
}

function queuePasswords(queue: Config['queue']): string[] {
  if (queue.kind === 'in-process' || !URL.canParse(queue.url)) return []
  const { password } = new URL(queue.url)
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
