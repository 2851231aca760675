import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorReply, listingDocument, responseDocument, rfqDocument } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { createWorld, type Sandbox, startSandbox, type WorldEvent } from '../../src/sandbox/index.js'
import { requestJson } from './request-json.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const rfqs = '/v1/orgs/acme/channels/forest/rfqs'
const channels = [{ org: 'acme', channel: 'forest', apiKey: 'secret-key', listings: 3, rfqs: 3, responsesPerRfq: 1 }]

let sandbox: Sandbox
let events: WorldEvent[]
beforeEach(async () => {
  events = []
  const world = createWorld({ seed: 7, now, channels })
  sandbox = await startSandbox({ world, now: () => now, onEvent: (happening) => events.push(happening) })
})
afterEach(() => sandbox.close())

const control = (method: string, path: string, body?: unknown) =>
  requestJson(sandbox, `/_sandbox${path}`, {
    method,
    key: null,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe('sandbox control API', () => {
  it('summarizes the world without API keys', async () => {
    const { status, body } = await control('GET', '')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      seed: 7,
      now: now.toISOString(),
      channels: [{ channel: 'acme/forest', listings: 3, rfqs: { open: 3, pastDue: 1, dueToday: 1, closed: 0 } }],
      requests: { total: 0, inFlight: 0 },
      faults: 0,
    })
    expect(JSON.stringify(body)).not.toContain('secret-key')
  })

  it('lists and clears requests, excluding its own', async () => {
    await requestJson(sandbox, rfqs)
    await requestJson(sandbox, `${rfqs}/none`)
    const all = await control('GET', '/requests')
    expect(all.body.items).toMatchObject([
      { operation: 'listRfqs', status: 200 },
      { operation: 'readRfq', status: 404 },
    ])
    expect((await control('GET', '/requests?operation=readRfq&limit=1')).body.items).toMatchObject([
      { path: `${rfqs}/none` },
    ])
    expect((await control('DELETE', '/requests')).status).toBe(204)
    expect((await control('GET', '/requests')).body.items).toEqual([])
  })

  it('adds, lists and removes faults', async () => {
    const fault = { path: 'rfqs$', times: 'always', effect: { kind: 'status', status: 503 } }
    const { body } = await control('POST', '/faults', fault)
    expect((await requestJson(sandbox, rfqs)).status).toBe(503)
    expect((await control('GET', '/faults')).body).toEqual({
      items: [{ id: body.id, hits: 1, left: 'always', kinds: ['status'] }],
    })
    expect((await control('DELETE', `/faults/${body.id}`)).status).toBe(204)
    expect((await control('DELETE', `/faults/${body.id}`)).status).toBe(404)
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
    await control('POST', '/faults', {
      operation: ['listRfqs'],
      times: 2,
      effect: [{ kind: 'date', value: null }, { kind: 'empty' }],
    })
    expect((await requestJson(sandbox, rfqs)).body).toEqual({ items: [] })
    await control('DELETE', '/faults')
    expect((await requestJson(sandbox, rfqs)).body.items.length).toBe(3)
  })

  it('advances time and returns the events', async () => {
    const { body } = await control('POST', '/advance', { to: '2025-06-14T00:00:00.000Z' })
    expect(body.now).toBe('2025-06-14T00:00:00.000Z')
    expect(body.happened.length).toBeGreaterThan(0)
    expect(JSON.parse(JSON.stringify(events))).toEqual(body.happened)
    expect((await requestJson(sandbox, rfqs)).headers.get('date')).toBe('Sat, 14 Jun 2025 00:00:00 GMT')
    expect((await control('POST', '/advance', { byMs: 60_000 })).body.now).toBe('2025-06-14T00:01:00.000Z')
    await control('PUT', '/clock', { now: '2025-07-01T00:00:00.000Z' })
    expect(sandbox.now()).toEqual(new Date('2025-07-01T00:00:00.000Z'))
  })

  it('adds, changes and removes documents', async () => {
    const listing = (await control('POST', '/channels/acme/forest/listings', { projectName: 'Here' })).body
    expect(parseLeniently(listingDocument, listing).problems).toEqual([])
    const rfq = (await control('POST', '/channels/acme/forest/rfqs', { responseDueDate: '2025-06-01' })).body
    expect(parseLeniently(rfqDocument, rfq).problems).toEqual([])
    const response = (await control('POST', `/rfqs/${rfq.id}/responses`)).body
    expect(parseLeniently(responseDocument, response).problems).toEqual([])
    await control('PATCH', `/listings/${listing.id}`, { pricing: { currency: 'GBP' } })
    await control('PATCH', `/rfqs/${rfq.id}`, { title: 'Other' })
    await control('PATCH', `/responses/${response.id}`, { status: 'accepted', offer: { totalPrice: 1 } })
    expect((await requestJson(sandbox, `${rfqs}/${rfq.id}`)).body).toMatchObject({
      title: 'Other',
      responseDueDate: '2025-06-01',
      responses: [{ id: response.id, status: 'accepted', totalPrice: 1, currency: response.offer.currency }],
    })
    for (const path of [`/responses/${response.id}`, `/rfqs/${rfq.id}`, `/listings/${listing.id}`]) {
      expect((await control('DELETE', path)).status).toBe(204)
      expect((await control('DELETE', path)).status).toBe(404)
    }
  })

  const wrong: [name: string, status: number, method: string, path: string, body?: unknown][] = [
    ['an unknown control path', 404, 'GET', '/nothing'],
    ['a wrong method', 405, 'DELETE', '/advance'],
    ['an unknown effect', 400, 'POST', '/faults', { effect: { kind: 'explode' } }],
    ['a misspelled condition', 400, 'POST', '/faults', { opration: 'readRfq', effect: { kind: 'hang' } }],
    ['an invalid regular expression', 400, 'POST', '/faults', { path: '(', effect: { kind: 'hang' } }],
    ['a missing body', 400, 'POST', '/faults'],
    ['an invalid time', 400, 'POST', '/advance', { to: 'tomorrow' }],
    ['an unknown RFQ', 404, 'PATCH', '/rfqs/none', { title: 'x' }],
    ['an unknown channel', 404, 'POST', '/channels/acme/none/rfqs'],
    ['an invalid percent-encoding', 400, 'PATCH', '/rfqs/%zz', {}],
  ]
  it.each(wrong)('replies to %s with %i and an error body', async (_name, status, method, path, body) => {
    const reply = await control(method, path, body)
    expect(reply.status).toBe(status)
    expect(parseLeniently(errorReply, reply.body).problems).toEqual([])
  })

  it('names the methods that a path allows', async () => {
    const reply = await control('PUT', '/faults')
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
  })

  it('rejects invalid JSON and bodies that are too large', async () => {
    expect((await requestJson(sandbox, '/_sandbox/faults', { method: 'POST', key: null, body: '{' })).status).toBe(400)
    expect(
      (await requestJson(sandbox, '/_sandbox/faults', { method: 'POST', key: null, body: ' '.repeat(5 * 2 ** 20) }))
        .status,
    ).toBe(400)
  })

  it.each([{ origin: 'https://elsewhere.example' }, { host: 'rebound.example' }])(
    'rejects requests from web pages: %o',
    async (headers) => {
      expect(await statusOf('/_sandbox', headers)).toBe(403)
    },
  )

  it('can be disabled', async () => {
    const without = await startSandbox({ world: sandbox.world, control: false })
    expect((await requestJson(without, '/_sandbox', { key: null })).status).toBe(404)
    await without.close()
  })
})

/** Uses `node:http` because `fetch` does not allow setting the Host header. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${sandbox.url}${path}`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}
