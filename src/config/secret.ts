import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from './environment.js'
import { isRecord } from './environment.js'

/** Where a secret is kept: in an environment variable or in a file. */
export type SecretRef = { env: string } | { file: string }
/** A value as read, or why there is none; `unset` where nothing was given at all. */
export type ReadResult<T> = { value: T } | { found: string; allowed: string; unset?: boolean }

export const REF_FORMS = '{ env: NAME } or { file: PATH }'

/** Reads `{ env: NAME }` or `{ file: PATH }`. A literal is refused, and never shown. */
export function parseSecretRef(value: unknown): ReadResult<SecretRef> {
  if (typeof value === 'string' || typeof value === 'number') {
    return {
      found: 'a value written into the file (not shown here)',
      allowed: `${REF_FORMS}: the secret itself never stands in this file, so that it can be shared and kept in version control`,
    }
  }
  if (!isRecord(value) || Object.keys(value).length !== 1) return { found: shapeOf(value), allowed: REF_FORMS }
  const { env, file } = value
  if (typeof env === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(env)) return { value: { env } }
  if (typeof file === 'string' && file.trim() !== '') return { value: { file } }
  return {
    found: shapeOf(value),
    allowed: `${REF_FORMS}, NAME being the name of an environment variable (letters, digits, _)`,
  }
}

const shapeOf = (value: unknown) => {
  if (isRecord(value)) return `a section with ${Object.keys(value).join(', ') || 'nothing'}`
  return value === undefined || value === null ? 'nothing' : `a ${Array.isArray(value) ? 'list' : typeof value}`
}

/**
 * Fetches a secret: trimmed, printable ASCII only, because a line break in a header made an HTTP library print the
 * key in its error.
 * @param folder what a relative path is relative to
 */
export function fetchSecret(ref: SecretRef, folder: string, env: Environment): ReadResult<string> {
  const raw = 'env' in ref ? fromVariable(ref.env, env) : fromFile(resolve(folder, ref.file))
  if ('found' in raw) return raw
  const value = raw.value.trim()
  const origin = 'env' in ref ? `environment variable ${ref.env}` : `file ${resolve(folder, ref.file)}`
  if (value === '') return { found: `${origin} is empty`, allowed: 'put the secret there', unset: true }
  if (!/^[\x20-\x7e]+$/.test(value)) {
    return {
      found: `${origin} holds a character that no key has (a line break, a control character, or none of ASCII)`,
      allowed: 'one line of printable ASCII',
    }
  }
  return { value }
}

function fromVariable(name: string, env: Environment): ReadResult<string> {
  const value = env[name]
  if (value !== undefined) return { value }
  return {
    found: `environment variable ${name} is not set`,
    allowed: `set ${name} in the environment, or in a file .env beside the configuration`,
    unset: true,
  }
}

function fromFile(path: string): ReadResult<string> {
  try {
    return { value: readFileSync(path, 'utf8') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    return { found: `file ${path} ${why}`, allowed: 'a readable file that holds the secret and nothing else' }
  }
}
