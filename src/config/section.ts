import { resolve } from 'node:path'
import { z } from 'zod'
import { MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'
import type { Environment } from './environment.js'
import { fetchSecret, parseSecretRef, type ReadResult } from './secret.js'
import * as values from './values.js'

/** The context of validation besides the file. */
export interface SchemaContext {
  /** Relative paths are resolved against this folder. */
  folder: string
  env: Environment
  /** False: unavailable secrets become empty, for commands that only read the database. */
  secretsRequired: boolean
}

/** A section that may be omitted or left empty; its defaults then apply. */
export const section = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((found) => found ?? {}, requiredSection(shape)).prefault({})

/** A section that has keys without a default. */
export const requiredSection = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, { error: sectionError(shape) })

const SECTION = 'a section with '
export const sectionError = (shape: z.ZodRawShape) => SECTION + Object.keys(shape).join(', ')
/** The known keys of a section, parsed from its error message; empty for other errors. */
export const knownKeys = (error: string) => (error.startsWith(SECTION) ? error.slice(SECTION.length).split(', ') : [])

export const path = ({ folder }: SchemaContext) => values.path().transform((found) => resolve(folder, found))

/**
 * A key that is written where its reference belongs is refused by every command, also by those that need no key; a missing
 * one only by those that need it.
 * @param check rejects a secret that cannot be used; by default one that is too short to be removed from logs
 * @param purpose what the secret is and how to make one, for a message that it is missing
 */
export const secret = (context: SchemaContext, check?: SecretCheck, purpose?: string) =>
  values.readValue((found) => readSecret(found, context, check, purpose))

type SecretCheck = (secret: string) => ReadResult<string>

/** Like `secret`, for a key that may also have another value. */
export function readSecret(
  found: unknown,
  context: SchemaContext,
  check: SecretCheck = minLength(MIN_PART_LENGTH, SCRUBBED, context),
  purpose?: string,
): ReadResult<string> {
  if (isAbsent(found) && !context.secretsRequired) return { value: '' }
  const ref = parseSecretRef(found)
  if (!('value' in ref)) return isAbsent(found) && purpose ? { ...ref, allowed: `${ref.allowed}: ${purpose}` } : ref
  const fetched = fetchSecret(ref.value, context.folder, context.env)
  if (!('value' in fetched)) return context.secretsRequired ? fetched : { value: '' }
  return check(fetched.value)
}

/** A check that a secret is long enough. Commands that only read the database accept any. */
export const minLength =
  (min: number, why: string, { secretsRequired }: SchemaContext) =>
  (secret: string): ReadResult<string> =>
    secret.length >= min || !secretsRequired
      ? { value: secret }
      : { found: `a secret of ${secret.length} characters`, allowed: `at least ${min} characters${why}` }

const SCRUBBED = ': a shorter secret cannot be removed from logs without changing other text'

export const isAbsent = (found: unknown) => found === undefined || found === null
