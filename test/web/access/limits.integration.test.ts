import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WebPlugin } from '../../../src/web/plugin.js'
import { healthRoutes } from '../../../src/web/routes/health.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { send, serveWeb, TOKENS } from '../support/web-server.js'

const routes: WebPlugin = (app) => {
  app.get('/', async ({ user }) => ({ user }))
}
const USERS: Partial<ServerOptions> = { tokens: TOKENS, plugins: [routes, healthRoutes(async () => [])] }
const HEALTH = ['/healthz', '/readyz']

const get = (url: string, headers: Record<string, string> = {}) => send(url, { headers })
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const signIn = (url: string, token: string) =>
  send(`${url}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }).toString(),
  })

/** How many requests were answered with each status. */
async function statusesOf(count: number, ask: (at: number) => Promise<{ status: number }>) {
  const counts: Record<number, number> = {}
  for (let at = 0; at < count; at++) {
    const { status } = await ask(at)
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

describe('a right token enters', () => {
  it('whatever was sent from its address without one: wrong tokens, unknown paths, wrong sign-ins', async () => {
    const { url } = await serveWeb(USERS)
    const wrong = [
      (at: number) => get(url, bearer(`guess ${at}`)),
      () => get(`${url}/nothing`),
      (at: number) => signIn(url, `guess ${at}`),
    ]
    const counts = await statusesOf(90, async (at) => wrong[at % 3]?.(at) as ReturnType<typeof get>)
    expect(counts).toEqual({ 401: 60, 429: 30 })
    for (const refused of [await get(url, bearer('one more')), await signIn(url, 'one more')]) {
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d\d?$/) } })
      expect(refused.body).toMatch(/60 requests in a minute from this address without a right token; send one/)
    }
    expect((await get(url, bearer('token of ana'))).status).toBe(200)
    expect((await signIn(url, 'token of omar')).status).toBe(303)
    for (const path of HEALTH) expect((await get(url + path, bearer('one more'))).status).toBe(200)
  })

  it('however much another user of its address reads', async () => {
    const { url } = await serveWeb(USERS)
    expect(await statusesOf(601, () => get(url, bearer('token of ana')))).toEqual({ 200: 600, 429: 1 })
    expect((await get(url, bearer('token of ana'))).body).toMatch(
      /more than 600 requests in a minute by ana; try again/,
    )
    expect((await get(url, bearer('token of omar'))).status).toBe(200)
    expect((await get(url)).status).toBe(401)
    for (const path of HEALTH) expect((await get(url + path, bearer('token of ana'))).status).toBe(200)
  })
})

it('clients of a proxy are limited each by its address, which only a proxy with the secret can state', async () => {
  const proxySecret = 'the secret of the proxy'
  const proxies = { proxySecret, publicUrl: 'https://quotes.example.com' }
  const { url } = await serveWeb({ ...USERS, ...proxies })
  const from = (forwarded: string, secret = proxySecret) =>
    get(url, { 'X-Forwarded-For': forwarded, 'X-Quotekeeper-Proxy-Secret': secret })
  // What the client sent itself comes first.
  const one = (at: number) => from(`198.51.100.${at}, 192.0.2.1`)
  expect(await statusesOf(61, one)).toEqual({ 401: 60, 429: 1 })
  expect((await from('192.0.2.2')).status).toBe(401)
  expect(await statusesOf(61, (at) => from(`198.51.100.${at}`, 'no secret'))).toEqual({ 401: 60, 429: 1 })
})

describe('connections of slow clients', () => {
  /** Opens connections and waits until they are accepted. */
  async function openSlow(url: string, count: number, { text = '', localAddress = '127.0.0.1' } = {}) {
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: count }, () => connect({ host: hostname, port: Number(port), localAddress }))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) socket.on('error', () => undefined).write(text)
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return sockets
  }
  const head = (first: string, more = '') => `${first} HTTP/1.1\r\nHost: localhost\r\n${more}`

  it.each([
    ['send nothing', ''],
    ['begin a request', head('GET /healthz')],
    ['begin a body', head('POST /sign-in', 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{')],
  ])('keep nobody out if they %s', async (_what, text) => {
    const { url } = await serveWeb(USERS)
    await openSlow(url, 250, { text })
    for (let probe = 0; probe < 3; probe++) {
      for (const path of HEALTH) expect((await get(url + path)).status).toBe(200)
      expect((await get(url, bearer('token of omar'))).status).toBe(200)
    }
  })
})
