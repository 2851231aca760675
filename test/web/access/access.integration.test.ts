import { request } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { addressGroup } from '../../../src/web/access/proxies.js'
import type { WebPlugin } from '../../../src/web/plugin.js'
import { localPath } from '../../../src/web/routes/sign-in.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { webApp } from '../support/web-app.js'

const USERS: Partial<ServerOptions> = {
  host: '0.0.0.0',
  tokens: [
    { name: 'ana', role: 'viewer', token: 'token of ana' },
    { name: 'omar', role: 'operator', token: 'token of omar' },
  ],
}
const routes: WebPlugin = (app) => {
  app.get('/', async ({ user, csrfToken }) => ({ user, csrfToken }))
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
    const trusting = await webApp({ ...header, trustedProxies: ['10.1.2.3', '127.0.0.0/8'] })
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
    expect(await status(await webApp({ ...header, trustedProxies: ['10.1.2.3'] }), 'ana')).toBe(401)
  })
})

describe('forms', () => {
  it('are refused without the token of the page, whoever sends them', async () => {
    for (const options of [{}, USERS]) {
      const app = await webApp({ ...options, plugins: [routes] })
      const headers = options === USERS ? (await signIn(app, 'token of omar')).headers : {}
      const { csrfToken } = (await app.inject({ url: '/', headers })).json()
      expect((await post(app, '/write', {}, headers)).statusCode).toBe(403)
      expect((await post(app, '/write', { _csrf: `${csrfToken}x` }, headers)).statusCode).toBe(403)
      expect((await post(app, '/write', { _csrf: csrfToken }, headers)).statusCode).toBe(200)
      const old = { ...headers, host: 'localhost:4780', origin: 'http://localhost:4780' }
      expect((await post(app, '/write', { _csrf: csrfToken }, old)).statusCode).toBe(200)
      for (const origin of ['http://evil.example', 'null'])
        expect((await post(app, '/write', { _csrf: csrfToken }, { ...old, origin })).statusCode).toBe(403)
      const foreign = { ...headers, 'sec-fetch-site': 'cross-site' }
      expect((await post(app, '/write', { _csrf: csrfToken }, foreign)).statusCode).toBe(403)
      expect((await post(app, '/sign-in', { token: 'x' }, foreign)).statusCode).toBe(options === USERS ? 403 : 404)
    }
  })

  it('have another token in each page, each of which is valid', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const { headers } = await signIn(app, 'token of omar')
    const tokens: string[] = []
    for (let round = 0; round < 20; round++) tokens.push((await app.inject({ url: '/', headers })).json().csrfToken)
    expect(new Set(tokens).size).toBe(tokens.length)
    // No end of one token is that of another, so that nothing of it can be guessed by how well a page compresses.
    expect(new Set(tokens.map((token) => token.slice(-8))).size).toBe(tokens.length)
    for (const _csrf of tokens) expect((await post(app, '/write', { _csrf }, headers)).statusCode).toBe(200)
    const [one = '', two = ''] = tokens
    const mixed = `${one.split('.')[0]}.${two.split('.')[1]}`
    for (const _csrf of [mixed, one.split('.')[0], '.', `${one}.`, one.slice(0, -1)])
      expect((await post(app, '/write', { _csrf: _csrf ?? '' }, headers)).statusCode).toBe(403)
  })

  it('have tokens that are worth nothing in another session', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const [one, two] = [await signIn(app, 'token of omar'), await signIn(app, 'token of omar')]
    const { csrfToken } = (await app.inject({ url: '/', headers: one.headers })).json()
    expect((await post(app, '/write', { _csrf: csrfToken }, two.headers)).statusCode).toBe(403)
  })
})

describe('clients', () => {
  it.each([
    ['an IPv4 address that a dual-stack socket or a proxy writes as IPv6', '::ffff:192.0.2.1', '192.0.2.1', true],
    ['the same in hexadecimal', '::ffff:c000:201', '192.0.2.1', true],
    ['two of them', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['a port that a proxy appends', '192.0.2.1:1000', '192.0.2.1:1001', true],
    ['the same for IPv6', '[2001:db8::1]:1000', '2001:db8::2', true],
    ['the addresses of one IPv6 network, which one client has', '2001:db8:1:2::1', '2001:db8:1:2:ffff::1', true],
    ['those of two networks', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['loopback', '::1', '127.0.0.1', false],
    ['text that is no address', 'junk0', 'junk1', true],
  ])('are told apart by their address: %s', (_what, one, other, isSame) => {
    expect(addressGroup(one) === addressGroup(other)).toBe(isSame)
  })
})
