import type { z } from 'zod'
import type { Clock } from '../../domain/clock.js'
import type { Settings } from '../../domain/comparison/settings.js'
import type { User } from '../access/user.js'
import type { TaggedJson } from './etag.js'
import { type InvalidValue, ProblemError } from './problem.js'
import type { ApiQueries } from './queries.js'

/** What endpoints work with. */
export interface ApiDeps {
  queries: ApiQueries
  now: Clock
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  /** The settings of comparisons. */
  settings: Settings
  /** The candidates that are close to a text, best first. */
  suggest: (text: string, candidates: readonly string[]) => string[]
}

/** A request, with its parameters validated. */
export interface Call<Query, Body> {
  path: Readonly<Record<string, string>>
  query: Query
  body: Body
  user: User | null
  headers: Readonly<Record<string, string | string[] | undefined>>
  deps: ApiDeps
}

/** An operation of the API: what it is, what it takes, and what it answers. */
export interface Endpoint {
  id: string
  method: 'GET' | 'POST'
  /** Below `/api/v1`, with `{name}` for each part that varies. */
  path: string
  summary: string
  description?: string
  query: z.ZodObject
  body?: z.ZodObject
  /** Accepts parameters that `query` does not name: settings of a comparison. */
  acceptsSettings?: boolean
  result: z.ZodType
  /** The status of success. Default 200. */
  status?: number
  /** Statuses of problems, besides those of every operation. */
  problems?: readonly number[]
  handle(call: Call<Record<string, unknown>, unknown>): Promise<unknown>
  /** The handler answers a TaggedJson of the result. */
  tagged?: boolean
}

/** Checks an endpoint's types: its handler takes what the schemas accept, and answers what the result schema describes. */
export const endpoint = <Query extends z.ZodObject, Result extends z.ZodType, Body extends z.ZodObject>(
  definition: Omit<Endpoint, 'query' | 'body' | 'result' | 'handle'> & {
    query: Query
    body?: Body
    result: Result
    handle(call: Call<z.output<Query>, z.output<Body>>): Promise<z.input<Result> | TaggedJson>
  },
): Endpoint => definition as unknown as Endpoint

/**
 * Validates the parameters after the `?`.
 * @throws ProblemError 400 with every invalid or unknown parameter
 */
export function parseQuery(
  { query, acceptsSettings = false }: Pick<Endpoint, 'query' | 'acceptsSettings'>,
  values: Readonly<Record<string, unknown>>,
  { suggest, isSetting }: { suggest: ApiDeps['suggest']; isSetting: (name: string) => boolean },
): Record<string, unknown> {
  const known = Object.keys(query.shape)
  const errors: InvalidValue[] = []
  const named: Record<string, unknown> = {}
  const settings: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') errors.push({ in: 'query', name, detail: 'given more than once' })
    else if (known.includes(name)) named[name] = value
    else if (acceptsSettings && isSetting(name)) settings[name] = value
    else errors.push({ in: 'query', name, detail: unknownParameter(name, known, suggest) })
  }
  const parsed = query.safeParse(named)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0] ?? '')
    errors.push({ in: 'query', name, detail: `found ${quote(named[name])}; allowed: ${message}` })
  }
  if (errors.length > 0 || !parsed.success) throw invalidValues(errors)
  return { ...parsed.data, ...settings }
}

function unknownParameter(name: string, known: readonly string[], suggest: ApiDeps['suggest']): string {
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
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  throw invalidValues(
    parsed.error.issues.map((issue) => ({
      in: 'body',
      name: issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : issue.path.join('.'),
      detail: issue.message,
    })),
  )
}

function invalidValues(errors: InvalidValue[]): ProblemError {
  const names = errors.map(({ name, detail }) => `${name || 'the body'}: ${detail}`)
  return new ProblemError(400, names.join('; ').slice(0, 1_000), { errors })
}

const quote = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)
