import type { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import { isSettingName, KNOWN_SETTINGS } from '../../tables/settings.js'
import type { Views } from '../../tables/views.js'
import { type InvalidValue, ProblemError } from './problem.js'

/** What reading endpoints work with. They run where they block no event loop. */
export interface ReadDeps {
  views: Views
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  /** The settings of comparisons. */
  settings: Settings
  /** The candidates that are close to a text, best first. */
  suggest: (text: string, candidates: readonly string[]) => string[]
}

/** A request to read, with its parameters validated. */
export interface ReadCall<Query> {
  path: Readonly<Record<string, string>>
  query: Query
  /** The state to read: the current one, or as of a moment. */
  at: { now: Date; asOf?: Date }
  deps: ReadDeps
}

/** An operation of the API: what it is, what it takes, and what it answers. */
export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/api/v1`, with `{name}` for each part that varies. */
  path: string
  summary: string
  description?: string
  query: z.ZodObject
  body?: z.ZodObject
  /** Accepts parameters that `query` does not name: settings of a comparison. */
  acceptsSettings?: boolean
  /** Accepts a header `Idempotency-Key`. */
  acceptsIdempotencyKey?: boolean
  result: z.ZodType
  /** The status of success. Default 200. */
  status?: number
  /** Statuses of problems, besides those of every operation. */
  problems?: readonly number[]
}

/** An operation that reads the database. */
export interface ReadEndpoint extends Operation {
  /** Its answer contains errors of other programs, from which secrets are removed. */
  quotesErrors?: boolean
  /** Which poll records what it answers. Default: that of RFQs. */
  reads?: 'listings' | 'rfqs'
  handle(call: ReadCall<Record<string, unknown>>): Promise<unknown>
}

/** Checks an endpoint's types: its handler takes what the schemas accept, and answers what the result schema describes. */
export const readEndpoint = <Query extends z.ZodObject, Result extends z.ZodType>(
  definition: Omit<ReadEndpoint, 'method' | 'query' | 'result' | 'handle'> & {
    query: Query
    result: Result
    handle(call: ReadCall<z.output<Query>>): Promise<z.input<Result>>
  },
): ReadEndpoint => ({ ...definition, method: 'GET' }) as unknown as ReadEndpoint

/**
 * Validates the parameters after the `?`.
 * @throws ProblemError 400 with every invalid or unknown parameter
 */
export function parseQuery(
  { query, acceptsSettings = false }: Pick<Operation, 'query' | 'acceptsSettings'>,
  values: Readonly<Record<string, unknown>>,
  suggest: ReadDeps['suggest'],
): Record<string, unknown> {
  const known = Object.keys(query.shape)
  const errors: InvalidValue[] = []
  const named: Record<string, unknown> = {}
  const settings: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') errors.push({ in: 'query', name, detail: 'given more than once' })
    else if (known.includes(name)) named[name] = value
    else if (acceptsSettings && isSettingName(name)) settings[name] = value
    else
      errors.push({
        in: 'query',
        name,
        detail: unknownParameter(name, acceptsSettings ? [...known, ...KNOWN_SETTINGS] : known, suggest),
      })
  }
  const parsed = query.safeParse(named)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0] ?? '')
    const what = Object.hasOwn(named, name) ? `found ${quote(named[name])}` : 'missing'
    errors.push({ in: 'query', name, detail: `${what}; allowed: ${message}` })
  }
  if (errors.length > 0 || !parsed.success) throw invalidValues(errors)
  return { ...parsed.data, ...settings }
}

function unknownParameter(name: string, known: readonly string[], suggest: ReadDeps['suggest']): string {
  const [close] = suggest(name, known)
  const list = known.length === 0 ? 'this operation has no parameters' : `known: ${known.join(', ')}`
  return `unknown parameter; ${close === undefined ? '' : `did you mean ${close}? `}${list}`
}

/**
 * Validates a JSON body.
 * @throws ProblemError 400 with everything that is invalid
 */
export function parseBody(schema: z.ZodObject | undefined, body: unknown): unknown {
  if (schema === undefined) return undefined
  const found = body ?? {}
  if (body === null || typeof found !== 'object' || Array.isArray(found))
    throw invalidValues([{ in: 'body', name: '', detail: 'the body must be a JSON object' }])
  const parsed = schema.safeParse(found)
  if (parsed.success) return parsed.data
  const known = Object.keys(schema.shape).join(', ')
  throw invalidValues(
    parsed.error.issues.flatMap((issue): InvalidValue[] => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((name) => ({ in: 'body', name, detail: `unknown member; known: ${known}` }))
      const name = issue.path.join('.')
      const value = issue.path.reduce<unknown>((outer, key) => Object(outer)[key], found)
      const what = value === undefined ? 'missing' : `found ${quote(value)}`
      return [{ in: 'body', name, detail: `${what}; allowed: ${issue.message}` }]
    }),
  )
}

function invalidValues(errors: InvalidValue[]): ProblemError {
  const names = errors.map(({ name, detail }) => (name === '' ? detail : `${name}: ${detail}`))
  return new ProblemError(400, names.join('; ').slice(0, 1_000), { errors })
}

const quote = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value).slice(0, 100)
