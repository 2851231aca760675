import { z } from 'zod'
import { byCodeUnit } from '../../core/numbers.js'
import { SETTING_NAMES } from '../../tables/settings.js'
import type { Operation } from './endpoint.js'
import { API_PREFIX, PROBLEM_TYPE, problemDocument } from './problem.js'

type Json = Record<string, unknown>

/** Raised when something is added. What breaks clients gets another path. */
const API_VERSION = '1.0'

/** Problems that every operation may answer. */
const COMMON_PROBLEMS = [400, 401, 403, 421, 429, 500]
const MEANINGS: Record<number, string> = {
  400: 'A parameter, a cursor or the body is not valid',
  401: 'No token, or a wrong one',
  403: 'The user may not do this',
  404: 'The channel, RFQ, offer or job is not known; `suggestions` has close names',
  409: 'The name is ambiguous, or the same work is waiting already',
  413: 'The body is larger than 64 KiB',
  415: 'The body is not JSON',
  421: 'The Host header is not one of this server',
  422: 'The idempotency key was used for other work',
  429: 'Too many requests, or too many wrong tokens; see Retry-After',
  500: 'An unexpected error; the log has details',
  503: 'The queue does not answer',
}

/** The OpenAPI 3.1 document of the API, made from the schemas that its responses are tested with. */
export function openApiDocument(endpoints: readonly Operation[]): Json {
  const { schemaOf, named } = convertSchemas(endpoints)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = `${API_PREFIX}${endpoint.path}`
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeOperation(endpoint, schemaOf) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quotekeeper',
      version: API_VERSION,
      summary: 'What Quotekeeper knows about RFQs, their offers and closings, as of now or of any moment.',
      description: 'Generated from the schemas in src/web/api; docs/API.md describes the rest.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4780' }],
    security: [{ token: [] }, {}],
    paths,
    components: {
      schemas: named,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Not needed on loopback without users.' },
      },
    },
  }
}

function describeOperation(endpoint: Operation, schemaOf: SchemaOf): Json {
  const { id, summary, description, status = 200, body, problems = [] } = endpoint
  const errors = [...new Set([...COMMON_PROBLEMS, ...problems])].sort()
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint, schemaOf), ...headerParameters(endpoint)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } },
    }),
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted' : 'Success',
        content: { 'application/json': { schema: schemaOf(endpoint.result) } },
      },
      ...Object.fromEntries(errors.map((code) => [code, problemResponse(code)])),
    },
  }
}

const problemResponse = (code: number): Json => ({
  description: MEANINGS[code] ?? 'Error',
  content: { [PROBLEM_TYPE.split(';')[0] ?? '']: { schema: { $ref: '#/components/schemas/Problem' } } },
})

const pathParameters = ({ path }: Operation): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

function queryParameters({ query, acceptsSettings = false }: Operation, schemaOf: SchemaOf): Json[] {
  const { properties = {} } = schemaOf(query) as { properties?: Record<string, Json> }
  const named = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }))
  const settings = SETTING_NAMES.map((name) => ({
    name,
    in: 'query',
    description:
      name === 'without'
        ? 'Numbers of offers to leave out: `2,5`.'
        : `Replaces \`reports.${name}\` of the configuration for this request.`,
    schema: { type: 'string' },
  }))
  return acceptsSettings ? [...named, ...settings] : named
}

const headerParameters = ({ acceptsIdempotencyKey = false }: Operation): Json[] =>
  acceptsIdempotencyKey
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'A request that is repeated with the same key is answered with the same job.',
          schema: { type: 'string', minLength: 1, maxLength: 255 },
        },
      ]
    : []

/** Finds a schema in JSON Schema: a reference, if it has a name. */
type SchemaOf = (schema: z.ZodType) => Json

/** All schemas of the operations in JSON Schema, and those that have a name, by their name. */
function convertSchemas(endpoints: readonly Operation[]): { schemaOf: SchemaOf; named: Json } {
  const received = convertTogether(
    endpoints.flatMap(({ query, body }) => (body === undefined ? [query] : [query, body])),
    'input',
  )
  const answered = convertTogether([problemDocument, ...endpoints.map(({ result }) => result)], 'output')
  const all = new Map([...received.schemas, ...answered.schemas])
  return { schemaOf: (schema) => all.get(schema) ?? {}, named: { ...received.named, ...answered.named } }
}

function convertTogether(all: readonly z.ZodType[], io: 'input' | 'output') {
  const members = z.object(Object.fromEntries(all.map((schema, at) => [String(at), schema])))
  const options = { io, unrepresentable: 'any', override: withoutPattern } as const
  const converted = JSON.stringify(z.toJSONSchema(members, options)).replaceAll('"#/$defs/', '"#/components/schemas/')
  const { properties, $defs = {} } = JSON.parse(converted) as {
    properties: Record<string, Json>
    $defs?: Record<string, Json>
  }
  const named = Object.entries($defs).map(([name, { id: _id, ...schema }]) => [name, schema] as const)
  return {
    schemas: all.map((schema, at) => [schema, properties[at] ?? {}] as const),
    named: Object.fromEntries(named.sort(([a], [b]) => byCodeUnit(a, b))),
  }
}

/** zod adds a long pattern to dates, which repeats what the format says. */
function withoutPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern
}
