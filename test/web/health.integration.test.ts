import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ReadinessCheck } from '../../src/domain/readiness.js'
import { startHealthServer } from '../../src/web/health.js'
import type { ServerOptions, WebServer } from '../../src/web/server.js'

const PASSING: ReadinessCheck = { name: 'database', ok: true, message: 'fine' }
const FAILING: ReadinessCheck = { name: 'queue', ok: false, message: 'gone' }

const servers: WebServer[] = []
async function serve(options: Partial<Parameters<typeof startHealthServer>[0]> = {}): Promise<WebServer> {
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    readiness: async () => [PASSING],
    onError: () => undefined,
    ...options,
  })
  servers.push(server)
  return server
}
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

/** A request with headers that fetch would not send. */
async function send(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const sent = request(url, options).end()
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode as number, headers: response.headers, body }
}

describe('GET /healthz', () => {
  it('responds although the readiness checks hang', async () => {
    const readiness = () => new Promise<ReadinessCheck[]>(() => undefined)
    const { url } = await serve({ readiness })
    const response = await send(`${url}/healthz`)
    expect(response).toMatchObject({ status: 200, body: '{"status":"ok"}\n' })
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  it('answers HEAD without a body', async () => {
    const { url } = await serve()
    expect(await send(`${url}/healthz`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  })
})

describe('GET /readyz', () => {
  it('lists each check', async () => {
    const { url } = await serve()
    const response = await send(`${url}/readyz`)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toEqual({ ready: true, checks: [PASSING] })
  })

  it('responds 503 if a check fails', async () => {
    const { url } = await serve({ readiness: async () => [PASSING, FAILING] })
    const response = await send(`${url}/readyz`)
    expect(response.status).toBe(503)
    expect(JSON.parse(response.body)).toEqual({ ready: false, checks: [PASSING, FAILING] })
  })

  it('shows clients without the token only whether it is ready', async () => {
    const { url } = await serve({ token: 'open sesame', readiness: async () => [FAILING] })
    const bearer = (token: string) => send(`${url}/readyz`, { headers: { authorization: `Bearer ${token}` } })
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 503, body: '{"ready":false}\n' })
    expect(await bearer('open')).toMatchObject({ status: 503, body: '{"ready":false}\n' })
    expect((await bearer('open sesame')).body).toContain('gone')
  })

  it('reports an error of the checks to the log, not to the client', async () => {
    const errors: unknown[] = []
    const failure = new Error('secret detail')
    const { url } = await serve({ readiness: () => Promise.reject(failure), onError: (error) => errors.push(error) })
    const response = await send(`${url}/readyz`)
    expect(response.status).toBe(500)
    expect(response.body).not.toContain('secret')
    expect(errors).toEqual([failure])
  })

  it('runs the checks once for concurrent requests', async () => {
    let calls = 0
    let finishChecks: (checks: ReadinessCheck[]) => void = () => undefined
    const readiness = () => {
      calls++
      return new Promise<ReadinessCheck[]>((resolve) => {
        finishChecks = resolve
      })
    }
    const { url } = await serve({ readiness })
    const responses = Promise.all([1, 2, 3].map(() => send(`${url}/readyz`)))
    await expect.poll(() => calls).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    finishChecks([PASSING])
    expect((await responses).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(calls).toBe(1)
  })
})

describe('web server', () => {
  it('rejects other paths and methods', async () => {
    const { url } = await serve()
    expect(await send(`${url}/`)).toMatchObject({ status: 404 })
    expect(await send(`${url}/healthz/..%2fetc`)).toMatchObject({ status: 404 })
    const post = await send(`${url}/healthz`, { method: 'POST' })
    expect(post).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  it('on loopback, rejects requests for other host names', async () => {
    const { url } = await serve()
    const as = (host: string) => send(`${url}/healthz`, { headers: { host } }).then(({ status }) => status)
    expect(await as('evil.example')).toBe(421)
    expect(await as('127.0.0.1.evil.example')).toBe(421)
    expect(await as('localhost:4780')).toBe(200)
    expect(await as('[::1]:4780')).toBe(200)
  })

  it('does not start without a token unless bound to loopback', async () => {
    await expect(serve({ host: '0.0.0.0' })).rejects.toThrow('a token is required')
    const { url } = await serve({ host: '0.0.0.0', token: 'open sesame' })
    expect((await send(`${url}/healthz`, { headers: { host: 'quotekeeper.internal' } })).status).toBe(200)
  })

  it.each(['foo.localhost', 'localhost', '127.0.0.1', '127.0.0.2'])('needs no token on %s', async (host) => {
    // Whether the name resolves depends on the system; it must not be rejected for lack of a token.
    const started = await serve({ host }).catch((error: Error) => error)
    if (started instanceof Error) expect(started).toMatchObject({ name: 'ListenError' })
  })

  it.each([
    [
      'a port in use',
      (port: number): Partial<ServerOptions> => ({ port }),
      /^port \d+ of 127\.0\.0\.1 is in use; stop the other program, or choose another port \(.*work: --port\)/,
    ],
    [
      'an address of another machine',
      (): Partial<ServerOptions> => ({ host: '192.0.2.1', token: 't' }),
      /^192\.0\.2\.1 is not an address of this machine/,
    ],
  ])('explains what to do about %s', async (_what, options, words) => {
    const { url } = await serve()
    await expect(serve(options(Number(new URL(url).port)))).rejects.toThrow(
      expect.objectContaining({ name: 'ListenError', message: expect.stringMatching(words) }),
    )
  })

  it('closes a connection whose request is never completed', async () => {
    const { url } = await serve()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /healthz HTTP/1.1\r\nHost: loc')
    const began = performance.now()
    socket.resume()
    await once(socket, 'close')
    expect(performance.now() - began).toBeLessThan(8_000)
  })

  it('closes at once although a client is connected', async () => {
    const server = await serve({ readiness: () => new Promise(() => undefined) })
    const hanging = send(`${server.url}/readyz`).catch((error: Error) => error)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close()
    expect(await hanging).toBeInstanceOf(Error)
  })
})
