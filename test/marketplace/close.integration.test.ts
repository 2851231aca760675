import { describe, expect, it } from 'vitest'
import { NotSentError } from '../../src/marketplace/errors.js'
import { ManualClock } from '../helpers/manual-clock.js'
import { quickTime } from '../helpers/quick-time.js'
import { holdDeadlines } from '../helpers/request-deadlines.js'
import { CHANNEL, close, failureOf, json, open, serve, serveCloses, serveRaw, session } from './server.js'

const RFQ_READ = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"id":"r1"}'
const error = (status: number) => ({ statusCode: status, message: 'as the service puts it', error: 7 })

describe('closing an RFQ', () => {
  it.each<[number, unknown, boolean | null, string | null]>([
    [200, { ok: true }, true, null],
    [200, { ok: false }, false, null],
    [200, { ok: false, message: 'blocked' }, false, 'blocked'],
    [200, { ok: 'yes' }, null, '{"ok":"yes"}'],
    [200, 'text', null, '"text"'],
    [200, null, null, 'null'],
    [201, { ok: true }, true, null],
    ...[400, 401, 403, 404, 409, 429, 500, 503].map((status): [number, unknown, null, string] => [
      status,
      error(status),
      null,
      'as the service puts it',
    ]),
  ])('returns every reply: %i %j', async (status, body, ok, message) => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
    const server = await serveCloses((_, response) => json(response, status, body, { date }))
    const channel = session(server.url)
    const reply = await close(channel)
    expect(reply).toEqual({ status, ok, message, serverDate: new Date('1994-11-06T08:49:37Z') })
    expect(server.requests).toHaveLength(1)
    expect(channel.requests).toBe(2)
  })

  it.each([400, 503])('returns the status that an error body has although it came with 200: %i', async (status) => {
    const server = await serveCloses((_, response) => json(response, 200, { ok: true, ...error(status) }))
    expect(await close(session(server.url))).toMatchObject({ status, message: 'as the service puts it' })
  })

  it.each([
    ['', null],
    ['<html>\u0007Back soon</html>', 'Back soon'],
    [`{"ok":tr`, '{"ok":tr'],
    ['y'.repeat(300_000), `${'y'.repeat(79)}…`],
  ])('returns the start of an unexpected body: %.20s', async (body, message) => {
    const server = await serveCloses((_, response) => response.writeHead(200).end(body))
    expect(await close(session(server.url))).toMatchObject({ status: 200, ok: null, message })
  })

  it.each([
    ['is reset', 'resetAndDestroy', ''],
    ['is closed', 'end', ''],
    ['ends within the reply', 'end', 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":'],
  ] as const)('sends exactly one POST when the connection %s', async (_, how, bytes) => {
    const server = await serveRaw((socket, head) => {
      if (head.startsWith('GET')) return void socket.write(RFQ_READ)
      if (bytes) socket.write(bytes)
      setImmediate(() => socket[how]())
    })
    const failure = await failureOf(close(session(server.url)))
    expect(failure).toMatchObject({ name: 'UnavailableError', status: null })
    expect(failure.message).toContain('POST …/rfqs/r1/close: no complete reply')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.heads.map((head) => head.slice(0, 4))).toEqual(['GET ', 'POST'])
  })

  it('sends one POST when the reply times out', async () => {
    const server = await serveCloses(() => undefined)
    const deadlines = holdDeadlines()
    const failure = failureOf(close(session(server.url, { limits: { timeoutMs: 150 } })))
    await deadlines.waitUntil(() => server.requests.length === 1)
    deadlines.pass(150)
    expect((await failure).message).toContain('within 150 ms')
    expect(server.requests).toHaveLength(1)
  })

  it('says that nothing was sent when the connection is refused', async () => {
    let stop = () => {}
    const server = await serveRaw((socket) => {
      stop()
      socket.end(RFQ_READ.replace('200 OK', '200 OK\r\nConnection: close'))
    })
    stop = server.close
    const error = await failureOf(close(session(server.url)))
    expect(error).toBeInstanceOf(NotSentError)
    expect(error.message).toMatch(/POST .*: not sent \(connect ECONNREFUSED/)
    expect(server.heads).toHaveLength(1)
  })

  it.each([401, 403])('rejected with %i does not stop reads, which verify the outcome', async (status) => {
    const server = await serveCloses((_, response) => json(response, status, {}))
    const channel = session(server.url)
    expect(await close(channel)).toMatchObject({ status })
    expect((await channel.readRfq('r1')).value.id).toBe('r1')
  })

  it('waits for a short pause like any request, and is not sent during a long one', async () => {
    const timing = quickTime()
    const server = await serveCloses((_, response, number) =>
      json(response, number === 2 ? 200 : 429, { ok: true }, { 'retry-after': number === 1 ? '60' : '61' }),
    )
    const channel = open(server.url, { timing }).session(CHANNEL)
    expect(await close(channel)).toMatchObject({ status: 429 })
    expect(await close(channel)).toMatchObject({ status: 200, ok: true })
    expect(timing.waits).toEqual([60_000])
    expect(await close(channel)).toMatchObject({ status: 429 })
    expect(await failureOf(close(channel))).toMatchObject({ name: 'PausedError' })
    expect(server.requests).toHaveLength(3)
  })
})

describe('the read before a close', () => {
  it('is followed by the POST without waiting, however slow the limit, and its place is not given away', async () => {
    const timing = new ManualClock()
    const server = await serve((request, response) => {
      json(response, 200, request.method === 'POST' ? { ok: true } : { id: 'r1', items: [] })
    })
    const marketplace = open(server.url, { timing, limits: { concurrency: 1, perSecond: 0.1 } })
    const [channel, other] = [marketplace.session(CHANNEL), marketplace.session(CHANNEL)]
    await channel.listRfqs()
    const taking = channel.readForClose('r1')
    const lists = [other.listRfqs(), other.listRfqs()]
    /** Moves the clock from timer to timer until something has happened. */
    const until = async (isDone: () => boolean) => {
      while (!isDone()) if (!(await timing.step())) await new Promise(setImmediate)
    }
    await until(() => server.requests.length === 2)
    // Both starts are paid for: ten seconds each, after the first request.
    const readAt = timing.elapsed()
    expect(Math.round(readAt / 1000)).toBe(20)
    const slot = await taking
    expect(await slot.close(() => null)).toMatchObject({ ok: true })
    expect(timing.elapsed()).toBe(readAt)
    slot.release()
    let ended = 0
    for (const list of lists) void list.then(() => ended++)
    await until(() => ended === 2)
    expect(server.requests.map(({ method, url }) => `${method} ${url?.split('/').at(-1)}`)).toEqual([
      'GET rfqs',
      'GET r1',
      'POST close',
      'GET rfqs',
      'GET rfqs',
    ])
    expect(Math.round(timing.elapsed() / 1000)).toBe(50)
  })

  it('gives its place back if it fails, and again after each retry', async () => {
    let reads = 0
    const server = await serve((_, response) => json(response, ++reads < 3 ? 503 : 200, { id: 'r1', items: [] }))
    const channel = session(server.url, { limits: { concurrency: 1 } })
    const slot = await channel.readForClose('r1')
    expect(slot.read.value.id).toBe('r1')
    slot.release()
    await channel.listRfqs()
    expect(server.requests).toHaveLength(4)
    const missing = await serve((request, response) =>
      json(response, request.url?.endsWith('rfqs') ? 200 : 404, { items: [] }),
    )
    const closing = session(missing.url, { limits: { concurrency: 1 } })
    for (let round = 0; round < 5; round++) {
      expect(await failureOf(closing.readForClose('r1'))).toMatchObject({ name: 'ItemError', status: 404 })
      await closing.listRfqs()
    }
  })

  it('sends not a byte if the last look refuses, once the connection is made', async () => {
    const sockets: string[] = []
    const server = await serveRaw((socket, head) => {
      sockets.push(head)
      socket.write(RFQ_READ)
    })
    const channel = session(server.url)
    for (let round = 0; round < 6; round++) {
      let looks = 0
      const error = await failureOf(close(channel, 'r1', () => (++looks > 0 ? 'somebody stopped it' : null)))
      expect(error).toBeInstanceOf(NotSentError)
      expect(error.message).toMatch(/: not sent, because somebody stopped it$/)
      expect(looks).toBe(1)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sockets.filter((head) => head.includes('POST'))).toEqual([])
    expect(server.heads).toHaveLength(6)
  })

  it('knows of a pause that any channel of the marketplace was asked for since', async () => {
    const server = await serve((request, response) => {
      if (request.url?.endsWith('listings')) json(response, 429, {}, { 'retry-after': '3' })
      else json(response, 200, { id: 'r1' })
    })
    const marketplace = open(server.url, { timing: quickTime() })
    const slot = await marketplace.session(CHANNEL).readForClose('r1')
    expect(slot.wasPaused()).toBe(false)
    const stop = new AbortController()
    const other = marketplace.session({ ...CHANNEL, channel: 'swamp' }, { signal: stop.signal })
    const listing = failureOf(other.listListings())
    await expect.poll(() => slot.wasPaused()).toBe(true)
    stop.abort()
    slot.release()
    await listing
  })
})
