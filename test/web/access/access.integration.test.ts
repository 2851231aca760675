import type { FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { WebPlugin } from '../../../src/web/plugin.js'
import { localPath } from '../../../src/web/routes/sign-in.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { as, send, TOKENS, webApp } from '../support/web-server.js'

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

/** Signs in; `headers` are those with the cookie, as a browser sends it back. */
async function signIn(app: FastifyInstance, token: string) {
  const response = await post(app, '/sign-in', { token, next: '/' })
  const [cookie] = response.cookies
  return { written: String(response.headers['set-cookie']), headers: { cookie: `${cookie?.name}=${cookie?.value}` } }
}

const statusOf = async (app: FastifyInstance, headers: Record<string, string>) =>
  (await app.inject({ url: '/', headers })).statusCode

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

  it('ends sessions at sign-out and when the service restarts, and accepts no other cookie', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const { written, headers } = await signIn(app, 'token of ana')
    expect(written).toMatch(/^quotekeeper_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
    expect((await app.inject({ url: '/', headers })).json().user).toEqual({ name: 'ana', role: 'viewer' })
    expect(await statusOf(await webApp({ ...USERS, plugins: [routes] }), headers)).toBe(401)
    for (const cookie of [`${headers.cookie}x`, 'quotekeeper_session=', 'quotekeeper_session=constructor'])
      expect(await statusOf(app, { cookie })).toBe(401)
    expect(await post(app, '/sign-out', {}, headers)).toMatchObject({ statusCode: 303 })
    expect(await statusOf(app, headers)).toBe(401)
  })

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/%5Cevil', '', undefined, ['/x']])(
    'never leads to another website: %j',
    (next) => {
      expect(new URL(localPath(next), 'http://here/').host).toBe('here')
    },
  )
})

const PUBLIC = { publicUrl: 'https://quotes.example.com' }

describe('a session', () => {
  /** A server whose clock the test sets, in minutes. */
  async function openSessions(options: Partial<ServerOptions> = {}) {
    const clock = { minutes: 0 }
    const now = () => new Date(Date.UTC(2026, 2, 1, 8, clock.minutes))
    const app = await webApp({ token: 'open sesame', now, plugins: [routes], ...options })
    return { app, clock, enter: async () => (await signIn(app, 'open sesame')).headers }
  }

  it('is in a cookie that no other port of the host gets or sets, where browsers reach the page by https', async () => {
    const { app } = await openSessions(PUBLIC)
    const { written, headers } = await signIn(app, 'open sesame')
    expect(written).toMatch(
      /^__Host-quotekeeper_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(await statusOf(app, headers)).toBe(200)
    expect(await statusOf(app, { cookie: headers.cookie.replace('__Host-', '') })).toBe(401)
    // A browser ignores a cookie with this prefix that is not secure, also one that removes it.
    const removed = (await post(app, '/sign-out', {}, headers)).headers['set-cookie']
    expect(removed).toMatch(/^__Host-quotekeeper_session=; Max-Age=0; Path=\/; .*Secure/)
    expect(await statusOf(app, headers)).toBe(401)
  })

  it('ends after an hour without a request, without https', async () => {
    const { app, clock, enter } = await openSessions()
    const headers = await enter()
    for (clock.minutes = 59; clock.minutes < 5 * 59; clock.minutes += 59) expect(await statusOf(app, headers)).toBe(200)
    clock.minutes += 1
    expect(await statusOf(app, headers)).toBe(401)
  })

  it.each([{}, PUBLIC])('ends after twelve hours, however it is used: %j', async (options) => {
    const { app, clock, enter } = await openSessions(options)
    const headers = await enter()
    for (clock.minutes = 0; clock.minutes < 720; clock.minutes += 45) expect(await statusOf(app, headers)).toBe(200)
    expect(await statusOf(app, headers)).toBe(401)
    const unused = await enter()
    clock.minutes += 719
    expect(await statusOf(app, unused)).toBe(options === PUBLIC ? 200 : 401)
  })

  it('ends when its user has signed in twenty times since', async () => {
    const { app, enter } = await openSessions()
    const sessions = []
    for (let count = 0; count < 21; count++) sessions.push(await enter())
    const statuses = []
    for (const session of sessions) statuses.push(await statusOf(app, session))
    expect(statuses).toEqual([401, ...Array(20).fill(200)])
  })
})

describe('roles', () => {
  it('let viewers read and operators write', async () => {
    const app = await webApp({ ...USERS, plugins: [routes] })
    const headers = { 'content-type': 'application/json' }
    const write = (name: string) =>
      app.inject({ method: 'POST', url: '/write', payload: '{}', headers: { ...headers, ...as(name) } })
    expect((await app.inject({ url: '/', headers: as('ana') })).json().user.name).toBe('ana')
    const refused = await write('ana')
    expect(refused.statusCode).toBe(403)
    expect(refused.json()).toEqual({ error: 'this needs the role operator; ana is a viewer' })
    expect((await write('omar')).json()).toEqual({ user: { name: 'omar', role: 'operator' } })
  })

  it('come from a header of a proxy, if it is trusted', async () => {
    const proxySecret = 'the secret of the proxy'
    const trusted = { trustedUserHeader: 'X-User', trustedUserRole: 'viewer', host: '0.0.0.0', proxySecret } as const
    const app = await webApp({ ...trusted, plugins: [routes] })
    const named = (name: string | string[]) => ({ 'x-user': name, 'x-quotekeeper-proxy-secret': proxySecret })
    const userOf = async (name: string) => {
      const reply = await app.inject({ url: '/', headers: named(name) })
      return reply.statusCode === 200 ? reply.json().user.name : `${reply.statusCode} ${reply.json().error}`
    }
    const sentAs = (name: string) => Buffer.from(name).toString('latin1')
    expect(await userOf('ana')).toBe('ana')
    for (const name of ['Özgür', 'Łukasz', 'Émile', 'Jürgen', '山田']) expect(await userOf(sentAs(name))).toBe(name)
    expect(await userOf('J\xfcrgen')).toBe('Jürgen')
    expect(await userOf(' ')).toMatch(/^401 /)
    expect(await userOf(sentAs('ana\u202e'))).toMatch(/^401 .*X-User.*not shown/)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    expect((await send(url, { headers: named(['bob', 'eve']) })).status).toBe(401)
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
