import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import {
  closeReply,
  errorReply,
  listingList,
  responseDocument,
  rfqDocument,
  rfqList,
} from '../../src/domain/documents.js'
import { parseLeniently } from '../../src/domain/lenient-parser.js'
import { createWorld, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { requestJson } from './request-json.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const acme = '/v1/orgs/acme/channels/forest'
const nowhere = '00000000-0000-4000-8000-000000000000'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ world: createWorld({ seed: 7, now }), now: () => now })
})
afterAll(() => sandbox.close())

const expectToFit = (schema: z.ZodType, body: unknown) => expect(parseLeniently(schema, body).problems).toEqual([])
const firstRfq = (state: string) =>
  sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs.find(({ terms }) => terms.state === state)?.terms
    .id ?? ''

describe('the five operations', () => {
  it('lists listings that fit the document', async () => {
    const { status, body, headers } = await requestJson(sandbox, `${acme}/listings`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch('application/json')
    expect(body.items.length).toBe(14)
    expectToFit(listingList, body)
  })

  it('signs the documentation of a listing anew at each read', async () => {
    const read = async () => (await requestJson(sandbox, `${acme}/listings`)).body.items[0]
    const [{ additionalDocumentation: one, ...first }, { additionalDocumentation: other, ...second }] = [
      await read(),
      await read(),
    ]
    expect(one.url).not.toBe(other.url)
    expect(one.expires).toBe(now.getTime() / 1000 + 3600)
    expect(first).toEqual(second)
  })

  it('lists RFQs in the list shape and reads each in the single shape, saying the same', async () => {
    const list = await requestJson(sandbox, `${acme}/rfqs`)
    expectToFit(rfqList, list.body)
    for (const item of list.body.items) {
      const { status, body } = await requestJson(sandbox, `${acme}/rfqs/${item.id}`)
      expect(status).toBe(200)
      expectToFit(rfqDocument, body)
      const responses = body.responses.map(({ id, listingId }: { id: string; listingId: string }) => ({
        id,
        listingId,
      }))
      expect({ ...body, responses }).toEqual(item)
    }
  })

  it('reads each response, agreeing with its summary', async () => {
    const rfq = sandbox.world.rfq(firstRfq('open'))
    expect(rfq.responses.length).toBeGreaterThan(0)
    for (const summary of rfq.responses) {
      const { body } = await requestJson(sandbox, `${acme}/rfqs/${rfq.id}/responses/${summary.id}`)
      expectToFit(responseDocument, body)
      const { offer, ...response } = body
      expect({ ...offer, ...response }).toMatchObject(summary)
    }
  })

  it('closes an open RFQ: state, closedAt and updatedAt; the responses stay', async () => {
    const id = firstRfq('open')
    const before = sandbox.world.rfq(id)
    const { status, body } = await requestJson(sandbox, `${acme}/rfqs/${id}/close`, { method: 'POST' })
    expect(status).toBe(200)
    expectToFit(closeReply, body)
    expect(body).toEqual({ ok: true })
    const closed = { ...before, state: 'closed', closedAt: now.toISOString(), updatedAt: now.toISOString() }
    expect((await requestJson(sandbox, `${acme}/rfqs/${id}`)).body).toEqual(closed)
    const list = (await requestJson(sandbox, `${acme}/rfqs`)).body
    expect(list.items.find((item: { id: string }) => item.id === id)).toMatchObject({
      state: 'closed',
      closedAt: now.toISOString(),
    })
  })

  it('leaves an RFQ alone that is closed already', async () => {
    const id = firstRfq('closed')
    const before = sandbox.world.rfq(id)
    const { status, body } = await requestJson(sandbox, `${acme}/rfqs/${id}/close`, { method: 'POST' })
    expect(status).toBe(400)
    expectToFit(errorReply, body)
    expect(body.message).toContain('closed')
    expect(sandbox.world.rfq(id)).toEqual(before)
  })
})

describe('refusals', () => {
  const cases: [name: string, status: number, path: string, options?: Parameters<typeof requestJson>[2]][] = [
    ['no key', 401, `${acme}/rfqs`, { key: null }],
    ['an unknown key', 401, `${acme}/rfqs`, { key: 'guess' }],
    ['a key with a scheme before it', 401, `${acme}/rfqs`, { key: 'Bearer x' }],
    ['an unknown organization', 404, '/v1/orgs/nobody/channels/forest/rfqs', { key: 'KEY' }],
    ['an unknown channel', 404, '/v1/orgs/acme/channels/nothing/listings'],
    ['a channel of another organization', 404, '/v1/orgs/acme/channels/removals/listings'],
    ['an unknown RFQ', 404, `${acme}/rfqs/${nowhere}`],
    ['an RFQ identifier that is none', 404, `${acme}/rfqs/abc`],
    ['an unknown response', 404, `${acme}/rfqs/RFQ/responses/${nowhere}`],
    ['closing an unknown RFQ', 404, `${acme}/rfqs/${nowhere}/close`, { method: 'POST' }],
    ['closing what is no identifier', 400, `${acme}/rfqs/1001/close`, { method: 'POST' }],
    ['another path', 404, '/v2/orgs/acme/channels/forest/rfqs'],
    ['a segment too many', 404, `${acme}/rfqs/${nowhere}/close/now`, { method: 'POST' }],
    ['a percent sign gone wrong', 404, `${acme}/rfqs/%zz`],
    ['another method', 405, `${acme}/rfqs`, { method: 'DELETE' }],
    ['reading the close', 405, `${acme}/rfqs/${nowhere}/close`],
  ]
  it.each(cases)('%s is answered with %i and the error body', async (_name, status, path, options = {}) => {
    const key = options.key === 'KEY' ? { key: sandbox.keys.acme ?? '' } : {}
    const reply = await requestJson(sandbox, path.replace('/RFQ/', `/${firstRfq('open')}/`), { ...options, ...key })
    expect(reply.status).toBe(status)
    expectToFit(errorReply, reply.body)
    expect(reply.body.statusCode).toBe(status)
  })

  it('a key of another organization is answered with 403, and nothing is closed', async () => {
    const id = firstRfq('open')
    const reply = await requestJson(sandbox, `${acme}/rfqs/${id}/close`, {
      method: 'POST',
      key: sandbox.keys.meridian ?? '',
    })
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ statusCode: 403 })
    expect(sandbox.world.rfq(id).state).toBe('open')
  })

  it('bytes that are no HTTP are answered with 400 and harm nobody', async () => {
    const answer = await speak(sandbox.port, 'NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    await speak(sandbox.port, `GET ${acme}/rfqs HTTP/1.1\r\nContent-Length: -3\r\n\r\n`)
    await speak(sandbox.port, Buffer.from([0, 255, 22, 3, 1]))
    expect((await requestJson(sandbox, `${acme}/rfqs`)).status).toBe(200)
  })
})

it('finds channels and organizations whose names need percent-encoding', async () => {
  const world = createWorld({ seed: 1, now, channels: [{ org: 'Müller & Söhne', channel: 'a/b c', apiKey: 'k' }] })
  const odd = await startSandbox({ world })
  const path = `/v1/orgs/${encodeURIComponent('Müller & Söhne')}/channels/${encodeURIComponent('a/b c')}/rfqs`
  expect((await requestJson(odd, path, { key: 'k' })).status).toBe(200)
  await odd.close()
})

it('closes in the channel that was named, where two have the same RFQ', async () => {
  const channels = ['one', 'two'].map((channel) => ({ org: 'acme', channel, apiKey: 'k', rfqs: 0 }))
  const world = createWorld({ seed: 1, now, channels })
  const [id, ref] = [nowhere, { org: 'acme', channel: 'two' }]
  for (const each of channels) world.addRfq(each, { id })
  const twins = await startSandbox({ world, now: () => now })
  expect((await requestJson(twins, `/v1/orgs/acme/channels/two/rfqs/${id}/close`, { method: 'POST' })).status).toBe(200)
  expect(world.findRfq(id)?.record.terms.state).toBe('open')
  expect(world.findRfq(id, ref)?.record.terms.state).toBe('closed')
  await twins.close()
})

it('knows a key no more that was taken away', async () => {
  const world = createWorld({ seed: 1, now, channels: [{ org: 'acme', channel: 'forest', apiKey: 'old' }] })
  const changing = await startSandbox({ world })
  expect((await requestJson(changing, `${acme}/rfqs`, { key: 'old' })).status).toBe(200)
  world.revokeKeys('acme')
  world.addKey('acme', 'new')
  expect((await requestJson(changing, `${acme}/rfqs`, { key: 'old' })).status).toBe(401)
  expect((await requestJson(changing, `${acme}/rfqs`, { key: 'new' })).status).toBe(200)
  expect(changing.keys).toEqual({ acme: 'new' })
  await changing.close()
})

it('keeps requests with what became of them, and no key', async () => {
  sandbox.log.reset()
  const id = firstRfq('open')
  await requestJson(sandbox, `${acme}/rfqs/${id}/close?why=test`, { method: 'POST' })
  await requestJson(sandbox, `${acme}/rfqs/${id}/close`, { method: 'POST' })
  await requestJson(sandbox, `${acme}/listings`, { key: 'secret-guess' })
  const common = { method: 'POST', operation: 'closeRfq', org: 'acme', channel: 'forest', rfqId: id, key: 'good' }
  expect(sandbox.requests).toMatchObject([
    { ...common, path: `${acme}/rfqs/${id}/close?why=test`, status: 200, applied: true },
    { ...common, status: 400, applied: false },
    { operation: 'listListings', status: 401, key: 'unknown' },
  ])
  expect(JSON.stringify(sandbox.requests)).not.toContain('secret-guess')
})

/** Sends bytes as they are; resolves to all that came back before the end. */
function speak(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (data) => {
      heard += data
    })
    socket.on('error', () => resolve(heard))
    socket.on('close', () => resolve(heard))
  })
}
