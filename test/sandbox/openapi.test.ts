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
