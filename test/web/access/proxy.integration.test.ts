import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import type { WebPlugin } from '../../../src/web/plugin.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { send, serveWeb } from '../support/web-server.js'

const SECRET = 'the secret of the proxy'
const closed: string[] = []
const plugins: WebPlugin[] = [
  (app) => {
    app.get('/', async ({ user }) => ({ user }))
    app.post('/close', async ({ user }) => closed.push(user?.name ?? ''))
  },
]
/** Behind a proxy on the same machine, which authenticates users. */
const BEHIND_PROXY: Partial<ServerOptions> = {
  publicUrl: 'https://quotes.example.com',
  trustedUserHeader: 'X-Remote-User',
  trustedUserRole: 'operator',
  proxySecret: SECRET,
  plugins,
}
const PROVEN = { 'X-Quotekeeper-Proxy-Secret': SECRET, 'X-Remote-User': 'ana' }

it('refuses a website that reaches the server by DNS rebinding, also where a proxy is trusted and whatever headers it sends', async () => {
  const { url } = await serveWeb(BEHIND_PROXY)
  const forged = {
    ...{ 'X-Remote-User': 'eve', 'X-Forwarded-Host': 'quotes.example.com', 'X-Forwarded-Proto': 'https' },
    ...{ 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
  }
  for (const host of ['evil.example', 'evil.example:4780', 'quotes.example.com.evil.example'])
    for (const secret of [{}, PROVEN]) {
      const headers = { ...secret, ...forged, Host: host }
      const reply = await send(`${url}/close`, { method: 'POST', headers, body: '{}' })
      expect(reply.status).toBe(421)
      expect(JSON.parse(reply.body).error).toBe(
        'this server accepts requests for quotes.example.com only; a proxy must send the header Host as it received it',
      )
    }
  expect(closed).toEqual([])
})

const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

it('accepts the host of the public URL, the names of this machine, the address that was connected to, and no other', async () => {
  const names = ['quotes.example.com', 'QUOTES.example.com:443', 'localhost:4780', '127.0.0.1', '[::1]:4780']
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const { url } = await serveWeb({ ...BEHIND_PROXY, host })
    const statusOf = async (Host: string, address = '127.0.0.1') =>
      (await send(`http://${address}:${new URL(url).port}/`, { headers: { ...PROVEN, Host } })).status
    for (const name of names) expect(await statusOf(name)).toBe(200)
    // Probes of an orchestrator ask the address.
    if (host === '0.0.0.0' && ownAddress) expect(await statusOf(ownAddress, ownAddress)).toBe(200)
    for (const name of ['evil.example', '192.0.2.1']) expect(await statusOf(name)).toBe(421)
  }
})

it('believes the name of a user only from a proxy that sends the secret', async () => {
  const { url } = await serveWeb({ ...BEHIND_PROXY, token: 'open sesame' })
  const get = (headers: Record<string, string | string[]>) => send(url, { headers })
  expect(JSON.parse((await get(PROVEN)).body)).toEqual({ user: { name: 'ana', role: 'operator' } })
  for (const secret of [undefined, '', `${SECRET}x`, SECRET.toUpperCase(), [SECRET, SECRET]]) {
    const headers = {
      'X-Remote-User': 'ana',
      ...(secret !== undefined && { 'X-Quotekeeper-Proxy-Secret': secret }),
    }
    const reply = await get(headers)
    expect(reply.status).toBe(401)
    expect(JSON.parse(reply.body).error).toMatch(
      /^the proxy must send web\.proxySecret in the header X-Quotekeeper-Proxy-Secret/,
    )
    // The right token of a program on the same machine enters all the same.
    const { body } = await get({ ...headers, Authorization: 'Bearer open sesame' })
    expect(JSON.parse(body).user.name).toBe('operator')
  }
})

it('accepts a form that a browser sends to the public URL, and none of another website', async () => {
  const { url } = await serveWeb({ ...BEHIND_PROXY, plugins })
  const post = (origin: string) =>
    send(`${url}/close`, {
      method: 'POST',
      headers: { ...PROVEN, Origin: origin, 'Content-Type': 'application/json' },
      body: '{}',
    })
  expect((await post('https://quotes.example.com')).status).toBe(200)
  expect((await post('https://evil.example')).status).toBe(403)
  expect(closed.splice(0)).toEqual(['ana'])
})

it('does not start without users where a proxy makes it reachable for other machines', async () => {
  const { publicUrl = null } = BEHIND_PROXY
  await expect(serveWeb({ publicUrl })).rejects.toThrow('a token is required')
  await serveWeb({ publicUrl: 'http://localhost:8080' })
})
