import { request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { WebPlugin } from '../../../src/web/plugin.js'
import { localPath } from '../../../src/web/routes/sign-in.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { TOKENS } from '../support/users.js'
import { webApp } from '../support/web-app.js'

const USERS: Partial<ServerOptions> = { host: '0.0.0.0', tokens: TOKENS }
const routes: WebPlugin = (app) => {
  app.get('/', async ({ user }) => ({ user }))
  app.post('/write', async ({ user }) => ({ user }))
}
const HTML = { accept: 'text/html' }
const form = 'application/x-www-form-urlencoded'

const post = (app: FastifyInstance, url: string, fields: Record<string, string>, headers: object = {}) =>
  app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': form, ...HTML, ...headers },
  })

/** Signs in and returns the cookie as a browser sends it back. */
async function signIn(app: FastifyInstance, token: string) {
  const response = await post(app, '/sign-in', { token, next: '/' })
  const [cookie] = response.cookies
  return { response, cookie, headers: { cookie: `${cookie?.name}=${cookie?.value}` } }
}

describe('signing in', () => {
  it('sends a browser to the sign-in page and back to where it wanted to go', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const first = await app.inject({ url: '/?a=1', headers: HTML })
    expect(first).toMatchObject({ statusCode: 303, headers: { location: '/sign-in?next=%2F%3Fa%3D1' } })
    const page = await app.inject({ url: '/sign-in?next=%2F%3Fa%3D1', headers: HTML })
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self';/,
    )
    expect(page.body).toContain('name="next" value="/?a=1"')
    const answer = await post(app, '/sign-in', { token: ' token of ana ', next: '/?a=1' })
    expect(answer).toMatchObject({ statusCode: 303, headers: { location: '/?a=1' } })
  })

  it('answers unknown paths as known ones without a token, so that nobody learns which exist', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    for (const headers of [HTML, {}])
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const ask = async (url: string) => {
          const { statusCode, body, headers: answered } = await app.inject({ method, url, headers })
          const location = answered.location?.replace(/next=.*/, '')
          return { statusCode, body, ...answered, date: '', location, 'x-ratelimit-remaining': '' }
        }
        const known = await ask(method === 'GET' ? '/' : '/write')
        expect(known.statusCode).toBe(method === 'GET' && headers === HTML ? 303 : 401)
        for (const url of ['/nothing', '/api/none', '/reports/x.xlsx']) expect(await ask(url)).toEqual(known)
      }
    const authorization = 'Bearer token of ana'
    expect((await app.inject({ url: '/nothing', headers: { authorization } })).statusCode).toBe(404)
  })

  it('keeps the session in a cookie that scripts and other websites cannot use', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const { cookie, headers } = await signIn(app, 'token of ana')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(cookie).not.toHaveProperty('secure')
    expect((await app.inject({ url: '/', headers })).json().user).toEqual({ name: 'ana', role: 'viewer' })
  })

  it('ends sessions at sign-out and when the service restarts, and accepts no other cookie', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const status = async (headers: object, on = app) =>
      (await on.inject({ url: '/', headers: headers as Record<string, string> })).statusCode
    const first = await signIn(app, 'token of ana')
    expect(await status(first.headers)).toBe(200)
    expect(await status(first.headers, await webApp({ ...USERS, plugins: [routes] }))).toBe(401)
    for (const cookie of [`${first.headers.cookie}x`, 'quotekeeper_session=', 'quotekeeper_session=constructor'])
      expect(await status({ cookie })).toBe(401)

    const csrf = (await app.inject({ url: '/', headers: first.headers })).json().csrfToken
    expect(await post(app, '/sign-out', { _csrf: csrf }, first.headers)).toMatchObject({ statusCode: 303 })
    expect(await status(first.headers)).toBe(401)
  })

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/%5Cevil', '', undefined, ['/x']])(
    'never leads to another website: %j',
    (next) => {
      expect(new URL(localPath(next), 'http://here/').host).toBe('here')
    },
  )
})

describe('roles', () => {
  it('let viewers read and operators write', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const as = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })
    const write = (token: string) => app.inject({ method: 'POST', url: '/write', payload: '{}', headers: as(token) })
    expect((await app.inject({ url: '/', headers: as('token of ana') })).json().user.name).toBe('ana')
    expect((await write('token of ana')).json()).toEqual({ error: 'this needs the role operator; ana is a viewer' })
    expect((await write('token of ana')).statusCode).toBe(403)
    expect((await write('token of omar')).json()).toEqual({ user: { name: 'omar', role: 'operator' } })
  })

  it('come from a header of a proxy, if it is trusted', async () => {
    const header = {
      trustedUserHeader: 'X-User',
      trustedUserRole: 'viewer' as const,
      host: '0.0.0.0',
      proxySecret: 'the secret of the proxy',
      plugins: [routes],
    }
    const named = (name: string | string[]) => ({
      'x-user': name,
      'x-quotekeeper-proxy-secret': 'the secret of the proxy',
    })
    const status = async (app: FastifyInstance, name: string) =>
      (await app.inject({ url: '/', headers: named(name) })).statusCode
    const trusting = await webApp(header)
    expect(await status(trusting, 'ana')).toBe(200)
    expect(await status(trusting, ' ')).toBe(401)
    for (const name of ['Özgür', 'Łukasz', 'Émile', 'Jürgen', '山田']) {
      const { body } = await trusting.inject({ url: '/', headers: named(Buffer.from(name).toString('latin1')) })
      expect(JSON.parse(body).user.name).toBe(name)
    }
    expect((await trusting.inject({ url: '/', headers: named('J\xfcrgen') })).json().user.name).toBe('Jürgen')
    const hidden = await trusting.inject({
      url: '/',
      headers: named(Buffer.from('ana\u202e').toString('latin1')),
    })
    expect([hidden.statusCode, hidden.json().error]).toEqual([401, expect.stringMatching(/X-User.*not shown/)])
    const url = await trusting.listen({ host: '127.0.0.1', port: 0 })
    const twice = await new Promise((resolve) =>
      request(url, { headers: named(['bob', 'eve']) }, ({ statusCode }) => resolve(statusCode)).end(),
    )
    expect(twice).toBe(401)
    expect(await status(await webApp({ ...header, proxySecret: 'another secret' }), 'ana')).toBe(401)
  })
})

describe('forms', () => {
  it('are refused from another website, whoever sends them', async () => {
    for (const options of [{}, USERS]) {
      const app = await webApp({ ...options, plugins: [routes] })
      const headers = options === USERS ? (await signIn(app, 'token of omar')).headers : {}
      const statusOf = async (sent: object, path = '/write') =>
        (await post(app, path, { token: 'x' }, { ...headers, host: 'localhost:4780', ...sent })).statusCode
      for (const own of ['same-origin', 'none']) expect(await statusOf({ 'sec-fetch-site': own })).toBe(200)
      expect(await statusOf({ origin: 'http://localhost:4780' })).toBe(200)
      for (const site of ['cross-site', 'same-site']) {
        expect(await statusOf({ 'sec-fetch-site': site, origin: 'http://localhost:4780' })).toBe(403)
        expect(await statusOf({ 'sec-fetch-site': site }, '/sign-in')).toBe(options === USERS ? 403 : 404)
      }
      for (const origin of ['http://evil.example', 'http://localhost:4781', 'null'])
        expect(await statusOf({ origin })).toBe(403)
    }
  })
})
