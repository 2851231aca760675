import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'
import type { Environment } from './environment.js'
import { readBy } from './values.js'

/** The context of validation besides the file. */
export interface SchemaContext {
  /** Relative paths are resolved against this folder. */
  folder: string
  env: Environment
  /** False: unavailable secrets become empty, for commands that only read the database. */
  secretsRequired: boolean
}

/** Returns a secret, or throws an Error that says what is wrong with it. */
type SecretCheck = (secret: string) => string

export const REF_FORMS = '{ env: NAME } or { file: PATH }'

/** Where a secret is stored: in an environment variable or in a file. */
const secretRef = z.union([
  z.strictObject({ env: z.string().regex(/^[A-Za-z_]\w*$/) }),
  z.strictObject({ file: z.string().regex(/\S/) }),
])
type SecretRef = z.output<typeof secretRef>

/** Reads `{ env: NAME }` or `{ file: PATH }`. */
export function parseSecretRef(found: unknown): SecretRef {
  const { data } = secretRef.safeParse(found, { jitless: true })
  if (data !== undefined) return data
  throw new Error(`Expected ${REF_FORMS}; never write the secret itself into this file`)
}

/**
 * A secret, as a reference. One that is written where its reference belongs is refused by every command, also by those
 * that need none; an unavailable one only by those that need it.
 * @param check by default rejects one that is too short to be removed from logs
 */
export const secret = (context: SchemaContext, check?: SecretCheck) =>
  readBy((found) => readSecret(parseSecretRef(found), context, check))

/** Like `secret`, of a reference that was read. */
export function readSecret(
  ref: SecretRef,
  context: SchemaContext,
  check: SecretCheck = minLength(MIN_PART_LENGTH, ': a shorter secret cannot be removed from logs'),
): string {
  if (context.secretsRequired) return check(fetchSecret(ref, context))
  try {
    return fetchSecret(ref, context)
  } catch {
    return ''
  }
}

/** A check that a secret is long enough. */
export const minLength =
  (min: number, why: string): SecretCheck =>
  (text) => {
    if (text.length >= min) return text
    throw new Error(`Expected at least ${min} characters${why}; this secret has ${text.length}`)
  }

/**
 * Reads a secret and trims it. Only printable ASCII is accepted: an HTTP library printed a key with a line break in its
 * error message.
 */
function fetchSecret(ref: SecretRef, { folder, env }: SchemaContext): string {
  const origin = 'env' in ref ? `Environment variable ${ref.env}` : `File ${resolve(folder, ref.file)}`
  let raw: string | undefined
  try {
    raw = 'env' in ref ? env[ref.env] : readFileSync(resolve(folder, ref.file), 'utf8')
  } catch (error) {
    throw new Error(`${origin} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (raw === undefined)
    throw new Error(`${origin} is not set: set it in the environment, or in the .env file beside the configuration`)
  const value = raw.trim()
  if (/^[\x20-\x7e]+$/.test(value)) return value
  throw new Error(`${origin} is not one line of printable ASCII`)
}
