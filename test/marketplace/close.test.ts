import { describe, expect, it } from 'vitest'
import { CHANNEL, deadUrl, failureOf, json, open, quickTime, serve, serveRaw, session } from './server.js'

const error = (status: number) => ({ statusCode: status, message: 'as the service puts it', error: 7 })

describe('closing an RFQ', () => {
  it.each([
    [200, { ok: true }, true, null],
    [200, { ok: false }, false, null],
    [200, { ok: false, message: 'held' }, false, 'held'],
    [200, { ok: 'yes' }, null, '{"ok":"yes"}'],
    [200, 'text', null, '"text"'],
    [200, null, null, 'null'],
    [201, { ok: true }, true, null],
    [400, error(400), null, 'as the service puts it'],
    [401, error(401), null, 'as the service puts it'],
    [403, error(403), null, 'as the service puts it'],
    [404, error(404), null, 'as the service puts it'],
    [409, error(409), null, 'as the service puts it'],
    [429, error(429), null, 'as the service puts it'],
    [500, error(500), null, 'as the service puts it'],
    [503, error(503), null, 'as the service puts it'],
  ])('returns every reply: %i %j', async (status, body, ok, message) => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
    const server = await serve((_, response) => json(response, status, body, { date }))
    const channel = session(server.url)
    const reply = await channel.closeRfq('r1')
    expect(reply).toEqual({ status, ok, message, serverDate: new Date('1994-11-06T08:49:37Z') })
    expect(server.requests).toHaveLength(1)
    expect(channel.requests).toBe(1)
  })

  it.each([
    ['', null],
    ['<html>\u0007Back soon</html>', '<html> Back soon</html>'],
    [`{"ok":tr`, '{"ok":tr'],
    ['y'.repeat(3_000_000), `${'y'.repeat(199)}…`],
  ])('returns the start of an unexpected body: %.20s', async (body, message) => {
    const server = await serve((_, response) => response.writeHead(200).end(body))
    expect(await session(server.url).closeRfq('r1')).toMatchObject({ status: 200, ok: null, message })
  })

  it.each([
    ['is reset', 'resetAndDestroy', ''],
    ['is closed', 'end', ''],
    ['ends within the reply', 'end', 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":'],
  ] as const)('sends exactly one POST when the connection %s', async (_, how, bytes) => {
    const server = await serveRaw((socket) => {
      if (bytes) socket.write(bytes)
      setImmediate(() => socket[how]())
    })
    const failure = await failureOf(session(server.url).closeRfq('r1'))
    expect(failure).toMatchObject({ name: 'UnavailableError', status: null })
    expect(failure.message).toContain('POST http://127.0.0.1')
    expect(failure.message).toContain('no complete reply')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.heads).toHaveLength(1)
  })

  it('sends one POST when the reply times out, and none when the connection is refused', async () => {
    const server = await serve(() => undefined)
    const limits = { timeoutMs: 150 }
    expect((await failureOf(session(server.url, { limits }).closeRfq('r1'))).message).toContain('within 150 ms')
    expect(server.requests).toHaveLength(1)
    expect(await failureOf(session(await deadUrl()).closeRfq('r1'))).toMatchObject({ name: 'UnavailableError' })
  })

  it.each([401, 403])('rejected with %i does not stop reads, which verify the outcome', async (status) => {
    const server = await serve((request, response) =>
      json(response, request.method === 'POST' ? status : 200, { id: 'r1' }),
    )
    const channel = session(server.url)
    expect(await channel.closeRfq('r1')).toMatchObject({ status })
    expect((await channel.readRfq('r1')).value.id).toBe('r1')
  })

  it('waits for a short pause like any request, and is not sent during a long one', async () => {
    const timing = quickTime()
    const server = await serve((_, response, number) =>
      json(response, number === 2 ? 200 : 429, { ok: true }, { 'retry-after': number === 1 ? '60' : '61' }),
    )
    const channel = open(server.url, { timing }).session(CHANNEL)
    expect(await channel.closeRfq('r1')).toMatchObject({ status: 429 })
    expect(await channel.closeRfq('r1')).toMatchObject({ status: 200, ok: true })
    expect(timing.waits).toEqual([60_000])
    expect(await channel.closeRfq('r1')).toMatchObject({ status: 429 })
    expect(await failureOf(channel.closeRfq('r1'))).toMatchObject({ name: 'PausedError' })
    expect(server.requests).toHaveLength(3)
  })
})
