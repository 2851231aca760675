import { describe, expect, it } from 'vitest'
import { metricsRoute } from '../../src/web/routes/metrics.js'
import { webApp } from './support/web-app.js'

const plugins = [
  metricsRoute(async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' })),
]

describe('GET /metrics', () => {
  it('answers in the text format of Prometheus', async () => {
    const response = await (await webApp({ plugins })).inject('/metrics')
    expect(response).toMatchObject({ statusCode: 200, body: 'up 1\n' })
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('needs the token where there is one', async () => {
    const app = await webApp({ host: '0.0.0.0', token: 'open sesame', plugins })
    const get = (authorization?: string) =>
      app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } })
    expect(await get()).toMatchObject({ statusCode: 401, body: expect.not.stringContaining('up') })
    expect(await get('Bearer open')).toMatchObject({ statusCode: 401 })
    expect(await get('Bearer open sesame')).toMatchObject({ statusCode: 200, body: 'up 1\n' })
  })
})
