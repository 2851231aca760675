import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ChannelSession } from '../../src/marketplace/contract.js'
import { holdDeadlines } from '../helpers/request-deadlines.js'
import { close, deadUrl, failureOf, json, KEY, serve, serveCloses, serveRaw, session } from './server.js'

const lists = [(s: ChannelSession) => s.listListings(), (s: ChannelSession) => s.listRfqs()]
const items = [(s: ChannelSession) => s.readRfq('r1'), (s: ChannelSession) => s.readResponse('r1', 'o1')]
const ERROR_BODY = { statusCode: 0, message: 'as the service puts it', error: 7 }
const whole = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"items":[]}'

describe('error statuses', () => {
  it.each([
    [400, 'ChannelError', 'ItemError'],
    [401, 'ChannelError', 'ChannelError'],
    [403, 'ChannelError', 'ChannelError'],
    [404, 'ChannelError', 'ItemError'],
    [410, 'ChannelError', 'ItemError'],
    [418, 'UnavailableError', 'UnavailableError'],
    [206, 'UnavailableError', 'UnavailableError'],
  ])('%i is not retried: %s for a list, %s for an item', async (status, forList, forItem) => {
    const server = await serve((_, response) => json(response, status, ERROR_BODY))
    for (const call of lists) {
      const error = await failureOf(call(session(server.url)))
      expect(error).toMatchObject({ name: forList, status })
      expect(error.message).toContain(`status ${status} (as the service puts it)`)
    }
    for (const call of items)
      expect(await failureOf(call(session(server.url)))).toMatchObject({ name: forItem, status })
    expect(server.requests).toHaveLength(4)
  })

  it('401 also rejects the reads of the session that wait for the rate limiter', async () => {
    const server = await serve((_, response) => json(response, 401, ERROR_BODY))
    const channel = session(server.url, { limits: { concurrency: 1 } })
    await Promise.all(Array.from({ length: 20 }, (_, index) => failureOf(channel.readRfq(`r${index}`))))
    expect(server.requests).toHaveLength(1)
  })

  it('keep the API key out of messages, even if the reply repeats it', async () => {
    const server = await serve((request, response) => {
      const location = `https://evil.example/?key=${request.headers.authorization}`
      json(response, request.url?.endsWith('rfqs') ? 302 : 401, { message: `no such key: ${KEY}` }, { location })
    })
    for (const call of lists) {
      const error = await failureOf(call(session(server.url)))
      expect(error.message).toContain('[API key removed]')
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(KEY)
    }
    const closing = await serveCloses((_, response) => json(response, 401, { message: `no such key: ${KEY}` }))
    expect((await close(session(closing.url))).message).toBe('no such key: [API key removed]')
  })
})

describe('a reply that a cache made earlier', () => {
  it.each([200, 304, 401, 404, 503])('is a failed read whatever its status, and is not retried: %i', async (status) => {
    const server = await serve((_, response) => json(response, status, { items: [], id: 'r1' }, { age: '13' }))
    const channel = session(server.url)
    for (const call of [...lists, ...items]) {
      const error = await failureOf(call(channel))
      expect(error).toMatchObject({ name: 'UnavailableError', status })
      expect(error.message).toContain('a cache answered with an earlier reply')
    }
    expect(channel.requests).toBe(lists.length + items.length)
  })

  it.each([
    ['0', null],
    ['1', 'UnavailableError'],
    ['-1', 'UnavailableError'],
    ['soon', 'UnavailableError'],
    ['0, 13', 'UnavailableError'],
  ])('is told by "Age: %s"', async (age, error) => {
    const server = await serve((_, response) => json(response, 200, { id: 'r1' }, { age }))
    expect(
      await session(server.url)
        .readRfq('r1')
        .then(
          () => null,
          ({ name }) => name,
        ),
    ).toBe(error)
  })

  it('says nothing about a close, or about the clock of the marketplace', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const closing = await serveCloses((_, response) => json(response, 200, { ok: true }, { age: '3600', date }))
    const skews: (number | null)[] = []
    const observer = ({ clockSkewSeconds }: { clockSkewSeconds: number | null }) => void skews.push(clockSkewSeconds)
    expect(await failureOf(close(session(closing.url, { observer })))).toMatchObject({ name: 'UnavailableError' })
    expect(skews.at(-1)).toBeNull()
  })
})

describe('transient failures', () => {
  it.each([408, 429, 500, 502, 503, 504, 599])('%i is retried until it succeeds', async (status) => {
    const server = await serve((_, response, number) => json(response, number < 3 ? status : 200, { items: [] }))
    const channel = session(server.url)
    await expect(channel.listRfqs()).resolves.toMatchObject({ value: [] })
    expect(channel.requests).toBe(3)
  })

  it('of a marketplace that is down stop a run after fewer than fifty requests, with the reply to each', async () => {
    const server = await serve((_, response) => json(response, 503, ERROR_BODY))
    const channel = session(server.url, { limits: { retries: 5 } })
    const reads = await Promise.all(Array.from({ length: 500 }, (_, index) => failureOf(channel.readRfq(`r${index}`))))
    expect(new Set(reads.map((error) => error.name))).toEqual(new Set(['UnavailableError']))
    expect(server.requests.length).toBeLessThan(50)
    const requested = new Set(server.requests.map(({ url }) => url))
    expect(reads.filter(({ message }) => message.includes('status 503'))).toHaveLength(requested.size)
    expect((await failureOf(channel.listRfqs())).message).toContain('not sent, because too many requests')
    expect((await failureOf(channel.readForClose('r1'))).message).toContain('not sent, because too many requests')
  })

  it('leave a close that was read before sent and verified', async () => {
    let isDown = false
    const server = await serve((request, response) =>
      json(response, isDown ? 503 : 200, request.method === 'POST' ? { ok: true } : { id: 'r1' }),
    )
    const channel = session(server.url, { limits: { retries: 5 } })
    const slot = await channel.readForClose('r1')
    isDown = true
    await Promise.all(Array.from({ length: 100 }, () => failureOf(channel.readRfq('r1'))))
    expect(await slot.close(() => null)).toMatchObject({ status: 503 })
    slot.release()
  })

  it('include a refused connection', async () => {
    const channel = session(await deadUrl())
    const error = await failureOf(channel.listRfqs())
    expect(error).toMatchObject({ name: 'UnavailableError', status: null })
    expect(error.message).toMatch(/no complete reply \(connect ECONNREFUSED 127.0.0.1:\d+\), after 4 attempts/)
    expect(channel.requests).toBe(4)
  })

  it.each([
    ['HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"items":[{"id":"a'],
    [
      'a length not reached',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"items":[]}',
    ],
    ['a last chunk missing', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{"items":[]}\r\n'],
    ['what is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('include an incomplete body: %s', async (_, bytes) => {
    const server = await serveRaw((socket, _head, number) => {
      if (number === 1) socket.end(bytes)
      else socket.write(whole)
    })
    const channel = session(server.url)
    await expect(channel.listRfqs()).resolves.toMatchObject({ value: [] })
    expect(channel.requests).toBe(2)
  })

  it('do not include a complete body that ends with the connection', async () => {
    const server = await serveRaw((socket) => {
      socket.end('HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"items":[{"id":"a"}]}')
    })
    const channel = session(server.url)
    expect((await channel.listRfqs()).value).toHaveLength(1)
    expect((await channel.listRfqs()).value).toHaveLength(1)
    expect(channel.requests).toBe(2)
  })

  it.each([
    ['text/html', '<html><body>\u001b[31mBack soon</body></html>', 'the body is text/html instead of application/json'],
    ['application/json', '<html>Back soon</html>', 'the body is not valid JSON, or incomplete'],
    ['application/json', '', 'the body is empty'],
    ['application/json', '[]', 'the body is not a JSON object'],
    ['application/json', '{"items":{"0":{}}}', 'the body has no "items" array'],
    ['application/json', `{"items":[${'['.repeat(300)}${']'.repeat(300)}]}`, 'the body is nested too deeply'],
  ])('include a 200 with an unexpected body: %s %s', async (type, body, message) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const error = await failureOf(session(server.url).listRfqs())
    expect(error).toMatchObject({ name: 'UnavailableError', status: 200 })
    expect(error.message).toContain(`status 200, but ${message}`)
    expect(error.message).toMatch(/, after 4 attempts$/)
    expect(error.message).not.toMatch(/\p{Cc}/u)
    if (body.includes('soon')) expect(error.message).toContain('Back soon')
    expect(error.message.length).toBeLessThan(500)
  })
})

describe('request deadline', () => {
  const short = { timeoutMs: 300, retries: 1 }

  it.each([
    ['no answer at all', ''],
    ['half a head', whole.slice(0, 25)],
    ['half a body', whole.slice(0, -3)],
  ])('ends %s', async (_, bytes) => {
    const asked: Socket[] = []
    const server = await serveRaw((socket) => {
      asked.push(socket)
      socket.write(bytes)
    })
    const deadlines = holdDeadlines()
    const failure = failureOf(session(server.url, { limits: short }).listRfqs())
    for (const attempt of [1, 2]) {
      await deadlines.waitUntil(() => {
        // For the wait before the retry.
        if (attempt === 2) deadlines.pass(1)
        return server.heads.length === attempt
      })
      deadlines.pass(300)
    }
    const error = await failure
    expect(error).toMatchObject({ name: 'UnavailableError', status: null })
    expect(error.message).toContain('no complete reply within 300 ms, after 2 attempts')
    await expect.poll(() => asked.every((socket) => socket.destroyed)).toBe(true)
  })

  it('ends a body that arrives slowly but steadily', async () => {
    let sent = 0
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' ', () => sent++), 10)
      response.on('close', () => clearInterval(drip))
    })
    const deadlines = holdDeadlines()
    const failure = failureOf(session(server.url, { limits: { ...short, retries: 0 } }).listRfqs())
    for (const part of [1, 2, 3]) {
      await deadlines.waitUntil(() => sent > 5 * part)
      deadlines.pass(100)
    }
    const error = await failure
    expect(error.message).toContain('no complete reply within 300 ms')
  })

  it('includes connecting, and nothing is sent after it', async () => {
    const server = await serveRaw(() => undefined)
    const url = server.url.replace('http:', 'https:')
    const deadlines = holdDeadlines()
    const failure = failureOf(session(url, { limits: { ...short, retries: 0 } }).readForClose('r1'))
    await deadlines.waitUntil(() => server.heads.length === 1)
    deadlines.pass(300)
    const error = await failure
    expect(error.message).toContain('no complete reply within 300 ms')
    expect(server.heads.every((head) => !head.includes('GET'))).toBe(true)
  })
})

describe.each([301, 302, 307, 308])('a redirect (%i)', (status) => {
  it('is followed neither on a read nor on a close', async () => {
    const elsewhere = await serve((_, response) => json(response, 200, { items: [] }))
    const redirect = (_: unknown, response: ServerResponse) => json(response, status, {}, { location: elsewhere.url })
    const error = await failureOf(session((await serve(redirect)).url).listRfqs())
    expect(error.message).toMatch(/redirect/i)
    expect(await close(session((await serveCloses(redirect)).url))).toMatchObject({ status, ok: null })
    expect(elsewhere.requests).toEqual([])
  })
})

describe('body size limit', () => {
  const text = JSON.stringify({ items: [{ id: 'a', title: 'x'.repeat(10_000) }] })

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
  ])('applies to the decoded body: %s', async (encoding, body) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    })
    expect((await session(server.url).listRfqs()).value[0]?.document?.title).toHaveLength(10_000)
    const small = session(server.url, { limits: { maxBodyMiB: 0.005 } })
    const error = await failureOf(small.listRfqs())
    expect(error).toMatchObject({ name: 'UnavailableError', status: 200 })
    expect(error.message).toMatch(/larger than 0\.005 MiB.* requests\.maxBodyMiB/)
    expect(small.requests).toBe(1)
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, br')
  })

  it('keeps memory bounded, whatever a huge body or a compression bomb would take', async () => {
    const huge = Buffer.alloc(100 * 2 ** 20, ' ')
    // Concatenated gzip members are one valid gzip stream (RFC 1952, 2.2).
    const bomb = Buffer.concat(Array(300).fill(gzipSync(huge.subarray(0, 2 ** 20))))
    const bodies = [
      [{}, huge],
      [{ 'content-encoding': 'gzip' }, bomb],
    ] as const
    const server = await serve((_, response, number) => {
      const [headers, body] = bodies[number - 1] as (typeof bodies)[number]
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
    })
    const before = process.memoryUsage.rss()
    for (const _ of bodies) {
      const error = await failureOf(session(server.url, { limits: { maxBodyMiB: 16 } }).listRfqs())
      expect(error.message).toContain('16 MiB')
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 2 ** 20)
  })

  it.each(['gzip', 'br'])('a truncated or corrupt %s body is retried', async (encoding) => {
    const good = encoding === 'gzip' ? gzipSync('{"items":[]}') : brotliCompressSync('{"items":[]}')
    const server = await serve((_, response, number) => {
      const body = [good.subarray(0, -3), Buffer.from('not compressed at all'), good][number - 1]
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body)
    })
    const channel = session(server.url)
    await expect(channel.listRfqs()).resolves.toMatchObject({ value: [] })
    expect(channel.requests).toBe(3)
  })

  it('rejects a content encoding that was not requested', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'constructor' }).end('{}')
    })
    const error = await failureOf(session(server.url).listRfqs())
    expect(error.message).toContain('content encoding that was not requested')
  })
})
