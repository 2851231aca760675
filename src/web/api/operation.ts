import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import { didYouMean } from '../../core/text/suggest.js'
import type { Views } from '../../tables/views.js'
import type { Moment } from './lookup.js'
import { type InvalidValue, invalidValues } from './problem.js'

/** The groups of operations in the OpenAPI document. */
export const TAGS = {
  RFQs: 'What needs attention, and RFQs with their offers, comparison and awards.',
  Lists: 'Everything that is recorded.',
  Work: 'What is recorded or done on request. For operators.',
} as const

/** An operation of the API: what it is, what it takes, and what it answers. */
export interface Operation {
  id: string
  method: 'GET' | 'POST'
  /** Below `/api/v1`, with `{name}` for each part that varies. */
  path: string
  tag: keyof typeof TAGS
  summary: string
  description: string
  query: z.ZodObject
  body?: z.ZodObject
  result: z.ZodType
  /** The status of success. Default 200. 202: the work is put on the queue. */
  status?: number
}

/** A request to read, with its parameters validated. */
export interface ReadCall<Query> {
  path: Readonly<Record<string, string>>
  query: Query
  at: Moment
  /** The channel of the path. */
  channel: string
  views: Views
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  /** The settings of comparisons. */
  settings: Settings
}

/** An operation that reads the database. */
export interface ReadOperation extends Operation {
  handle(call: ReadCall<Record<string, unknown>>): Promise<unknown>
}

/** Checks an operation's types: its handler takes what the schemas accept, and answers what the result schema describes. */
export const readOperation = <Result extends z.ZodType, Query extends z.ZodObject = z.ZodObject>({
  query,
  ...definition
}: Omit<ReadOperation, 'method' | 'tag' | 'query' | 'result' | 'handle'> & {
  tag?: Operation['tag']
  query?: Query
  result: Result
  handle(call: ReadCall<z.output<Query>>): Promise<z.input<Result>>
}): ReadOperation =>
  ({ method: 'GET', tag: 'RFQs', query: query ?? z.strictObject({}), ...definition }) as unknown as ReadOperation

/**
 * Validates the parameters or the body of a request.
 * @throws ProblemError 400 with every value that is invalid, unknown or missing
 */
export function parseValues<Schema extends z.ZodObject>(
  schema: Schema,
  values: unknown,
  place: 'query' | 'body',
): z.output<Schema> {
  if (values === null || typeof values !== 'object' || Array.isArray(values))
    throw invalidValues([{ name: '', detail: `the ${place} must be a JSON object` }])
  const repeated = Object.keys(values).filter((name) => place === 'query' && Array.isArray(Object(values)[name]))
  if (repeated.length > 0) throw invalidValues(repeated.map((name) => ({ name, detail: 'given more than once' })))
  const parsed = schema.safeParse(values)
  if (parsed.success) return parsed.data
  const known = Object.keys(schema.shape)
  throw invalidValues(
    parsed.error.issues.flatMap((issue): InvalidValue[] => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((name) => ({ name, detail: unknownValue(name, known) }))
      const value = issue.path.reduce<unknown>((outer, key) => Object(outer)[key], values)
      const found = value === undefined ? 'missing' : `found ${quote(value)}`
      return [{ name: issue.path.join('.'), detail: `${found}. ${issue.message}` }]
    }),
  )
}

const unknownValue = (name: string, known: readonly string[]) =>
  `unknown; ${didYouMean(name, known)}known: ${known.join(', ') || 'none'}`

const quote = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value).slice(0, 100)
