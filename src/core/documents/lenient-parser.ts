import { z } from 'zod'
import { truncate } from '../text/clean-text.js'
import { composed } from '../text/comparable-text.js'
import { storable } from './identifier.js'

/** A deviation of a document from the API description. */
export interface Problem {
  /** Place in the document, for example `responses[2].status`; empty for the document itself. */
  path: string
  code: ProblemCode
  message: string
}
export type ProblemCode =
  | 'missing'
  | 'type'
  | 'format'
  | 'enum'
  | 'unknown-field'
  | 'duplicate'
  | 'unavailable'
  | 'encoding'
  | 'unaddressable'

type Branded = { [z.$brand]: unknown }

/** The type of a leniently parsed document: anything but identifiers and lists may be null, enums are open. */
export type Lenient<T> = T extends Branded
  ? string
  : T extends string
    ? string extends T
      ? string
      : T | (string & {})
    : T extends readonly (infer U)[]
      ? Lenient<U>[]
      : T extends object
        ? string extends keyof T
          ? Record<string, unknown>
          : { [K in keyof T]: T[K] extends Branded | readonly unknown[] ? Lenient<T[K]> : Lenient<T[K]> | null }
        : T

/** Problems of one document; further ones are not recorded. */
export const MAX_PROBLEMS = 200

/** A document as its schema reads it. */
export interface Parsed<T> {
  /** With null for absent or unusable values; null if the body is not an object or has no usable identifier. */
  document: T | null
  /** The first 200. */
  problems: Problem[]
  /** False if there is no document, or a value has the wrong type. */
  valid: boolean
}

/**
 * Parses a document against a schema, keeping every usable value and reporting every deviation. Never throws.
 * Follows the schema rather than the document, so unknown parts cost nothing, however deep or large.
 * @param schema an object schema of documents.ts
 * @param body parsed JSON
 */
export function parseLeniently<S extends z.ZodType>(schema: S, body: unknown): Parsed<Lenient<z.output<S>>> {
  // What `safeParse` does, but with the value beside the issues: objects and lists are new, unusable values as they are.
  const { value, issues } = schema._zod.run({ value: body, issues: [] }, { async: false }) as z.core.ParsePayload
  const root = { document: value }
  const shortened = new Set<unknown[]>()
  const problems: Problem[] = []
  for (const issue of issues) {
    if (problems.length < MAX_PROBLEMS) problems.push(...problemsOf(issue))
    const { code, input, path = [] } = issue
    if (code === 'unrecognized_keys') continue
    // Without its identifier, an object cannot be used.
    const place = ['document', ...(path.at(-1) === 'id' ? path.slice(0, -1) : path)]
    const holder = place.slice(0, -1).reduce<unknown>((part, key) => Object(part)[key], root)
    if (holder === null || typeof holder !== 'object') continue
    if (Array.isArray(holder)) shortened.add(holder)
    const replacement = isOtherValue(issue) ? composed(input as string) : expects(issue, 'array') ? [] : null
    Object.assign(holder, { [place.at(-1) as PropertyKey]: replacement })
  }
  for (const list of shortened) removeNulls(list)
  const document = root.document as Lenient<z.output<S>> | null
  return { document, problems: problems.slice(0, MAX_PROBLEMS), valid: document !== null && !issues.some(isWrongType) }
}

/** In place, because the list is part of the document. */
function removeNulls(list: unknown[]): void {
  let kept = 0
  for (const item of list) if (item !== null) list[kept++] = item
  list.length = kept
}

type Issue = z.core.$ZodRawIssue

/** A text that is none of the documented values. */
const isOtherValue = ({ code, input }: Issue) => code === 'invalid_value' && typeof input === 'string'
const isWrongType = (issue: Issue) =>
  issue.input !== undefined &&
  issue.input !== null &&
  !isOtherValue(issue) &&
  ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code)
const expects = (issue: Issue, type: string) => issue.code === 'invalid_type' && issue.expected === type

function problemsOf(issue: Issue): Problem[] {
  const path = (issue.path ?? []) as string[]
  if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(path), ...problemOf(issue) }]
  const message = 'field not in the API description'
  return issue.keys.map((key) => ({ path: formatPath([...path, key]), code: 'unknown-field', message }))
}

function problemOf(issue: Issue): Pick<Problem, 'code' | 'message'> {
  const { input } = issue
  if (input === undefined || input === null)
    return { code: 'missing', message: input === null ? 'null, expected a value' : 'absent' }
  if (isOtherValue(issue)) return { code: 'enum', message: `${quote(input)} is not a value of the API description` }
  if (isWrongType(issue)) {
    const { message } = z.core.util.finalizeIssue(issue, undefined, z.config())
    return { code: 'type', message: message.replace(/^Invalid [a-z]+: /, '') }
  }
  const code = input === '' ? 'missing' : 'format'
  return { code, message: `${quote(input)} does not match the documented format` }
}

/** Longer paths are cut, because they are part of keys. */
const MAX_PATH_LENGTH = 150

/** A path as problems show and store it, for example `responses[2].status`. */
export const formatPath = (path: readonly (string | number)[]): string =>
  storable(truncate(z.core.toDotPath(path), MAX_PATH_LENGTH))

const quote = (value: unknown) => `"${truncate(String(value), 80)}"`
