import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'
import { type Environment, isRecord } from './environment.js'
import { type ReadResult, readValue } from './values.js'

/** The context of validation besides the file. */
export interface SchemaContext {
  /** Relative paths are resolved against this folder. */
  folder: string
  env: Environment
  /** False: unavailable secrets become empty, for commands that only read the database. */
  secretsRequired: boolean
}

/** Rejects a secret that cannot be used. */
type SecretCheck = (secret: string) => ReadResult<string>

/**
 * A secret, as a reference. One that is written where its reference belongs is refused by every command, also by those
 * that need none; a missing one only by those that need it.
 * @param check by default rejects one that is too short to be removed from logs
 * @param purpose what the secret is and how to make one, for a message that it is missing
 */
export const secret = (context: SchemaContext, check?: SecretCheck, purpose?: string) =>
  readValue((found) => readSecret(found, context, check, purpose))

/** Like `secret`, for a key that may also have another value. */
export function readSecret(
  found: unknown,
  context: SchemaContext,
  check: SecretCheck = minLength(MIN_PART_LENGTH, ': a shorter secret cannot be removed from logs'),
  purpose?: string,
): ReadResult<string> {
  if (isAbsent(found) && !context.secretsRequired) return { value: '' }
  const ref = parseSecretRef(found)
  if (!('value' in ref)) return isAbsent(found) && purpose ? { ...ref, allowed: `${ref.allowed}: ${purpose}` } : ref
  const fetched = fetchSecret(ref.value, context)
  if (!context.secretsRequired) return 'value' in fetched ? fetched : { value: '' }
  return 'value' in fetched ? check(fetched.value) : fetched
}

/** A check that a secret is long enough. */
export const minLength =
  (min: number, why: string): SecretCheck =>
  (text) =>
    text.length >= min
      ? { value: text }
      : { found: `a secret of ${text.length} characters`, allowed: `at least ${min} characters${why}` }

export const isAbsent = (found: unknown) => found === undefined || found === null

/** Where a secret is stored: in an environment variable or in a file. */
type SecretRef = { env: string } | { file: string }

const REF_FORMS = '{ env: NAME } or { file: PATH }'

/** Parses `{ env: NAME }` or `{ file: PATH }`. Whatever else is found is never shown. */
export function parseSecretRef(found: unknown): ReadResult<SecretRef> {
  if (isAbsent(found)) return { found: 'nothing', allowed: REF_FORMS }
  const { env, file, ...others } = isRecord(found) ? found : { others: found }
  const isAlone = Object.keys(others).length === 0
  if (isAlone && file === undefined && typeof env === 'string' && /^[A-Za-z_]\w*$/.test(env)) return { value: { env } }
  if (isAlone && env === undefined && typeof file === 'string' && file.trim() !== '') return { value: { file } }
  const allowed = `${REF_FORMS}; NAME has letters, digits and _; never write the secret itself into this file`
  return { found: 'a literal value (not shown)', allowed }
}

/**
 * Reads a secret and trims it. Only printable ASCII is accepted: an HTTP library printed a key with a line break in its
 * error message.
 */
export function fetchSecret(ref: SecretRef, { folder, env }: SchemaContext): ReadResult<string> {
  const origin = 'env' in ref ? `environment variable ${ref.env}` : `file ${resolve(folder, ref.file)}`
  const allowed = 'one line of printable ASCII'
  try {
    const raw = 'env' in ref ? env[ref.env] : readFileSync(resolve(folder, ref.file), 'utf8')
    if (raw === undefined) {
      const how = `set ${origin.slice('environment variable '.length)} in the environment, or in the .env file beside the configuration`
      return { found: `${origin} is not set`, allowed: how }
    }
    const value = raw.trim()
    if (value === '') return { found: `${origin} is empty`, allowed }
    if (/^[\x20-\x7e]+$/.test(value)) return { value }
    return { found: `${origin} contains a line break, a control character or non-ASCII`, allowed }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    return { found: `${origin} ${why}`, allowed: 'a readable file that contains only the secret' }
  }
}
