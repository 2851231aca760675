import { validateDetailed } from 'node-cron'
import { z } from 'zod'
import { isLoopback } from '../core/requests/loopback.js'
import { MAX_NAME_LENGTH, nameProblem } from '../core/text/clean-text.js'
import { closestMatches } from '../core/text/suggest.js'
import { isPostgresUrl, parsePostgresUrl } from '../store/postgres/postgres-url.js'
import type { Config } from './contract.js'
import { compileCron } from './cron.js'
import type { ReadResult } from './secret.js'

/**
 * Schema of one configuration value.
 * @param allowed describes the allowed values in error messages
 * @param read converts what was found, or returns undefined if it is not allowed
 */
export const value = <T>(allowed: string, read: (found: unknown) => T | undefined) =>
  readValue((found): ReadResult<T> => {
    const result = read(found)
    return result === undefined ? { found: '', allowed } : { value: result }
  })

/** Like `value`, for readers that describe what they found themselves. */
export const readValue = <T>(read: (found: unknown) => ReadResult<T>) =>
  z.unknown().transform((found, context): T => {
    const result = read(found)
    if ('value' in result) return result.value
    context.addIssue({ code: 'custom', message: result.allowed, params: { found: result.found } })
    return z.NEVER
  })

export const number = (min: number, max: number) =>
  numeric(`a number from ${min} to ${max}`, (found) => found >= min && found <= max)

export const integer = (min: number, max: number) =>
  numeric(`a whole number from ${min} to ${max}`, (found) => Number.isInteger(found) && found >= min && found <= max)

const numeric = (allowed: string, isAllowed: (found: number) => boolean) =>
  readValue((found): ReadResult<number> => {
    if (typeof found === 'number' && isAllowed(found)) return { value: found }
    return { found: '', allowed: allowed + numberRemedy(found) }
  })

/** What to do about text that was meant as a number. */
function numberRemedy(found: unknown): string {
  if (typeof found !== 'string') return ''
  if (/^\d+(:\d+)+$/.test(found)) return ', as a decimal, such as 1.5 instead of 1:30'
  return /^[-+]?\d[\d_., ]*$/.test(found) ? ', without quotes and separators' : ''
}

/** A number of days, or null for ever. */
export const days = (min: number, max: number) =>
  value(`a whole number from ${min} to ${max}, or null for ever`, (found) =>
    found === null || (Number.isInteger(found) && (found as number) >= min && (found as number) <= max)
      ? (found as number | null)
      : undefined,
  )

export const text = (allowed: string) =>
  value(allowed, (found) => (typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined))

/** The name of a user, as it is recorded with what the user does. */
export const userName = () =>
  readValue((found): ReadResult<string> => {
    const allowed = `the name of a user, at most ${MAX_NAME_LENGTH} characters, all of them visible`
    if (typeof found !== 'string' || found.trim() === '') return { found: '', allowed }
    const problem = nameProblem(found.trim())
    return problem === null ? { value: found.trim() } : { found: `a name that ${problem}`, allowed }
  })

/** A path in the file system. A URL, which may contain a password, is not shown. */
export const path = () => readValue((found) => readPath(found, 'the path of a file or folder'))

function readPath(found: unknown, allowed: string): ReadResult<string> {
  if (typeof found !== 'string' || found.trim() === '') return { found: '', allowed }
  const isUrl = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(found)
  return isUrl ? { found: 'a URL (not shown)', allowed: `${allowed}, not a URL` } : { value: found.trim() }
}

/** Also accepts `on`, `off`, `yes` and `no`, which YAML 1.2 reads as text. */
export const flag = () =>
  value('true or false (or on, off, yes, no)', (found) => {
    if (typeof found === 'boolean') return found
    const word = typeof found === 'string' ? found.toLowerCase() : ''
    return ['on', 'yes', 'true'].includes(word) ? true : ['off', 'no', 'false'].includes(word) ? false : undefined
  })

/** Also accepts `true` and `false`: tools that write YAML 1.1, where `on` and `off` are booleans, turn them into these. */
export const autoClose = () =>
  value('on, dry-run or off (required for each channel)', (found) => {
    const word = found === true ? 'on' : found === false ? 'off' : String(found).toLowerCase()
    return (['on', 'dry-run', 'off'] as const).find((choice) => choice === word)
  })

export const choice = <const T extends readonly string[]>(choices: T) =>
  value(`one of ${choices.join(', ')}`, (found): T[number] | undefined => choices.find((each) => each === found))

/** Organization or channel slug: one segment of a URL path. */
export const segment = () =>
  value('text without "/", control characters, or spaces at either end', (found) =>
    typeof found === 'string' && /^[^/\p{Cc}\s]([^/\p{Cc}]*[^/\p{Cc}\s])?$/u.test(found) ? found : undefined,
  )

export const timeZone = () =>
  readValue((found): ReadResult<string> => {
    if (typeof found === 'string' && isTimeZone(found)) return { value: found }
    const [close] =
      typeof found === 'string' ? closestMatches(found, Intl.supportedValuesOf('timeZone'), { max: 1 }) : []
    const suggestion = close ? `, such as ${close}` : ', such as UTC or Europe/Paris'
    return { found: '', allowed: `an IANA time zone${suggestion}` }
  })

/** Accepts names only: fixed offsets, which newer Node.js versions accept, have no daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

const CRON =
  'a quoted cron expression with five fields (minute hour day month weekday), or six with seconds first, such as "*/5 * * * *"; null for never'

export const cron = () =>
  readValue((found): ReadResult<string | null> => {
    if (found === null) return { value: null }
    if (typeof found !== 'string') return { found: '', allowed: CRON }
    const { valid, errors } = validateDetailed(found)
    if (valid && isComputable(found)) return { value: found.trim() }
    const why = valid
      ? 'names have three letters, and ranges and steps are within their field'
      : errors.map(({ field, value: part }) => describeCronError(field, part)).join('; ')
    return { found: `${JSON.stringify(found)} (${why})`, allowed: CRON }
  })

function isComputable(expression: string): boolean {
  try {
    compileCron(expression, 'UTC')
    return true
  } catch {
    return false
  }
}

const CRON_FIELDS: Readonly<Record<string, [name: string, allowed: string]>> = {
  second: ['second', '0 to 59'],
  minute: ['minute', '0 to 59'],
  hour: ['hour', '0 to 23'],
  dayOfMonth: ['day of month', '1 to 31, or L for the last'],
  month: ['month', '1 to 12, or jan to dec'],
  dayOfWeek: ['day of week', '0 to 7, or sun to sat'],
}

/** An error of a field, or of the whole expression. */
function describeCronError(field: string, part: unknown): string {
  const text = String(part)
  const [name, allowed] = CRON_FIELDS[field] ?? []
  if (name === undefined) {
    const fields = text.trim() === '' ? 0 : text.trim().split(/\s+/).length
    if (fields === 5 || fields === 6) return 'it has a character that no field allows'
    return `it has ${fields === 0 ? 'no field' : fields === 1 ? 'one field' : `${fields} fields`}, not five or six`
  }
  const isPossible = field === 'dayOfMonth' && /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 31
  return isPossible ? `the month has no day ${text}` : `${name} ${text} is not within ${allowed}`
}

/** What may precede or contain a password or token in a URL. Such text is never shown. */
const CREDENTIALS = /[@?#]/
const HIDDEN = 'text with "@", "?" or "#" (not shown, because it may contain a password or token)'

/** Origin and path without a trailing slash. Plain http is allowed on loopback only: it would expose the API key. */
export const baseUrl = () =>
  readValue((found): ReadResult<string> => {
    const allowed = 'the https URL of the marketplace, without user, query or fragment (http on loopback only)'
    if (typeof found === 'string' && CREDENTIALS.test(found)) return { found: HIDDEN, allowed }
    const url = parseSecureUrl(found)
    return url ? { value: url.href.replace(/\/+$/, '') } : { found: '', allowed }
  })

/** The origin at which browsers reach the page, or null. Plain http is allowed on loopback only: it would expose sessions. */
export const publicUrl = () =>
  readValue((found): ReadResult<string | null> => {
    if (found === null) return { value: null }
    const allowed =
      'the https URL at which browsers reach the page, without path, such as https://quotes.example.com (http on loopback only); or null'
    if (typeof found === 'string' && CREDENTIALS.test(found)) return { found: HIDDEN, allowed }
    const url = parseSecureUrl(found)
    return url?.pathname === '/' ? { value: url.origin } : { found: '', allowed }
  })

/** Null for what is neither an https URL nor an http URL of this machine. */
function parseSecureUrl(found: unknown): URL | null {
  const url = typeof found === 'string' && URL.canParse(found) ? new URL(found) : null
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  return isSecure ? url : null
}

/** The path of a SQLite file, or the URL of a PostgreSQL database. A rejected URL is not shown. */
export const database = (toPath: (path: string) => string) =>
  readValue((found): ReadResult<string> => {
    const text = typeof found === 'string' ? found.trim() : ''
    if (!isPostgresUrl(text)) {
      const result = readPath(found, DATABASE)
      return 'value' in result ? { value: toPath(result.value) } : { ...result, allowed: DATABASE }
    }
    const url = URL.canParse(text) ? new URL(text) : null
    const hidden = 'a URL that cannot be used (not shown)'
    if (!url || url.hostname === '' || url.pathname.length < 2) return { found: hidden, allowed: DATABASE }
    if (hasAmbiguousPassword(url)) return { found: hidden, allowed: `${DATABASE}; ${ENCODED_PASSWORD}` }
    try {
      parsePostgresUrl(text)
      return { value: text }
    } catch (error) {
      return { found: hidden, allowed: (error as Error).message }
    }
  })

const DATABASE = 'the path of a SQLite file, or postgres://USER@HOST/DATABASE'

/** With "/", "?" or "#" in a password, a part of it would be taken for the host, which messages name. */
const hasAmbiguousPassword = ({ pathname, search, hash }: URL) => `${pathname}${search}${hash}`.includes('@')
const ENCODED_PASSWORD = 'write "/", "?", "#" and "@" in a password as %2F, %3F, %23 and %40'

export const queue = () =>
  readValue((found): ReadResult<Config['queue']> => {
    if (found === 'in-process') return { value: { kind: 'in-process' } }
    const url = typeof found === 'string' && URL.canParse(found) ? new URL(found) : null
    const isAmbiguous = url !== null && hasAmbiguousPassword(url)
    if (url && isRedis(url) && !isAmbiguous) return { value: { kind: 'redis', url: found as string } }
    return {
      found: typeof found === 'string' && CREDENTIALS.test(found) ? HIDDEN : '',
      allowed: isAmbiguous ? `${QUEUE}; ${ENCODED_PASSWORD}` : QUEUE,
    }
  })

const QUEUE = 'in-process, or a redis:// or rediss:// URL'

const isRedis = ({ protocol, hostname }: URL) => hostname !== '' && (protocol === 'redis:' || protocol === 'rediss:')

/** The name of an HTTP header, or null. */
export const headerName = () =>
  value('the name of a header that only the proxy sets, such as X-Forwarded-User, or null', (found) =>
    found === null || (typeof found === 'string' && /^[A-Za-z0-9-]+$/.test(found) && !NO_NAME.test(found))
      ? found
      : undefined,
  )

/** Headers that are there without naming a user. */
const NO_NAME =
  /^(x-forwarded-(for|host|port|proto)|x-real-ip|forwarded|host|cookie|authorization|origin|referer|user-agent|accept.*|content-.*)$/i
