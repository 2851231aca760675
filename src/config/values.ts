import { z } from 'zod'
import { isSecureUrl } from '../core/requests/loopback.js'
import { MAX_NAME_LENGTH, nameProblem } from '../core/text/clean-text.js'
import { closestMatches } from '../core/text/suggest.js'
import { isPostgresUrl, parsePostgresUrl } from '../store/postgres/postgres-url.js'
import { compileCron } from './cron.js'

/** Schema of a value that a function reads. It throws an Error that says what is allowed, without the value, which may be a secret. */
export const readBy = <T>(read: (found: unknown) => T) =>
  z.unknown().transform((found, context): T => {
    try {
      return read(found)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })

export const number = (min: number, max: number) => z.number().min(min).max(max)
export const integer = (min: number, max: number) => z.int().min(min).max(max)
export const text = () => z.string().trim().min(1)

/** Organization or channel slug: one segment of a URL path, which "." and ".." would lead to another resource. */
export const segment = () =>
  z.string().regex(/^(?!\.\.?$)[^/\p{Cc}\s]([^/\p{Cc}]*[^/\p{Cc}\s])?$/u, {
    error: 'Expected text without "/", control characters, or spaces at either end, other than "." and ".."',
  })

/** The name of a user, as it is recorded with what the user does. */
export const userName = () =>
  text().refine((name) => nameProblem(name) === null, {
    error: `Expected a name of at most ${MAX_NAME_LENGTH} visible characters`,
  })

const URL_START = /^(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i

/** A path in the file system. */
export const path = (toPath: (path: string) => string) =>
  text()
    .refine((found) => !URL_START.test(found), { error: 'Expected the path of a file or folder, not a URL' })
    .transform(toPath)

/** Also accepts `on`, `off`, `yes` and `no`, which YAML 1.2 reads as text. */
export const flag = () => {
  const error = 'Expected true or false (or on, off, yes, no)'
  const words = z.stringbool({ truthy: ['on', 'yes', 'true'], falsy: ['off', 'no', 'false'], error })
  return z.union([z.boolean(), words], { error })
}

/** Also accepts `true` and `false`: tools that write YAML 1.1, where `on` and `off` are booleans, turn them into these. */
export const autoClose = () =>
  z.preprocess(
    (found) => {
      const word = String(found).toLowerCase()
      return { true: 'on', false: 'off' }[word] ?? word
    },
    z.enum(['on', 'dry-run', 'off']),
  )

/** An IANA name: fixed offsets, which newer Node.js versions accept, have no daylight saving time. */
export const timeZone = () =>
  readBy((found) => {
    const name = String(found)
    try {
      if (/^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name })) return name
    } catch {}
    const [close = 'UTC or Europe/Paris'] = closestMatches(name, Intl.supportedValuesOf('timeZone'), 1)
    throw new Error(`Expected an IANA time zone, such as ${close}`)
  })

/** A cron expression, or null. */
export const cron = () =>
  readBy((found) => {
    if (found === null) return null
    const expected =
      'five fields in quotes (minute hour day month weekday), or six with seconds first; or null for never'
    if (typeof found !== 'string') throw new Error(`Expected ${expected}`)
    try {
      compileCron(found, 'UTC')
      return found.trim()
    } catch (error) {
      throw new Error(`${(error as Error).message.replace(/\.?$/, '.')} Expected ${expected}`)
    }
  })

const secureUrl = (expected: string, read: (url: URL) => string | null) =>
  readBy((found) => {
    const url = typeof found === 'string' && !/[@?#]/.test(found) && isSecureUrl(found) ? new URL(found) : null
    const value = url && read(url)
    if (value) return value
    throw new Error(`Expected ${expected} (http on loopback only), without user, query or fragment`)
  })

/** Origin and path without a trailing slash. */
export const baseUrl = () => secureUrl('the https URL of the marketplace', ({ href }) => href.replace(/\/+$/, ''))

/** The origin at which browsers reach the page. */
export const publicUrl = () =>
  secureUrl('the https URL at which browsers reach the page, without a path', ({ pathname, origin }) =>
    pathname === '/' ? origin : null,
  )

/** With "/", "?" or "#" in a password, a part of it would be taken for the host, which messages name. */
const hasAmbiguousPassword = ({ pathname, search, hash }: URL) => `${pathname}${search}${hash}`.includes('@')
const ENCODED = '(in a password, "/", "?", "#" and "@" are written %2F, %3F, %23 and %40)'

/** The path of a SQLite file, or the URL of a PostgreSQL database. */
export const database = (toPath: (path: string) => string) =>
  readBy((found) => {
    const text = typeof found === 'string' ? found.trim() : ''
    const url = isPostgresUrl(text) && URL.canParse(text) ? new URL(text) : null
    if (url && url.hostname !== '' && url.pathname.length > 1 && !hasAmbiguousPassword(url)) {
      parsePostgresUrl(text)
      return text
    }
    if (text !== '' && !URL_START.test(text)) return toPath(text)
    throw new Error(`Expected the path of a SQLite file, or postgres://USER@HOST/DATABASE ${ENCODED}`)
  })

export const queue = () =>
  readBy((found): { kind: 'in-process' } | { kind: 'redis'; url: string } => {
    if (found === 'in-process') return { kind: 'in-process' }
    const text = String(found)
    const url = /^rediss?:\/\/./.test(text) && URL.canParse(text) ? new URL(text) : null
    if (url && url.hostname !== '' && !hasAmbiguousPassword(url)) return { kind: 'redis', url: text }
    throw new Error(`Expected in-process, or a redis:// or rediss:// URL ${ENCODED}`)
  })
