import { z } from 'zod'
import {
  closeReply,
  errorReply,
  listingDocument,
  listingList,
  responseDocument,
  responseSummary,
  rfqDocument,
  rfqList,
  rfqListDocument,
} from '../core/documents/documents.js'
import type { Operation } from './api-routes.js'

type Json = Record<string, unknown>

/** The version label of the marketplace's API description. */
const API_VERSION = '2'

const documents = [
  listingDocument,
  listingList,
  rfqListDocument,
  rfqList,
  responseSummary,
  rfqDocument,
  responseDocument,
  closeReply,
  errorReply,
]

interface OperationDescription {
  method: 'get' | 'post'
  /** Relative to the channel's path. */
  path: string
  summary: string
  description: string
  /** Schema component of the body of a 200 response. */
  bodySchema: string
  errors: readonly number[]
}

const operations: Record<Operation, OperationDescription> = {
  listListings: {
    method: 'get',
    path: '/listings',
    summary: 'List all project listings of a channel',
    description: 'Returns every listing of the channel in `items`.',
    bodySchema: 'ListingList',
    errors: [400, 401, 403, 404, 500],
  },
  listRfqs: {
    method: 'get',
    path: '/rfqs',
    summary: 'List all RFQs of a channel',
    description:
      'Returns every RFQ of the channel in `items`; each entry of `responses` holds `id` and `listingId` only.',
    bodySchema: 'RfqList',
    errors: [401, 403, 404, 500],
  },
  readRfq: {
    method: 'get',
    path: '/rfqs/{id}',
    summary: 'Read one RFQ',
    description: 'Returns the RFQ with summaries of the responses to it.',
    bodySchema: 'Rfq',
    errors: [401, 403, 404, 500],
  },
  readResponse: {
    method: 'get',
    path: '/rfqs/{rfqId}/responses/{id}',
    summary: "Read one project developer's response to an RFQ",
    description: 'Returns the response with its offer.',
    bodySchema: 'RfqResponse',
    errors: [401, 403, 404, 500],
  },
  closeRfq: {
    method: 'post',
    path: '/rfqs/{id}/close',
    summary: 'Close an RFQ',
    description: 'Closes an open RFQ. Takes no body.',
    bodySchema: 'CloseReply',
    errors: [400, 401, 403, 404, 500],
  },
}

const errorMeanings: Record<number, string> = {
  400: 'The request cannot be performed, for example because the RFQ to close is not open',
  401: 'The API key is missing or invalid',
  403: 'The API key has no access to the organization or channel',
  404: 'The organization, channel, RFQ or response does not exist',
  500: 'The marketplace failed to process the request',
}

/**
 * The OpenAPI 3.1 document of the five operations, generated from the schemas that the sandbox and the client share.
 * @param version version label of the API description
 */
export function openApiDocument(version: string = API_VERSION): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Channel Marketplace API',
      version,
      summary: 'Listings, requests for quote and offers of a marketplace channel of environmental-credit projects.',
      description: [
        'Generated from src/core/documents/documents.ts; `npm run openapi` regenerates it.',
        'The API document of the marketplace does not say which fields are required, nor which may be null except the five',
        'of `Listing` that are nullable here without `x-assumed`; `x-assumed` marks what Quotekeeper assumes. It excludes',
        'further fields for `Listing` and the files in `additionalData` only; `additionalProperties: false` elsewhere is',
        'what the sandbox sends. Clients should accept null, absent and unknown fields.',
      ].join(' '),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:{port}', description: 'The sandbox', variables: { port: { default: '4700' } } }],
    security: [],
    tags: [{ name: 'listings' }, { name: 'rfqs' }],
    paths: Object.fromEntries(Object.entries(operations).map(describePath)),
    components: {
      schemas: schemas(),
      responses: Object.fromEntries(Object.entries(errorMeanings).map(describeError)),
      parameters: { orgName: parameter('orgName'), channelSlug: parameter('channelSlug') },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The API key, without a scheme such as Bearer.',
        },
      },
    },
  }
}

function describePath([operationId, operation]: [string, OperationDescription]): [string, Json] {
  const { method, path, summary, description, bodySchema, errors } = operation
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter(name, 'uuid'))
  const described = {
    ...{ operationId, tags: [path.split('/')[1]], summary, description, security: [{ apiKey: [] }] },
    responses: {
      200: { description: 'Success', content: json(reference('schemas', bodySchema)) },
      ...Object.fromEntries(errors.map((status) => [status, reference('responses', String(status))])),
    },
  }
  const shared = ['orgName', 'channelSlug'].map((name) => reference('parameters', name))
  return [
    `/v1/orgs/{orgName}/channels/{channelSlug}${path}`,
    { parameters: [...shared, ...pathParameters], [method]: described },
  ]
}

const describeError = ([status, description]: [string, string]): [string, Json] => [
  status,
  { description, content: json(reference('schemas', 'Error')) },
]

const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })
const json = (schema: Json): Json => ({ 'application/json': { schema } })
const parameter = (name: string, format?: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', ...(format === undefined ? {} : { format }) },
})

/** Marks fields that may be null or absent in the replies of the sandbox. The API document does not say which may be. */
const ASSUMED_NULLABLE = { 'x-assumed': 'may be null or absent' }

/** Each named document becomes a component, and is referenced where another document contains it. */
function schemas(): Json {
  const registry = z.registry<{ id: string }>()
  for (const document of documents) registry.add(document, { id: document.meta()?.id ?? '' })
  const generated = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, override: refineSchema })
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
  )
}

/**
 * Adds what the API document promises but the schemas do not rely on: ids are UUIDs (except the id of a listing, which is
 * only said to be a string), and an RFQ has at least one listing. Marks what the API document does not promise. Drops the
 * long patterns of dates.
 */
function refineSchema({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: unknown
  jsonSchema: z.core.JSONSchema.BaseSchema
}): void {
  // zod also adds a pattern, which repeats what the format states.
  if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern
  const properties = (jsonSchema.properties ?? {}) as Record<string, Json>
  const uuids = [...(zodSchema === listingDocument ? [] : ['id']), 'listingId', 'offerId', 'sourceId']
  for (const key of uuids) if (properties[key]) properties[key] = { ...properties[key], format: 'uuid' }
  if (zodSchema instanceof z.ZodOptional) Object.assign(jsonSchema, ASSUMED_NULLABLE)
  if (properties.listingIds)
    Object.assign(properties.listingIds, { items: { type: 'string', format: 'uuid' }, minItems: 1 })
}
