import { expect, it } from 'vitest'
import { metricsRoute } from '../../src/web/routes/metrics.js'
import { webApp } from './support/web-app.js'

const plugins = [
  metricsRoute(async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' })),
]

it('GET /metrics answers in the text format of Prometheus, where there is a token only with it', async () => {
  const app = await webApp({ host: '0.0.0.0', token: 'open sesame', plugins })
  const get = (authorization: string) => app.inject({ url: '/metrics', headers: { authorization } })
  expect(await app.inject('/metrics')).toMatchObject({ statusCode: 401, body: expect.not.stringContaining('up') })
  expect(await get('Bearer open')).toMatchObject({ statusCode: 401 })
  expect(await get('Bearer open sesame')).toMatchObject({
    ...{ statusCode: 200, body: 'up 1\n' },
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  })
})
