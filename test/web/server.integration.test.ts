import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/web/server.js'
import { createGate } from '../helpers/recording-handlers.js'
import { serveWeb } from './support/web-server.js'

describe('web server', () => {
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
