import { expect, it } from 'vitest'
import type { WebPlugin } from '../../../src/web/plugin.js'
import type { ServerOptions } from '../../../src/web/server.js'
import { send, serveWeb } from '../support/web-server.js'

const form = 'application/x-www-form-urlencoded'
const plugins: WebPlugin[] = [(app) => void app.get('/', async ({ user }) => ({ user }))]
const PUBLIC = { publicUrl: 'https://quotes.example.com' }

/** A server whose clock the test sets, in minutes. */
async function serveSessions(options: Partial<ServerOptions> = {}) {
  const clock = { minutes: 0 }
  const now = () => new Date(Date.UTC(2026, 2, 1, 8, clock.minutes))
  const { url } = await serveWeb({ token: 'open sesame', now, plugins, ...options })
  const signIn = async () => {
    const reply = await send(`${url}/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': form },
      body: 'token=open+sesame',
    })
    const [cookie = ''] = reply.headers['set-cookie'] ?? []
    return { cookie, value: cookie.split(';')[0] ?? '' }
  }
  const statusOf = async (cookie: string) => (await send(url, { headers: { Cookie: cookie } })).status
  return { url, clock, signIn, statusOf }
}

it('where browsers reach the page by https, a session is in a cookie that no other port of the host gets or sets', async () => {
  const { url, signIn, statusOf } = await serveSessions(PUBLIC)
  const { cookie, value } = await signIn()
  expect(cookie).toMatch(
    /^__Host-quotekeeper_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(await statusOf(value)).toBe(200)
  expect(await statusOf(value.replace('__Host-', ''))).toBe(401)

  const headers = { Cookie: value, 'Content-Type': form }
  const signedOut = await send(`${url}/sign-out`, { method: 'POST', headers, body: '' })
  // A browser ignores a cookie with this prefix that is not secure, also one that removes it.
  expect(signedOut.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-quotekeeper_session=; Max-Age=0; Path=\/; .*Secure/),
  ])
  expect(await statusOf(value)).toBe(401)
})

it('without https, a session ends after an hour without a request', async () => {
  const { clock, signIn, statusOf } = await serveSessions()
  const { cookie, value } = await signIn()
  expect(cookie).toMatch(/^quotekeeper_session=/)
  for (clock.minutes = 59; clock.minutes < 5 * 59; clock.minutes += 59) expect(await statusOf(value)).toBe(200)
  clock.minutes += 1
  expect(await statusOf(value)).toBe(401)
})

it.each([{}, PUBLIC])('a session ends after twelve hours, however it is used: %j', async (options) => {
  const { clock, signIn, statusOf } = await serveSessions(options)
  const { value } = await signIn()
  for (clock.minutes = 0; clock.minutes < 720; clock.minutes += 45) expect(await statusOf(value)).toBe(200)
  expect(await statusOf(value)).toBe(401)
  const unused = await signIn()
  clock.minutes += 719
  expect(await statusOf(unused.value)).toBe(options === PUBLIC ? 200 : 401)
})

it('a user has twenty sessions; signing in once more ends the oldest', async () => {
  const { signIn, statusOf } = await serveSessions()
  const sessions = []
  for (let count = 0; count < 21; count++) sessions.push((await signIn()).value)
  const statuses = []
  for (const session of sessions) statuses.push(await statusOf(session))
  expect(statuses).toEqual([401, ...Array(20).fill(200)])
})
