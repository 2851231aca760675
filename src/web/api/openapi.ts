import { z } from 'zod'
import { byCodeUnit } from '../../core/numbers.js'
import { type Operation, TAGS } from './operation.js'
import { API_PREFIX, PROBLEM_TYPE, problemDocument } from './problem.js'

type Json = Record<string, unknown>

/** Raised when something is added. What breaks clients gets another path. */
const API_VERSION = '1.0'

/** What the statuses of problems mean, and which operations answer them. */
const PROBLEMS: Record<number, [meaning: string, isOf: (operation: Operation) => boolean]> = {
  400: ['A parameter, a cursor or the body is not valid', () => true],
  401: ['No token, or a wrong one', () => true],
  403: ['The user may not do this', () => true],
  404: [
    'A name is not known; `suggestions` has close ones',
    ({ path, body }) => path.includes('{') || body !== undefined,
  ],
  409: [
    'The name is that of several RFQs, or the state does not allow it',
    ({ path, body }) => path.includes('{rfq}') || body !== undefined,
  ],
  413: ['The body is larger than 64 KiB', ({ body }) => body !== undefined],
  415: ['The body is not JSON', ({ body }) => body !== undefined],
  421: ['The Host header is not one of this server', () => true],
  429: ['Too many requests, or too many wrong tokens; see Retry-After', () => true],
  500: ['An unexpected error; the log has details', () => true],
  503: ['The database or the queue does not answer, or the answer takes too long', () => true],
}

/** The OpenAPI 3.1 document of the API, made from the schemas that validate requests and with which responses are tested. */
export function openApiDocument(operations: readonly Operation[]): Json {
  const { schemaOf, named } = convertSchemas(operations)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = `${API_PREFIX}${operation.path}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, schemaOf) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quotekeeper',
      version: API_VERSION,
      summary: 'What Quotekeeper knows about RFQs, their offers and closings.',
      description: 'Generated from the schemas that validate requests; docs/API.md describes the rest.',
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4780' }],
    security: [{ token: [] }, {}],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: named,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Not needed on loopback without users.' },
      },
    },
  }
}

const content = (schema: Json, type = 'application/json') => ({ content: { [type]: { schema } } })

function describeOperation(operation: Operation, schemaOf: SchemaOf): Json {
  const { id, tag, summary, description, status = 200, path, query, body, result } = operation
  const problem = content({ $ref: '#/components/schemas/Problem' }, PROBLEM_TYPE.split(';')[0])
  const problems = Object.entries(PROBLEMS).filter(([, [, isOf]]) => isOf(operation))
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }))
  const { properties = {} } = schemaOf(query) as { properties?: Record<string, Json> }
  const ofQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'query', ...(description !== undefined && { description }), schema },
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  }))
  return {
    ...{ operationId: id, tags: [tag], summary, description },
    parameters: [...ofPath, ...ofQuery],
    ...(body && { requestBody: { required: true, ...content(schemaOf(body)) } }),
    responses: {
      [status]: { description: status === 202 ? 'Accepted' : 'Success', ...content(schemaOf(result)) },
      ...Object.fromEntries(problems.map(([code, [meaning]]) => [code, { description: meaning, ...problem }])),
    },
  }
}

/** Finds a schema in JSON Schema: a reference, if it has a name. */
type SchemaOf = (schema: z.ZodType) => Json

/** All schemas of the operations in JSON Schema, and those that have a name, by their name. */
function convertSchemas(operations: readonly Operation[]): { schemaOf: SchemaOf; named: Json } {
  const received = convertTogether(
    operations.flatMap(({ query, body }) => (body ? [query, body] : [query])),
    'input',
  )
  const answered = convertTogether([problemDocument, ...operations.map(({ result }) => result)], 'output')
  const all = new Map([...received.schemas, ...answered.schemas])
  const named = Object.entries({ ...received.named, ...answered.named }).sort(([a], [b]) => byCodeUnit(a, b))
  return { schemaOf: (schema) => all.get(schema) ?? {}, named: Object.fromEntries(named) }
}

function convertTogether(all: readonly z.ZodType[], io: 'input' | 'output') {
  const members = z.object(Object.fromEntries(all.map((schema, at) => [String(at), schema])))
  const options = { io, unrepresentable: 'any', override: withoutPattern } as const
  const converted = JSON.stringify(z.toJSONSchema(members, options)).replaceAll('"#/$defs/', '"#/components/schemas/')
  const { properties, $defs = {} } = JSON.parse(converted) as Record<'properties' | '$defs', Record<string, Json>>
  return {
    schemas: all.map((schema, at) => [schema, properties[at] ?? {}] as const),
    named: Object.fromEntries(Object.entries($defs).map(([name, { id: _id, ...schema }]) => [name, schema])),
  }
}

/** zod adds a long pattern to dates, which repeats what the format says. */
function withoutPattern({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern
}
