import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/marketplace/contract.js'
import { ItemError } from '../../src/marketplace/errors.js'
import { CHANNEL, close, failureOf, json, KEY, open, serve, session } from './server.js'

const rfq = { id: 'r1', state: 'open', responses: [{ id: 'o1', listingId: 'l1' }] }

describe('requests', () => {
  it('call the five operations with the API key unaltered', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'POST') json(response, 200, { ok: true })
      else if (/(listings|rfqs)$/.test(request.url ?? '')) json(response, 200, { items: [] })
      else json(response, 200, { id: request.url?.split('/').at(-1) })
    })
    const channel = open(`${server.url}/api/`).session({ ...CHANNEL, apiKey: 'Scheme k=~"1' })
    await channel.listListings()
    await channel.listRfqs()
    await channel.readRfq('r1')
    await channel.readResponse('r1', 'o1')
    await close(channel)
    const base = '/api/v1/orgs/acme/channels/forest'
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${base}/listings`,
      `GET ${base}/rfqs`,
      `GET ${base}/rfqs/r1`,
      `GET ${base}/rfqs/r1/responses/o1`,
      `GET ${base}/rfqs/r1`,
      `POST ${base}/rfqs/r1/close`,
    ])
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        authorization: 'Scheme k=~"1',
        accept: 'application/json',
        'cache-control': 'no-cache',
        pragma: 'no-cache',
        'user-agent': 'quotekeeper/1.2.3',
      })
    }
    expect(server.requests.at(-1)?.headers['content-length']).toBe('0')
    expect(channel.requests).toBe(6)
  })

  it('percent-encode every path segment', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const channel = open(server.url).session({ ...CHANNEL, org: 'a/b?c#d', channel: '%2e é\u0000' })
    await channel.readResponse('..%2f', '../../close?x= \r\nHost: evil')
    expect(server.requests[0]?.url).toBe(
      '/v1/orgs/a%2Fb%3Fc%23d/channels/%252e%20%C3%A9%00/rfqs/..%252f/responses/..%2F..%2Fclose%3Fx%3D%20%0D%0AHost%3A%20evil',
    )
  })

  it.each(['', '.', '..', '\ud800'])(
    'are not sent for an identifier that cannot be part of a URL: %j',
    async (name) => {
      const server = await serve((_, response) => json(response, 200, {}))
      const channel = session(server.url)
      for (const call of [channel.readRfq(name), channel.readResponse('r1', name), channel.readForClose(name)]) {
        expect(await failureOf(call)).toBeInstanceOf(ItemError)
      }
      expect(server.requests).toEqual([])
    },
  )

  it('reuse connections, except that a close opens a new one', async () => {
    const ports: { reads: unknown[]; closes: unknown[] } = { reads: [], closes: [] }
    const server = await serve((request, response) => {
      ports[request.method === 'GET' ? 'reads' : 'closes'].push(request.socket.remotePort)
      json(response, 200, { id: 'r1', items: [] })
    })
    const channel = session(server.url)
    for (let round = 0; round < 10; round++) await channel.listRfqs()
    await close(channel)
    await close(channel)
    const [reads, closes] = [new Set(ports.reads), new Set(ports.closes)]
    expect(reads.size).toBeLessThan(4)
    expect(closes.size).toBe(2)
    expect([...closes].filter((port) => reads.has(port))).toEqual([])
    expect(server.requests.at(-1)?.headers.connection).toBe('close')
  })
})

describe('replies', () => {
  it('with the known text are not parsed', async () => {
    const server = await serve((_, response, number) => json(response, 200, { id: 'r1', number: number < 4 ? 1 : 2 }))
    const channel = session(server.url)
    const { value: first } = await channel.readRfq('r1')
    expect(first).toMatchObject({ same: false, document: { number: 1 } })
    const options = { knownHash: first.hash }
    const same = { body: undefined, same: true, document: null, problems: [], valid: true }
    expect((await channel.readRfq('r1', options)).value).toEqual({ ...first, ...same })
    expect((await channel.readRfq('r1', { knownHash: null })).value).toMatchObject({ same: false })
    expect((await channel.readRfq('r1', options)).value).toMatchObject({ same: false, document: { number: 2 } })
  })

  it('that contain the API key, or a long word of it, are not used', async () => {
    const forms = ['the-key/itself', 'the-key\\/itself', 'the-key%2Fitself', 'the-key%2fitself', 'the-key\\u002Fitself']
    const server = await serve((_, response, number) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"id":"r1","title":"x${forms[number - 1] ?? 'Token'}x"}`)
    })
    const channel = open(server.url).session({ ...CHANNEL, apiKey: 'Token the-key/itself' })
    for (const _ of forms) {
      const error = await failureOf(channel.readRfq('r1'))
      expect(error).toMatchObject({ name: 'UnavailableError', message: expect.not.stringContaining('itself') })
      expect(error.message).toContain('the body contains the API key. Nothing of it was used')
    }
    expect(server.requests).toHaveLength(forms.length)
    expect((await channel.readRfq('r1')).value.document?.title).toBe('xTokenx')
  })

  it('carry the server time, if it is one', async () => {
    const server = await serve((_, response, number) => {
      const date = number === 1 ? 'Sun, 06 Nov 1994 08:49:37 GMT' : 'yesterday'
      json(response, 200, { items: [] }, { date })
    })
    const channel = session(server.url)
    expect((await channel.listListings()).serverDate).toEqual(new Date('1994-11-06T08:49:37Z'))
    expect((await channel.listListings()).serverDate).toBeNull()
  })

  it('carry the time of the successful request, not of a failed attempt', async () => {
    const times = [1, 2, 3, 4, 5, 6].map((second) => new Date(second * 1000))
    const handed: Date[] = []
    const now = () => {
      const next = times.shift() ?? new Date(0)
      handed.push(next)
      return next
    }
    let before = 0
    const server = await serve((_, response, number) => {
      if (number === 2) before = handed.length
      json(response, number === 1 ? 500 : 200, { items: [] })
    })
    const { readAt } = await session(server.url, { now }).listRfqs()
    expect(before).toBeGreaterThan(1)
    expect(readAt).toEqual(handed[before - 1])
  })

  it('without an id get the requested id and are not valid', async () => {
    const server = await serve((_, response) => json(response, 200, { state: 'open' }))
    const { value } = await session(server.url).readRfq('r1')
    expect(value).toMatchObject({ id: 'r1', valid: false, document: null, text: '{"state":"open"}' })
  })

  it.each([{ id: 'r2' }, { id: 7 }, { id: ['r1'] }])(
    'with another id than requested are rejected: %j',
    async (body) => {
      const server = await serve((_, response) => json(response, 200, body))
      const channel = session(server.url, { limits: { retries: 1 } })
      const error = await failureOf(channel.readRfq('r1'))
      expect(error).toMatchObject({ name: 'UnavailableError', status: 200 })
      expect(error.message).toMatch(
        /rfqs\/r1: status 200, but the body is another document \(id (r2|7|r1)\); it starts with: .*, after 2/,
      )
    },
  )
})

describe('request observer', () => {
  it('receives operation, code, duration, retry flag, wait and clock skew of each request', async () => {
    const server = await serve((request, response, number) => {
      if (number === 2) request.socket.destroy()
      else {
        if (number === 3) response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
        json(response, number === 1 ? 500 : 200, rfq)
      }
    })
    const events: { operation: Operation; code: number | 'error'; retry: boolean; skew: number | null }[] = []
    const waits: number[] = []
    const channel = session(server.url, {
      limits: { perSecond: 20 },
      observer: ({ seconds, waitedSeconds, clockSkewSeconds, ...event }) => {
        expect(seconds).toBeGreaterThan(0)
        expect(seconds).toBeLessThan(5)
        waits.push(waitedSeconds)
        events.push({ ...event, skew: clockSkewSeconds && Math.round(clockSkewSeconds / 60) })
      },
    })
    await channel.readRfq('r1')
    await close(channel)
    expect(events).toEqual([
      { operation: 'readRfq', code: 500, retry: false, skew: 0 },
      { operation: 'readRfq', code: 'error', retry: true, skew: null },
      { operation: 'readRfq', code: 200, retry: true, skew: 60 },
      { operation: 'readRfq', code: 200, retry: false, skew: 0 },
      { operation: 'closeRfq', code: 200, retry: false, skew: 0 },
    ])
    expect(channel.requests).toBe(5)
  })
})

describe('cancellation', () => {
  it('ends requests in flight, waiting for the rate limiter and waiting for a retry', async () => {
    const server = await serve((request, response) => {
      if (request.url?.endsWith('listings')) json(response, 500, {})
    })
    const run = new AbortController()
    const backoff = { minTimeout: 60_000, maxTimeout: 60_000 }
    const channel = open(server.url, { backoff, limits: { concurrency: 1 } }).session(CHANNEL, { signal: run.signal })
    const retrying = failureOf(channel.listListings())
    await expect.poll(() => server.requests.length).toBe(1)
    const hanging = failureOf(channel.listRfqs())
    await expect.poll(() => server.requests.length).toBe(2)
    const waiting = failureOf(channel.readForClose('r1'))
    run.abort()
    for (const error of await Promise.all([retrying, hanging, waiting])) {
      expect(error).toMatchObject({ name: 'AbortedError', message: 'The run was stopped' })
    }
    expect(await failureOf(channel.listRfqs())).toMatchObject({ name: 'AbortedError' })
    expect(server.requests).toHaveLength(2)
  })

  it('by closing the client ends every session and connection', async () => {
    const server = await serve(() => undefined)
    const marketplace = open(server.url)
    const calls = [1, 2].map(() => failureOf(marketplace.session(CHANNEL).listRfqs()))
    await expect.poll(() => server.requests.length).toBe(2)
    await marketplace.close()
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'AbortedError' })
    await expect.poll(() => server.requests.every(({ socket }) => socket.destroyed)).toBe(true)
    expect(await failureOf(marketplace.session(CHANNEL).listRfqs())).toMatchObject({ name: 'AbortedError' })
  })

  it('by one signal works for many sessions and leaves no listener behind', async () => {
    const warnings: Error[] = []
    const record = (warning: Error) => warnings.push(warning)
    process.on('warning', record)
    const server = await serve((_, response) => json(response, 200, { items: [] }))
    const run = new AbortController()
    const marketplace = open(server.url)
    const sessions = Array.from({ length: 30 }, () => marketplace.session(CHANNEL, { signal: run.signal }))
    await Promise.all(sessions.flatMap((channel) => [channel.listRfqs(), channel.listListings()]))
    process.off('warning', record)
    expect(warnings).toEqual([])
    expect(getEventListeners(run.signal, 'abort')).toEqual([])
    expect(server.requests).toHaveLength(60)
    expect(server.requests.every(({ headers }) => headers.authorization === KEY)).toBe(true)
  })
})
