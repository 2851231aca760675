/** Predicates made from schemas of documents.ts. Asking one takes a tenth of the time of `safeParse`. */
import type { z } from 'zod'

export type AnySchema = z.ZodType
/** Whether a value is one that the schema allows. */
export type Accepts = (value: unknown) => boolean

// zod's introspection API for library authors; used only by the lenient parser.
interface Def {
  type: string
  shape: Record<string, AnySchema>
  element: AnySchema
  innerType: AnySchema
  keyType: AnySchema
  valueType: AnySchema
  options: AnySchema[]
  values: readonly unknown[]
  entries: Record<string, unknown>
  checks?: readonly unknown[]
  check?: string
  format?: string
  pattern?: RegExp
  coerce?: boolean
}
export const defOf = (schema: AnySchema) => schema.def as unknown as Def

/**
 * Makes the predicate that says whether `safeParse` would succeed. The schemas of documents only test values, and never
 * convert them.
 */
export function acceptedBy(schema: AnySchema): Accepts {
  return fastCheck(schema) ?? ((value) => schema.safeParse(value).success)
}

/** Null for a schema that is left to zod. */
function fastCheck(schema: AnySchema): Accepts | null {
  const def = defOf(schema)
  if (def.checks?.length || def.coerce) return null
  switch (def.type) {
    case 'string':
      return stringCheck(def)
    case 'number':
      return def.check === undefined ? Number.isFinite : null
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'null':
      return (value) => value === null
    case 'enum':
      return oneOf(Object.values(def.entries))
    case 'literal':
      return oneOf(def.values)
    case 'union':
      return anyOf(def.options.map(acceptedBy))
    case 'array':
      return arrayOf(acceptedBy(def.element))
    case 'record':
      return isAnyString(def.keyType) ? recordOf(acceptedBy(def.valueType)) : null
    default:
      return null
  }
}

/** ISO dates and times are tested with the pattern that zod tests them with. */
function stringCheck({ check, format, pattern }: Def): Accepts | null {
  if (check === undefined) return (value) => typeof value === 'string'
  if (pattern === undefined || pattern.global || (format !== 'date' && format !== 'datetime')) return null
  return (value) => typeof value === 'string' && pattern.test(value)
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

function isAnyString(schema: AnySchema): boolean {
  const { type, check, checks } = defOf(schema)
  return type === 'string' && check === undefined && !checks?.length
}

/** As zod, without the key `__proto__`. */
const recordOf =
  (accepts: Accepts): Accepts =>
  (value) =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.entries(value).every(([key, member]) => key === '__proto__' || accepts(member))
