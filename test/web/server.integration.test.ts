import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../src/store/errors.js'
import { sendError } from '../../src/web/api/api-routes.js'
import type { WebPlugin } from '../../src/web/plugin.js'
import type { ServerOptions } from '../../src/web/server.js'
import { createGate } from '../helpers/recording-handlers.js'
import { serveWeb, webApp } from './support/web-server.js'

const routes: WebPlugin = (app) => {
  app.get('/open', { config: { access: 'public' } }, async () => ({ open: true }))
  app.get('/read/:id', async ({ user }) => ({ user }))
  app.post('/write', async () => ({ written: true }))
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('web server', () => {
  it('rejects other paths and methods', async () => {
    const app = await webApp({ plugins: [routes] })
    expect((await app.inject('/open/..%2fetc')).statusCode).toBe(404)
    expect(await app.inject('/%zz')).toMatchObject({ statusCode: 400, body: '{"error":"invalid request address"}\n' })
    expect((await app.inject({ method: 'POST', url: '/open?x=1' })).statusCode).toBe(404)
    expect((await app.inject({ method: 'DELETE', url: '/read/1' })).statusCode).toBe(404)
  })

  it('sends the security headers with errors too', async () => {
    const app = await webApp({ plugins: [routes] })
    for (const url of ['/open', '/nothing']) {
      expect((await app.inject(url)).headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      })
    }
  })

  it('does not start without a token unless bound to loopback', async () => {
    await expect(webApp({ host: '0.0.0.0' })).rejects.toThrow('a token is required')
    const app = await webApp({ host: '0.0.0.0', token: 'open sesame', plugins: [routes] })
    expect((await app.inject({ url: '/open', headers: { host: 'quotekeeper.internal' } })).statusCode).toBe(200)
  })

  it('asks for the token on every route that is not public', async () => {
    const app = await webApp({ token: 'open sesame', plugins: [routes] })
    expect((await app.inject('/open')).statusCode).toBe(200)
    for (const headers of [{}, bearer('open'), bearer(''), { authorization: 'open sesame' }]) {
      expect(await app.inject({ url: '/read/1', headers })).toMatchObject({
        statusCode: 401,
        headers: { 'www-authenticate': 'Bearer' },
      })
      expect((await app.inject({ method: 'POST', url: '/write', headers })).statusCode).toBe(401)
    }
    expect((await app.inject({ url: '/read/1', headers: bearer('open sesame') })).statusCode).toBe(200)
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
  ])('explains what to do about %s', async (_what, options, message) => {
    const { url } = await serveWeb()
    await expect(serveWeb(options(Number(new URL(url).port)))).rejects.toThrow(
      expect.objectContaining({ name: 'ListenError', message: expect.stringMatching(message) }),
    )
  })

  it('closes a connection whose request is never completed', async () => {
    const { url } = await serveWeb()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /healthz HTTP/1.1\r\nHost: loc')
    socket.resume()
    await once(socket, 'close')
  })

  it('takes addresses with two of the longest identifiers, and refuses far longer ones', async () => {
    const { url } = await serveWeb({
      plugins: [
        (app) => void app.get<{ Params: { a: string; b: string } }>('/read/:a/of/:b', async ({ params }) => params),
      ],
    })
    const [a, b] = ['樹'.repeat(333), '\u0001'.repeat(166)]
    const address = `${url}/read/${encodeURIComponent(a)}/of/${encodeURIComponent(b)}`
    expect(address.length).toBeGreaterThan(3_400)
    expect(await (await fetch(address)).json()).toEqual({ a, b })
    expect((await fetch(address + 'x'.repeat(16_384))).status).toBe(431)
  })

  it('closes at once although a client is connected', async () => {
    const asked = createGate()
    const server = await serveWeb({}, () => {
      asked.open()
      return new Promise(() => undefined)
    })
    const hanging = fetch(`${server.url}/readyz`).catch((error: Error) => error)
    await asked.passed
    await server.close()
    expect(await hanging).toBeInstanceOf(Error)
  })
})

it('pages and the API answer 503 while the database cannot be used, and log why', async () => {
  const logged: unknown[] = []
  const onError = (error: unknown) => logged.push((error as Error).message)
  const app = await webApp({
    onError,
    plugins: [
      async (routes) => {
        const fail = (name: string) => Object.assign(new StoreError('the address of the server'), { name })
        routes.get('/page/:name', async ({ params }) => {
          throw fail((params as { name: string }).name)
        })
        routes.get('/operation/:name', (request, reply) =>
          sendError(reply, fail((request.params as { name: string }).name), onError),
        )
      },
    ],
  })
  for (const path of ['page', 'operation']) {
    for (const name of ['StoreError', 'UnknownCommitError']) {
      const { statusCode, body } = await app.inject(`/${path}/${name}`)
      expect([statusCode, body]).toEqual([503, expect.stringContaining('the database cannot be used at the moment')])
      expect(body).not.toContain('the address of the server')
    }
    expect((await app.inject(`/${path}/RunBusyError`)).statusCode).toBe(500)
  }
  expect(logged).toEqual(Array(6).fill('the address of the server'))
})
