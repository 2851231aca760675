import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from './environment.js'
import { isRecord } from './environment.js'

/** Where a secret is stored: in an environment variable or in a file. */
export type SecretRef = { env: string } | { file: string }
/** A value, or why there is none: what was found and what is allowed. `unset` if the secret is missing or empty. */
export type ReadResult<T> = { value: T } | { found: string; allowed: string; unset?: boolean }

const REF_FORMS = '{ env: NAME } or { file: PATH }'

/** Parses `{ env: NAME }` or `{ file: PATH }`. A literal secret is rejected, and never shown. */
export function parseSecretRef(value: unknown): ReadResult<SecretRef> {
  if (typeof value === 'string' || typeof value === 'number') {
    return {
      found: 'a literal value (not shown)',
      allowed: `${REF_FORMS}; never write the secret itself into this file`,
    }
  }
  if (!isRecord(value) || Object.keys(value).length !== 1) return { found: describeShape(value), allowed: REF_FORMS }
  const { env, file } = value
  if (typeof env === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(env)) return { value: { env } }
  if (typeof file === 'string' && file.trim() !== '') return { value: { file } }
  return {
    found: describeShape(value),
    allowed: `${REF_FORMS}, where NAME is an environment variable (letters, digits, _)`,
  }
}

const describeShape = (value: unknown) => {
  // Other keys are not shown: `{ sk_live_… }` is a section too.
  if (isRecord(value)) return `a section with ${describeKeys(Object.keys(value))}`
  return value === undefined || value === null ? 'nothing' : `a ${Array.isArray(value) ? 'list' : typeof value}`
}

const describeKeys = (keys: string[]) =>
  [...keys.filter((key) => key === 'env' || key === 'file'), ...(keys.length === 0 ? ['nothing'] : [])].join(', ') ||
  'other keys (not shown)'

/**
 * Reads a secret and trims it. Only printable ASCII is accepted: an HTTP library printed a key with a line break in its
 * error message.
 * @param folder relative paths are resolved against it
 */
export function fetchSecret(ref: SecretRef, folder: string, env: Environment): ReadResult<string> {
  const raw = 'env' in ref ? fromVariable(ref.env, env) : fromFile(resolve(folder, ref.file))
  if ('found' in raw) return raw
  const value = raw.value.trim()
  const origin = 'env' in ref ? `environment variable ${ref.env}` : `file ${resolve(folder, ref.file)}`
  if (value === '')
    return { found: `${origin} is empty`, allowed: 'a secret: one line of printable ASCII', unset: true }
  if (!/^[\x20-\x7e]+$/.test(value)) {
    return {
      found: `${origin} contains a character that is not allowed in a secret (line break, control character or non-ASCII)`,
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
    allowed: `set ${name} in the environment, or in the .env file beside the configuration`,
    unset: true,
  }
}

function fromFile(path: string): ReadResult<string> {
  try {
    return { value: readFileSync(path, 'utf8') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    return { found: `file ${path} ${why}`, allowed: 'a readable file that contains only the secret' }
  }
}
