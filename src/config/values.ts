import { z } from 'zod'
import { isLoopback } from '../core/requests/loopback.js'
import { MAX_NAME_LENGTH, nameProblem } from '../core/text/clean-text.js'
import { closestMatches } from '../core/text/suggest.js'
import { isPostgresUrl, parsePostgresUrl } from '../store/postgres/postgres-url.js'
import { compileCron } from './cron.js'

/** A value, or why it cannot be used: what was found (empty: as it is written) and what is allowed. */
export type ReadResult<T> = { value: T } | { found: string; allowed: string }

/** Schema of a value that a function reads. */
export const readValue = <T>(read: (found: unknown) => ReadResult<T>) =>
  z.unknown().transform((found, context): T => {
    const result = read(found)
    if ('value' in result) return result.value
    context.addIssue({ code: 'custom', message: result.allowed, params: { found: result.found } })
    return z.NEVER
  })

export const number = (min: number, max: number) => {
  const error = `a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error })
}

export const integer = (min: number, max: number, more = '') => {
  const error = `a whole number from ${min} to ${max}${more}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const text = (error: string) => z.string({ error }).trim().min(1, { error })

export const choice = <const T extends readonly string[]>(choices: T) =>
  z.enum(choices, { error: `one of ${choices.join(', ')}` })

export const matching = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error })

/** Organization or channel slug: one segment of a URL path. */
export const segment = () =>
  matching(
    /^[^/\p{Cc}\s]([^/\p{Cc}]*[^/\p{Cc}\s])?$/u,
    'text without "/", control characters, or spaces at either end (in the file, a number needs quotes)',
  )

/** The name of a user, as it is recorded with what the user does. */
export const userName = () =>
  text(`the name of a user, at most ${MAX_NAME_LENGTH} characters, all of them visible`).check((context) => {
    const problem = nameProblem(context.value)
    if (problem === null) return
    const message = `a name of at most ${MAX_NAME_LENGTH} characters, all of them visible`
    context.issues.push({ code: 'custom', input: context.value, message, params: { found: `a name that ${problem}` } })
  })

/** A path in the file system. A URL, which may contain a password, is not shown. */
export const path = (toPath: (path: string) => string) => readValue((found) => readPath(found, toPath))

function readPath(found: unknown, toPath: (path: string) => string): ReadResult<string> {
  const allowed = 'the path of a file or folder'
  if (typeof found !== 'string' || found.trim() === '') return { found: '', allowed }
  const isUrl = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(found)
  return isUrl ? { found: 'a URL (not shown)', allowed: `${allowed}, not a URL` } : { value: toPath(found.trim()) }
}

/** Also accepts `on`, `off`, `yes` and `no`, which YAML 1.2 reads as text. */
export const flag = () => {
  const error = 'true or false (or on, off, yes, no)'
  const words = z.stringbool({ truthy: ['on', 'yes', 'true'], falsy: ['off', 'no', 'false'], error })
  return z.union([z.boolean(), words], { error })
}

/** Also accepts `true` and `false`: tools that write YAML 1.1, where `on` and `off` are booleans, turn them into these. */
export const autoClose = () =>
  z.preprocess(
    (found) => (found === true ? 'on' : found === false ? 'off' : String(found).toLowerCase()),
    z
      .enum(['on', 'dry-run', 'off', 'true', 'false'], { error: 'on, dry-run or off (required for each channel)' })
      .transform((word) => (word === 'true' ? 'on' : word === 'false' ? 'off' : word)),
  )

export const timeZone = () =>
  readValue((found): ReadResult<string> => {
    if (typeof found !== 'string') return { found: '', allowed: 'an IANA time zone, such as UTC or Europe/Paris' }
    if (isTimeZone(found)) return { value: found }
    const [close = 'UTC or Europe/Paris'] = closestMatches(found, Intl.supportedValuesOf('timeZone'), { max: 1 })
    return { found: '', allowed: `an IANA time zone, such as ${close}` }
  })

/** Accepts names only: fixed offsets, which newer Node.js versions accept, have no daylight saving time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

const CRON =
  'a quoted cron expression with five fields (minute hour day month weekday), or six with seconds first, such as "*/5 * * * *"; null for never'

/** A cron expression, or null. */
export const cron = () =>
  readValue((found): ReadResult<string | null> => {
    if (found === null) return { value: null }
    if (typeof found !== 'string') return { found: '', allowed: CRON }
    try {
      compileCron(found, 'UTC')
      return { value: found.trim() }
    } catch (error) {
      return { found: `${JSON.stringify(found)} (${(error as Error).message})`, allowed: CRON }
    }
  })

/** What may precede or contain a password or token in a URL. Such text is never shown. */
const CREDENTIALS = /[@?#]/
const HIDDEN = 'text with "@", "?" or "#" (not shown, because it may contain a password or token)'

/** Plain http is allowed on loopback only: it would expose keys and sessions. */
const secureUrl = <T>(allowed: string, read: (url: URL) => T | undefined) =>
  readValue((found): ReadResult<T> => {
    if (typeof found === 'string' && CREDENTIALS.test(found)) return { found: HIDDEN, allowed }
    const url = typeof found === 'string' && isSecureUrl(found) ? new URL(found) : null
    const value = url === null ? undefined : read(url)
    return value === undefined ? { found: '', allowed } : { value }
  })

/** Whether text is an https URL, or an http URL of this machine. */
export function isSecureUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

/** Origin and path without a trailing slash. */
export const baseUrl = () =>
  secureUrl('the https URL of the marketplace, without user, query or fragment (http on loopback only)', ({ href }) =>
    href.replace(/\/+$/, ''),
  )

/** The origin at which browsers reach the page. */
export const publicUrl = () =>
  secureUrl(
    'the https URL at which browsers reach the page, without path, such as https://quotes.example.com (http on loopback only); or null',
    ({ pathname, origin }) => (pathname === '/' ? origin : undefined),
  )

const DATABASE = 'the path of a SQLite file, or postgres://USER@HOST/DATABASE'

/** The path of a SQLite file, or the URL of a PostgreSQL database. A rejected URL is not shown. */
export const database = (toPath: (path: string) => string) =>
  readValue((found): ReadResult<string> => {
    const text = typeof found === 'string' ? found.trim() : ''
    if (!isPostgresUrl(text)) {
      const result = readPath(found, toPath)
      return 'value' in result ? result : { ...result, allowed: DATABASE }
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

/** With "/", "?" or "#" in a password, a part of it would be taken for the host, which messages name. */
const hasAmbiguousPassword = ({ pathname, search, hash }: URL) => `${pathname}${search}${hash}`.includes('@')
const ENCODED_PASSWORD = 'write "/", "?", "#" and "@" in a password as %2F, %3F, %23 and %40'

export const queue = () =>
  readValue((found): ReadResult<{ kind: 'in-process' } | { kind: 'redis'; url: string }> => {
    if (found === 'in-process') return { value: { kind: 'in-process' } }
    const text = typeof found === 'string' ? found : ''
    const url = /^rediss?:\/\/./.test(text) && URL.canParse(text) ? new URL(text) : null
    const isAmbiguous = url !== null && hasAmbiguousPassword(url)
    if (url && url.hostname !== '' && !isAmbiguous) return { value: { kind: 'redis', url: text } }
    const allowed = 'in-process, or a redis:// or rediss:// URL'
    return {
      found: CREDENTIALS.test(text) ? HIDDEN : '',
      allowed: isAmbiguous ? `${allowed}; ${ENCODED_PASSWORD}` : allowed,
    }
  })
