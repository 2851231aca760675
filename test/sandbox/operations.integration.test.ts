import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SCHEMAS } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { createWorld, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { send } from '../web/support/web-server.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const acme = '/v1/orgs/acme/channels/forest'
const nowhere = '00000000-0000-4000-8000-000000000000'

/** What the operations reply besides single documents. */
const rfqList = z.strictObject({ items: z.array(SCHEMAS['rfq-entry']) })
const errorReply = z.strictObject({ statusCode: z.number(), message: z.string(), error: z.number() })

/** Sends a request to a sandbox; the default key is that of the organization in the path. */
async function requestJson(
  { url, keys }: Pick<Sandbox, 'url' | 'keys'>,
  path: string,
  {
    key = keys[path.split('/')[3] ?? ''] ?? null,
    ...options
  }: { method?: string; key?: string | null; body?: string } = {},
) {
  const response = await fetch(url + path, { ...options, headers: key ? { authorization: key } : {} })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect untyped bodies
  const body: any = text === '' ? null : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ world: createWorld({ seed: 7, now }), now: () => now })
})
afterAll(() => sandbox.close())

const expectToMatch = (schema: z.ZodType, body: unknown) => expect(parseLeniently(schema, body).problems).toEqual([])
const firstRfq = (state: string) =>
  sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs.find(({ terms }) => terms.state === state)?.terms
    .id ?? ''

describe('API operations', () => {
  it('sign the documentation URL of a listing again on each read', async () => {
    const read = async () => (await requestJson(sandbox, `${acme}/listings`)).body.items[0]
    const [{ additionalDocumentation: one, ...first }, { additionalDocumentation: other, ...second }] = [
      await read(),
      await read(),
    ]
    expect(one.url).not.toBe(other.url)
    expect(one.expires).toBe(now.getTime() / 1000 + 3600)
    expect(first).toEqual(second)
  })

  it('return the same RFQ in the list shape and the single shape', async () => {
    const list = await requestJson(sandbox, `${acme}/rfqs`)
    expectToMatch(rfqList, list.body)
    for (const item of list.body.items) {
      const { status, body } = await requestJson(sandbox, `${acme}/rfqs/${item.id}`)
      expect(status).toBe(200)
      expectToMatch(SCHEMAS.rfq, body)
      const responses = body.responses.map(({ id, listingId }: { id: string; listingId: string }) => ({
        id,
        listingId,
      }))
      expect({ ...body, responses }).toEqual(item)
    }
  })

  it('close an open RFQ: state, closedAt and updatedAt change, its responses do not', async () => {
    const id = firstRfq('open')
    const before = sandbox.world.rfq(id)
    const { status, body } = await requestJson(sandbox, `${acme}/rfqs/${id}/close`, { method: 'POST' })
    expect(status).toBe(200)
    expect(body).toEqual({ ok: true })
    const closed = { ...before, state: 'closed', closedAt: now.toISOString(), updatedAt: now.toISOString() }
    expect((await requestJson(sandbox, `${acme}/rfqs/${id}`)).body).toEqual(closed)
    const list = (await requestJson(sandbox, `${acme}/rfqs`)).body
    expect(list.items.find((item: { id: string }) => item.id === id)).toMatchObject({
      state: 'closed',
      closedAt: now.toISOString(),
    })
  })
})

describe('error replies', () => {
  const post = { method: 'POST' }
  /** A key may be that of an organization. */
  const cases: [name: string, status: number, path: string, options?: Parameters<typeof requestJson>[2]][] = [
    ['a missing key', 401, `${acme}/rfqs`, { key: '' }],
    ['an unknown key', 401, `${acme}/rfqs`, { key: 'guess' }],
    ['a key with an authentication scheme', 401, `${acme}/rfqs`, { key: 'Bearer x' }],
    ['a key of another organization', 403, `${acme}/rfqs/OPEN/close`, { ...post, key: 'meridian' }],
    ['an unknown organization', 404, '/v1/orgs/nobody/channels/forest/rfqs', { key: 'acme' }],
    ['an unknown channel', 404, '/v1/orgs/acme/channels/nothing/listings'],
    ['an unknown RFQ', 404, `${acme}/rfqs/${nowhere}`],
    ['an RFQ id that is not a UUID', 404, `${acme}/rfqs/abc`],
    ['an unknown response', 404, `${acme}/rfqs/OPEN/responses/${nowhere}`],
    ['closing a closed RFQ', 400, `${acme}/rfqs/CLOSED/close`, post],
    ['closing an id that is not a UUID', 400, `${acme}/rfqs/1001/close`, post],
    ['an invalid percent-encoding', 404, `${acme}/rfqs/%zz`],
    ['a wrong method', 404, `${acme}/rfqs`, { method: 'DELETE' }],
    ['a control path that is unknown', 404, '/_sandbox/nothing'],
    ['a fault of an unknown effect', 400, '/_sandbox/faults', { ...post, body: '{"effect":{"kind":"explode"}}' }],
    [
      'a fault with another condition',
      400,
      '/_sandbox/faults',
      { ...post, body: '{"opration":"x","effect":{"kind":"hang"}}' },
    ],
  ]
  it.each(cases)(
    '%s: replies %i with the error body, and closes nothing',
    async (_name, status, path, options = {}) => {
      const open = firstRfq('open')
      const key = sandbox.keys[options.key ?? ''] ?? options.key
      const url = path.replace('OPEN', open).replace('CLOSED', firstRfq('closed'))
      const reply = await requestJson(sandbox, url, { ...options, ...(key !== undefined && { key }) })
      expect(reply.status).toBe(status)
      expectToMatch(errorReply, reply.body)
      expect(reply.body.statusCode).toBe(status)
      expect(firstRfq('open')).toBe(open)
    },
  )
})

describe('faults over HTTP', () => {
  const control = (method: string, path: string, body?: object) =>
    requestJson(sandbox, `/_sandbox${path}`, { method, ...(body && { body: JSON.stringify(body) }) })

  it('are added and removed', async () => {
    const rfqs = async () => (await requestJson(sandbox, `${acme}/rfqs`)).status
    const status = { operation: 'listRfqs', times: 'always', effect: { kind: 'status', status: 503 } }
    const { body } = await control('POST', '/faults', status)
    expect([await rfqs(), await rfqs()]).toEqual([503, 503])
    expect((await control('DELETE', `/faults/${body.id}`)).status).toBe(204)
    expect(await rfqs()).toBe(200)
    const effect = [{ kind: 'date', value: null }, { kind: 'empty' }]
    await control('POST', '/faults', { operation: ['listRfqs'], times: 2, effect })
    expect((await requestJson(sandbox, `${acme}/rfqs`)).body).toEqual({ items: [] })
    await control('DELETE', '/faults')
    expect((await requestJson(sandbox, `${acme}/rfqs`)).body.items.length).toBeGreaterThan(5)
  })

  it.each([{ origin: 'https://elsewhere.example' }, { host: 'rebound.example' }])(
    'are refused from web pages: %o',
    async (headers) => {
      expect((await send(`${sandbox.url}/_sandbox/faults`, { method: 'POST', headers })).status).toBe(403)
    },
  )
})

it('the clock can be set and advanced; closes and the `Date` header use its time', async () => {
  const own = await startSandbox({ now: () => now })
  own.setClock(new Date('2025-06-11T10:00:00.000Z'))
  own.advance(new Date('2025-06-11T09:00:00.000Z'))
  expect(own.now()).toEqual(new Date('2025-06-11T10:00:00.000Z'))
  expect(own.advance(new Date('2025-06-13T00:00:00.000Z')).length).toBeGreaterThan(0)
  const { id } = own.world.addRfq({ org: 'acme', channel: 'forest' })
  const { headers } = await requestJson(own, `${acme}/rfqs/${id}/close`, { method: 'POST' })
  expect(headers.get('date')).toBe('Fri, 13 Jun 2025 00:00:00 GMT')
  expect(own.world.rfq(id).closedAt).toBe('2025-06-13T00:00:00.000Z')
  await own.close()
})

it('a port that is in use is an error, and closing twice is none', async () => {
  await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(`port ${sandbox.port}: the port is in use`)
  const other = await startSandbox()
  await Promise.all([other.close(), other.close()])
})
