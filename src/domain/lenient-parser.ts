import type { z } from 'zod'

/** What did not fit the promised document. `problems` of interfaces.md are made of these. */
export interface Problem {
  /** Where, e.g. `responses[2].status`; empty for the document itself. */
  path: string
  code: ProblemCode
  message: string
}
export type ProblemCode = 'missing' | 'type' | 'format' | 'enum' | 'unknown-field' | 'duplicate' | 'unavailable'

type Branded = { [z.$brand]: unknown }
type Simplify<T> = { [K in keyof T]: T[K] }

/** A promised shape as it can be relied on: everything but identifiers may be null, enums are open, lists are lists. */
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

type AnySchema = z.ZodType

const MAX_PROBLEMS = 200

/**
 * Reads an outside document against a promised schema without ever refusing it.
 * Follows the schema, not the document, so that depth and size of unknown parts cost nothing.
 * @param schema an object schema of documents.ts
 * @param body parsed JSON
 * @returns the value with null for all that is absent or unusable, `null` when the document is no object or lacks its
 *   identifier; and every deviation (at most 200) as a problem
 */
export function parseLeniently<S extends AnySchema>(
  schema: S,
  body: unknown,
): { value: Lenient<z.output<S>> | null; problems: Problem[] } {
  const problems: Problem[] = []
  const report = (problem: Problem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
  }
  const value = parseValue(schema, body, '', report) as Lenient<z.output<S>> | null
  return { value, problems }
}

type Report = (problem: Problem) => void
// The introspection zod offers to library authors; one place in the project knows of it.
type Def = {
  type: string
  shape: Record<string, AnySchema>
  element: AnySchema
  innerType: AnySchema
  options: AnySchema[]
}
const defOf = (schema: AnySchema) => schema.def as unknown as Def

function parseValue(schema: AnySchema, value: unknown, path: string, report: Report): unknown {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return value === undefined || value === null ? null : parseValue(def.innerType, value, path, report)
    case 'object':
      return parseObject(def.shape, value, path, report)
    case 'array':
      return parseArray(def.element, value, path, report)
    case 'record':
      return parseRecord(schema, value, path, report)
    default:
      return parseLeaf(schema, value, path, report)
  }
}

function parseObject(shape: Record<string, AnySchema>, value: unknown, path: string, report: Report): unknown {
  if (value === undefined || value === null) return missing(value, path, report)
  if (typeof value !== 'object' || Array.isArray(value)) return wrongType('an object', value, path, report)
  const source = value as Record<string, unknown>
  const result: Record<string, unknown> = {}
  let identified = true
  for (const [key, field] of Object.entries(shape)) {
    const found = Object.hasOwn(source, key) ? source[key] : undefined
    const read = parseValue(field, found, join(path, key), report)
    if (key === 'id' && read === null) identified = false
    result[key] = read
  }
  for (const key of Object.keys(source)) {
    if (!Object.hasOwn(shape, key)) {
      report({ path: join(path, key), code: 'unknown-field', message: 'a field the API document does not name' })
    }
  }
  return identified ? result : null
}

function parseArray(element: AnySchema, value: unknown, path: string, report: Report): unknown[] {
  if (value === undefined || value === null) {
    missing(value, path, report)
    return []
  }
  if (!Array.isArray(value)) {
    wrongType('an array', value, path, report)
    return []
  }
  return value
    .map((item, index) => parseValue(element, item, `${path}[${index}]`, report))
    .filter((item) => item !== null)
}

function parseRecord(schema: AnySchema, value: unknown, path: string, report: Report): unknown {
  if (value === undefined || value === null) return missing(value, path, report)
  if (typeof value !== 'object' || Array.isArray(value)) return wrongType('an object', value, path, report)
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const at = issue.path.reduce<string>((so_far, key) => join(so_far, String(key)), path)
      report({ path: at, code: 'format', message: 'not one of the kinds of value the API document names' })
    }
  }
  return value
}

function parseLeaf(schema: AnySchema, value: unknown, path: string, report: Report): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  if (value === undefined || value === null) return missing(value, path, report)
  const def = defOf(schema)
  if (def.type === 'enum' && typeof value === 'string') {
    report({ path, code: 'enum', message: `"${truncate(value)}" is not a value the API document names` })
    return value
  }
  if (def.type === 'string' && typeof value === 'string') {
    report({
      path,
      code: value === '' ? 'missing' : 'format',
      message: `"${truncate(value)}" has not the promised form`,
    })
    return null
  }
  return wrongType(describeType(schema), value, path, report)
}

function missing(value: unknown, path: string, report: Report): null {
  report({ path, code: 'missing', message: value === null ? 'null where a value was promised' : 'absent' })
  return null
}

function wrongType(wanted: string, value: unknown, path: string, report: Report): null {
  const found = Array.isArray(value) ? 'an array' : typeof value
  report({ path, code: 'type', message: `${found} where ${wanted} was promised` })
  return null
}

function describeType(schema: AnySchema): string {
  const def = defOf(schema)
  if (def.type === 'union') return def.options.map(describeType).join(' or ')
  return def.type === 'enum' ? 'a string' : `a ${def.type}`
}

const join = (path: string, key: string) => (path === '' ? truncate(key) : `${path}.${truncate(key)}`)
const truncate = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
