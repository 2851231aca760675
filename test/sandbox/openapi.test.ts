import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createWorld, openApiDocument, startSandbox } from '../../src/sandbox/index.js'
import { requestJson } from './request-json.js'

const file = new URL('../../docs/openapi.json', import.meta.url)
// biome-ignore lint/suspicious/noExplicitAny: untyped JSON
const document = openApiDocument() as any

it('docs/openapi.json matches the schemas (npm run openapi regenerates it)', async () => {
  if (process.env.UPDATE_OPENAPI) await writeFile(file, JSON.stringify(document, null, 2))
  const written: unknown = JSON.parse(await readFile(file, 'utf8'))
  expect(written).toEqual(document)
  expect(JSON.stringify(written)).toBe(JSON.stringify(document))
})

describe('the OpenAPI document', () => {
  it('has the five operations with their error statuses, each secured by the API key', () => {
    const operations = Object.values<Record<string, { operationId: string; responses: object; security: unknown }>>(
      document.paths,
    )
      .flatMap(({ get, post }) => get ?? post ?? [])
      .map(({ operationId, responses, security }) => [operationId, Object.keys(responses).join(' '), security])
    const key = [{ apiKey: [] }]
    expect(operations).toEqual([
      ['listListings', '200 400 401 403 404 500', key],
      ['listRfqs', '200 401 403 404 500', key],
      ['readRfq', '200 401 403 404 500', key],
      ['readResponse', '200 401 403 404 500', key],
      ['closeRfq', '200 400 401 403 404 500', key],
    ])
  })

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
    expect(references.length).toBeGreaterThan(30)
    for (const path of references) {
      const target = path.split('/').reduce((at: Record<string, never> | undefined, key) => at?.[key], document)
      expect(target, path).toBeTypeOf('object')
    }
  })

  it('declares every path parameter once', () => {
    for (const [path, item] of Object.entries<{ parameters: { name?: string; $ref?: string }[] }>(document.paths)) {
      const named = item.parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))
      expect(named.toSorted()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted())
    }
  })

  it('declares ids as UUIDs, except the id of a listing, which is documented as a string', () => {
    const { Listing, ResponseSummary } = document.components.schemas
    expect(Listing.properties.id).toEqual({ type: 'string', minLength: 1 })
    expect(ResponseSummary.properties.id.format).toBe('uuid')
    const { Rfq, RfqListItem, RfqResponse } = document.components.schemas
    expect(Rfq.properties.id.format).toBe('uuid')
    expect(Rfq.properties.listingIds).toEqual({ type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1 })
    expect(RfqListItem.properties.responses.items.properties.listingId.format).toBe('uuid')
    expect(RfqResponse.properties.listingId.format).toBe('uuid')
  })

  it('marks every nullable field as assumed, except the five that are documented as nullable', () => {
    const nullable: Record<string, string[]> = { documented: [], assumed: [] }
    const visit = (schema: unknown, path: string): void => {
      if (schema === null || typeof schema !== 'object') return
      const { anyOf, type, properties } = schema as {
        anyOf?: { type?: string }[]
        type?: string | string[]
        properties?: Record<string, unknown>
      }
      const admitsNull = anyOf?.some((each) => each.type === 'null') || (Array.isArray(type) && type.includes('null'))
      const isNullable = admitsNull && !path.endsWith('additionalProperties')
      if (isNullable) nullable['x-assumed' in schema ? 'assumed' : 'documented']?.push(path.split('.').at(-1) ?? '')
      if (properties) for (const [key, value] of Object.entries(properties)) visit(value, `${path}.${key}`)
      for (const [key, value] of Object.entries(schema)) if (key !== 'properties') visit(value, `${path}/${key}`)
    }
    visit(document.components.schemas, '')
    const unique = (names: string[] = []) => [...new Set(names.map((name) => name.replace(/\/.*/, '')))].toSorted()
    expect(unique(nullable.documented)).toEqual([
      'additionalData',
      'firstIssuanceDate',
      'projectDescription',
      'projectEndDate',
      'projectStartDate',
    ])
    expect(unique(nullable.assumed)).toEqual([
      'additionalNotesToBuyer',
      'additionalRequirements',
      'closedAt',
      'comment',
      'expiryDate',
      'name',
      'notes',
      'openedAt',
      'review',
    ])
  })

  it('describes the replies of the sandbox exactly', async () => {
    const sandbox = await startSandbox({ world: createWorld({ seed: 4, now: new Date('2025-06-11T09:30:00Z') }) })
    const base = '/v1/orgs/acme/channels/forest'
    const rfq = (await requestJson(sandbox, `${base}/rfqs`)).body.items.find(
      (item: { responses: unknown[] }) => item.responses.length > 0,
    )
    const answers: [schema: string, path: string, method?: string][] = [
      ['ListingList', `${base}/listings`],
      ['RfqList', `${base}/rfqs`],
      ['Rfq', `${base}/rfqs/${rfq.id}`],
      ['RfqResponse', `${base}/rfqs/${rfq.id}/responses/${rfq.responses[0].id}`],
      ['CloseReply', `${base}/rfqs/${rfq.id}/close`, 'POST'],
      ['Error', `${base}/rfqs/${rfq.id}/close`, 'POST'],
    ]
    for (const [name, path, method] of answers) {
      const { body } = await requestJson(sandbox, path, method ? { method } : {})
      expect(validatorFor(name).safeParse(body), name).toMatchObject({ success: true })
      expect(validatorFor(name).safeParse({ ...body, surprise: 1 }).success, name).toBe(false)
    }
    await sandbox.close()
  })
})

/** A validator for one schema component, built only from the JSON Schema in the document. */
const validatorFor = (name: string) =>
  z.fromJSONSchema({
    $ref: `#/$defs/${name}`,
    $defs: JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/')),
  })
