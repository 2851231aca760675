import { hash } from 'node:crypto'
import type { z } from 'zod'
import { comparableInstant, composed } from '../text/comparable-text.js'
import { identifier, reference } from './documents.js'
import { comparableId, isUsableIdentifier, MAX_IDENTIFIER_LENGTH } from './identifier.js'
import { type Accepts, type AnySchema, acceptedBy, defOf } from './schema-check.js'

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
  | 'omitted'
  | 'duplicate-key'
  | 'precision'
  | 'encoding'
  | 'unaddressable'
  | 'api-key'

type Branded = { [z.$brand]: unknown }
type Simplify<T> = { [K in keyof T]: T[K] }

/** The type of a leniently parsed document: anything but identifiers and lists may be null, enums are open. */
export type Lenient<T> = T extends Branded
  ? string
  : T extends string
    ? string extends T
      ? string
      : T | (string & {})
    : T extends number | boolean | null | undefined
      ? Exclude<T, undefined>
      : T extends readonly (infer U)[]
        ? Lenient<U>[]
        : T extends object
          ? string extends keyof T
            ? Record<string, unknown>
            : Simplify<{ [K in keyof T]-?: LenientField<T[K]> }>
          : T
type LenientField<T> =
  NonNullable<T> extends Branded
    ? string
    : NonNullable<T> extends readonly unknown[]
      ? Lenient<NonNullable<T>>
      : Lenient<NonNullable<T>> | null

/** Problems of one document. */
export const MAX_PROBLEMS = 200

/**
 * Parses a document against a schema, keeping every usable value and reporting every deviation.
 * Follows the schema rather than the document, so unknown parts cost nothing, however deep or large.
 * @param schema an object schema of documents.ts
 * @param body parsed JSON
 * @returns the value, with null for absent or unusable parts, or null if the body is not an object or has no identifier;
 *   and the first 200 problems, followed by one with the number of further ones
 */
export function parseLeniently<S extends AnySchema>(
  schema: S,
  body: unknown,
): { value: Lenient<z.output<S>> | null; problems: Problem[] } {
  const problems: Problem[] = []
  let wrongTypes = 0
  let omitted = 0
  const report = (problem: Problem) => {
    // A wrong type makes the document not valid, so the first one is kept, however many problems come before it.
    if (problem.code === 'type') wrongTypes++
    if (problems.length < MAX_PROBLEMS || (problem.code === 'type' && wrongTypes === 1)) problems.push(problem)
    else omitted++
  }
  const value = parserOf(schema)(body, [], report) as Lenient<z.output<S>> | null
  if (omitted > 0) problems.push({ path: '', code: 'omitted', message: `${omitted} further problems are not recorded` })
  return { value, problems }
}

/**
 * Whether a schema describes what is at a path. The values of free keys count as described, and so does anything where the
 * document does not have the documented structure.
 */
export function describesPath(schema: AnySchema, path: readonly (string | number)[]): boolean {
  const def = defOf(schema)
  const [first, ...rest] = path
  if (def.type === 'optional' || def.type === 'nullable') return describesPath(def.innerType, path)
  if (def.type === 'object' && typeof first === 'string') {
    const field = Object.hasOwn(def.shape, first) ? def.shape[first] : undefined
    return field !== undefined && describesPath(field, rest)
  }
  return def.type !== 'array' || typeof first !== 'number' || describesPath(def.element, rest)
}

/** Longer paths end with a hash, because they are part of keys. */
const MAX_PATH_LENGTH = 150

/** A path as problems show it, for example `responses[2].status`. */
export function formatPath(path: readonly (string | number)[]): string {
  const text = path.reduce<string>((all, step) => (typeof step === 'number' ? `${all}[${step}]` : join(all, step)), '')
  return text.length <= MAX_PATH_LENGTH
    ? text
    : `${text.slice(0, MAX_PATH_LENGTH)}… ${hash('sha256', text).slice(0, 16)}`
}

type Path = (string | number)[]
type Report = (problem: Problem) => void
/** Parses one part of a document. Reports problems with a copy of the path, which changes while the document is walked. */
type Parse = (value: unknown, path: Path, report: Report) => unknown

const parsers = new WeakMap<AnySchema, Parse>()

/** The function that parses values of a schema. Made once, because interpreting the schema takes longer than parsing. */
function parserOf(schema: AnySchema): Parse {
  const known = parsers.get(schema)
  if (known) return known
  const parse = compile(schema)
  parsers.set(schema, parse)
  return parse
}

function compile(schema: AnySchema): Parse {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable': {
      const parse = parserOf(def.innerType)
      return (value, path, report) => (value === undefined || value === null ? null : parse(value, path, report))
    }
    case 'object':
      return compileObject(def.shape)
    case 'array':
      return compileArray(parserOf(def.element))
    case 'record':
      return compileRecord(schema)
    default:
      return compileLeaf(schema)
  }
}

function compileObject(shape: Record<string, AnySchema>): Parse {
  const fields = Object.entries(shape).map(([key, field]) => ({ key, parse: parserOf(field), isId: key === 'id' }))
  const known = new Set(Object.keys(shape))
  return (value, path, report) => {
    if (value === undefined || value === null) return missing(value, path, report)
    if (typeof value !== 'object' || Array.isArray(value)) return wrongType('an object', value, path, report)
    const source = value as Record<string, unknown>
    const result: Record<string, unknown> = {}
    let hasIdentifier = true
    for (const { key, parse, isId } of fields) {
      path.push(key)
      const parsed = parse(Object.hasOwn(source, key) ? source[key] : undefined, path, report)
      if (isId && !isIdentifier(parsed, path, report)) hasIdentifier = false
      result[key] = parsed
      path.pop()
    }
    for (const key of Object.keys(source)) {
      if (known.has(key)) continue
      const message = 'field not in the API description'
      report({ path: formatPath([...path, key]), code: 'unknown-field', message })
    }
    return hasIdentifier ? result : null
  }
}

function isIdentifier(value: unknown, path: Path, report: Report): boolean {
  if (typeof value !== 'string' || value === '' || isUsableIdentifier(value)) return value !== null
  const message = `an identifier of ${value.length} characters; at most ${MAX_IDENTIFIER_LENGTH}, in 1,000 bytes, are used`
  report({ path: formatPath(path), code: 'format', message })
  return false
}

const compileArray =
  (parse: Parse): Parse =>
  (value, path, report) => {
    const items: unknown[] = []
    if (value === undefined || value === null) missing(value, path, report)
    else if (!Array.isArray(value)) wrongType('an array', value, path, report)
    else {
      for (let index = 0; index < value.length; index++) {
        path.push(index)
        const item = parse(value[index], path, report)
        if (item !== null) items.push(item)
        path.pop()
      }
    }
    return items
  }

function compileRecord(schema: AnySchema): Parse {
  const accepts = acceptedBy(schema)
  return (value, path, report) => {
    if (value === undefined || value === null) return missing(value, path, report)
    if (typeof value !== 'object' || Array.isArray(value)) return wrongType('an object', value, path, report)
    if (accepts(value)) return value
    for (const issue of schema.safeParse(value).error?.issues ?? []) {
      report({
        path: formatPath([...path, ...issue.path.map(String)]),
        code: 'format',
        message: 'not a type of value the API description allows here',
      })
    }
    return value
  }
}

function compileLeaf(schema: AnySchema): Parse {
  const accepts: Accepts = acceptedBy(schema)
  const form = formOf(schema)
  return (sent, path, report) => {
    const value = typeof sent === 'string' ? form(sent) : sent
    return accepts(value) ? value : parseUnaccepted(schema, value, path, report)
  }
}

/** The form in which values of a schema are used: UTC, composed characters. Requests are addressed by identifiers as sent. */
function formOf(schema: AnySchema): (text: string) => string {
  if (schema === identifier) return String
  if (schema === reference) return comparableId
  return defOf(schema).format === 'datetime' ? comparableInstant : composed
}

function parseUnaccepted(schema: AnySchema, value: unknown, path: Path, report: Report): unknown {
  if (value === undefined || value === null) return missing(value, path, report)
  const { type } = defOf(schema)
  if (type === 'enum' && typeof value === 'string') {
    const message = `"${truncate(value)}" is not a value of the API description`
    report({ path: formatPath(path), code: 'enum', message })
    return value
  }
  if (type === 'string' && typeof value === 'string') {
    const message = `"${truncate(value)}" does not match the documented format`
    report({ path: formatPath(path), code: value === '' ? 'missing' : 'format', message })
    return null
  }
  return wrongType(describeType(schema), value, path, report)
}

function missing(value: unknown, path: Path, report: Report): null {
  const message = value === null ? 'null, expected a value' : 'absent'
  report({ path: formatPath(path), code: 'missing', message })
  return null
}

function wrongType(wanted: string, value: unknown, path: Path, report: Report): null {
  report({ path: formatPath(path), code: 'type', message: `${typeName(value)}, expected ${wanted}` })
  return null
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'number' && !Number.isFinite(value) ? 'a number too large to use' : typeof value
}

function describeType(schema: AnySchema): string {
  const def = defOf(schema)
  if (def.type === 'union') return def.options.map(describeType).join(' or ')
  return def.type === 'enum' ? 'a string' : `a ${def.type}`
}

const join = (path: string, key: string) => (path === '' ? truncate(key) : `${path}.${truncate(key)}`)
const truncate = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
