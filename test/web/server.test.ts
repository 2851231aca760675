import { describe, expect, it } from 'vitest'
import type { WebPlugin } from '../../src/web/plugin.js'
import { webApp } from './support/web-app.js'

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
})
