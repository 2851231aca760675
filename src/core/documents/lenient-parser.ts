import { hash } from 'node:crypto'
import type { z } from 'zod'
import { comparableInstant, composed } from '../text/comparable-text.js'
import { identifier, reference } from './documents.js'
import { comparableId, isUsableIdentifier } from './identifier.js'
import { isPlainObject } from './json-text.js'

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
export function parseLeniently<S extends AnySchema>(schema: S, body: unknown): Parsed<Lenient<z.output<S>>> {
  const findings = new Findings()
  const document = parserOf(schema)(body, findings) as Lenient<z.output<S>> | null
  return { document, problems: findings.problems, valid: document !== null && !findings.hasWrongType }
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
const join = (path: string, key: string) => (path === '' ? truncate(key) : `${path}.${truncate(key)}`)
const truncate = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** Where in a document the parser is, and what it found. */
class Findings {
  readonly problems: Problem[] = []
  readonly path: (string | number)[] = []
  hasWrongType = false

  /** @returns null, the value of what is reported */
  add(code: ProblemCode, message: string, key: readonly string[] = []): null {
    if (code === 'type') this.hasWrongType = true
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({ path: formatPath([...this.path, ...key]), code, message })
    }
    return null
  }

  missing(value: unknown): null {
    return this.add('missing', value === null ? 'null, expected a value' : 'absent')
  }

  wrongType(wanted: string, value: unknown): null {
    const isTooLarge = typeof value === 'number' && !Number.isFinite(value)
    const found = Array.isArray(value) ? 'an array' : isTooLarge ? 'a number too large to use' : typeof value
    return this.add('type', `${found}, expected ${wanted}`)
  }
}

type AnySchema = z.ZodType
type Parse = (value: unknown, findings: Findings) => unknown
type Accepts = (value: unknown) => boolean

// zod's introspection API for library authors.
interface Def {
  type: string
  shape: Record<string, AnySchema>
  element: AnySchema
  innerType: AnySchema
  valueType: AnySchema
  options: AnySchema[]
  values: readonly unknown[]
  entries: Record<string, unknown>
  checks?: readonly unknown[]
  format?: string
  pattern?: RegExp
}
const defOf = (schema: AnySchema) => schema.def as unknown as Def

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
      return (value, findings) => (value === undefined || value === null ? null : parse(value, findings))
    }
    case 'object':
      return compileObject(def.shape)
    case 'array':
      return compileArray(parserOf(def.element))
    case 'record':
      return compileRecord(acceptedBy(def.valueType))
    default:
      return compileLeaf(schema)
  }
}

function compileObject(shape: Record<string, AnySchema>): Parse {
  const fields = Object.entries(shape).map(([key, field]) => ({ key, parse: parserOf(field) }))
  const known = new Set(Object.keys(shape))
  return (value, findings) => {
    if (value === undefined || value === null) return findings.missing(value)
    if (!isPlainObject(value)) return findings.wrongType('an object', value)
    const result: Record<string, unknown> = {}
    for (const { key, parse } of fields) {
      findings.path.push(key)
      result[key] = parse(Object.hasOwn(value, key) ? value[key] : undefined, findings)
      findings.path.pop()
    }
    for (const key of Object.keys(value)) {
      if (!known.has(key)) findings.add('unknown-field', 'field not in the API description', [key])
    }
    return known.has('id') && result.id === null ? null : result
  }
}

const compileArray =
  (parse: Parse): Parse =>
  (value, findings) => {
    const items: unknown[] = []
    if (value === undefined || value === null) findings.missing(value)
    else if (!Array.isArray(value)) findings.wrongType('an array', value)
    else {
      for (let index = 0; index < value.length; index++) {
        findings.path.push(index)
        const item = parse(value[index], findings)
        if (item !== null) items.push(item)
        findings.path.pop()
      }
    }
    return items
  }

const compileRecord =
  (accepts: Accepts): Parse =>
  (value, findings) => {
    if (value === undefined || value === null) return findings.missing(value)
    if (!isPlainObject(value)) return findings.wrongType('an object', value)
    for (const [key, member] of Object.entries(value)) {
      if (!accepts(member)) findings.add('format', 'not a type of value the API description allows here', [key])
    }
    return value
  }

function compileLeaf(schema: AnySchema): Parse {
  const accepts = acceptedBy(schema)
  const form = formOf(schema)
  return (sent, findings) => {
    const value = typeof sent === 'string' ? form(sent) : sent
    return accepts(value) ? value : parseUnaccepted(schema, value, findings)
  }
}

/**
 * The predicate that says whether `safeParse` would succeed, which takes ten times as long. The schemas of documents only test
 * values, and never convert them.
 */
function acceptedBy(schema: AnySchema): Accepts {
  const { type, checks, pattern, format, options, values, entries, element } = defOf(schema)
  if (schema === identifier) return (value) => typeof value === 'string' && isUsableIdentifier(value)
  if (type === 'number' && !checks?.length) return Number.isFinite
  if (type === 'string' && format === undefined && !checks?.length) return (value) => typeof value === 'string'
  if (type === 'string' && pattern !== undefined) return (value) => typeof value === 'string' && pattern.test(value)
  if (type === 'enum' || type === 'literal') return oneOf(type === 'enum' ? Object.values(entries) : values)
  if (type === 'union') return anyOf(options.map(acceptedBy))
  if (type === 'array') return arrayOf(acceptedBy(element))
  return (value) => schema.safeParse(value).success
}

function oneOf(values: readonly unknown[]): Accepts {
  const allowed = new Set(values)
  return (value) => allowed.has(value)
}
const anyOf =
  (checks: readonly Accepts[]): Accepts =>
  (value) =>
    checks.some((accepts) => accepts(value))
const arrayOf =
  (accepts: Accepts): Accepts =>
  (value) =>
    Array.isArray(value) && value.every((element) => accepts(element))

/** The form in which values of a schema are used: UTC, composed characters. Requests are addressed by identifiers as sent. */
function formOf(schema: AnySchema): (text: string) => string {
  if (schema === identifier) return String
  if (schema === reference) return comparableId
  return defOf(schema).format === 'datetime' ? comparableInstant : composed
}

function parseUnaccepted(schema: AnySchema, value: unknown, findings: Findings): unknown {
  if (value === undefined || value === null) return findings.missing(value)
  const { type } = defOf(schema)
  if (type === 'enum' && typeof value === 'string') {
    findings.add('enum', `"${truncate(value)}" is not a value of the API description`)
    return value
  }
  if (type !== 'string' || typeof value !== 'string') return findings.wrongType(describeType(schema), value)
  return findings.add(value === '' ? 'missing' : 'format', `"${truncate(value)}" does not match the documented format`)
}

function describeType(schema: AnySchema): string {
  const def = defOf(schema)
  if (def.type === 'union') return def.options.map(describeType).join(' or ')
  return def.type === 'enum' ? 'a string' : `a ${def.type}`
}
