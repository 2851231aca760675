import { describe, expect, it } from 'vitest'
import type { ReadinessCheck } from '../../src/readiness/readiness.js'
import { healthRoutes } from '../../src/web/routes/health.js'
import { metricsRoute } from '../../src/web/routes/metrics.js'
import { createGate } from '../helpers/recording-handlers.js'
import { webApp } from './support/web-server.js'

const PASSING: ReadinessCheck = { name: 'database', ok: true, message: 'fine' }
const FAILING: ReadinessCheck = { name: 'queue', ok: false, message: 'gone' }

describe('GET /healthz', () => {
  it('responds although the readiness checks hang', async () => {
    const app = await webApp({ plugins: [healthRoutes(() => new Promise(() => undefined))] })
    expect(await app.inject('/healthz')).toMatchObject({
      ...{ statusCode: 200, body: '{"status":"ok"}\n' },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
  })
})

describe('GET /readyz', () => {
  it('responds 503 if a check fails, and shows which to clients with the token only', async () => {
    const app = await webApp({ token: 'open sesame', plugins: [healthRoutes(async () => [PASSING, FAILING])] })
    const ready = async (headers = {}) => {
      const { statusCode, body } = await app.inject({ url: '/readyz', headers })
      return [statusCode, JSON.parse(body)]
    }
    expect(await ready()).toEqual([503, { ready: false }])
    expect(await ready({ authorization: 'Bearer open' })).toEqual([503, { ready: false }])
    const shown = { ready: false, checks: [PASSING, FAILING] }
    expect(await ready({ authorization: 'Bearer open sesame' })).toEqual([503, shown])
  })

  it('runs the checks once for concurrent requests', async () => {
    let calls = 0
    const gate = createGate()
    const readiness = async () => {
      calls++
      await gate.passed
      return [PASSING]
    }
    const app = await webApp({ plugins: [healthRoutes(readiness)] })
    const responses = Promise.all([1, 2, 3].map(() => app.inject('/readyz')))
    await expect.poll(() => calls, { interval: 1 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    gate.open()
    expect((await responses).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(calls).toBe(1)
  })
})

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
