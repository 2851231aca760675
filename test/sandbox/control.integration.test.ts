import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { send } from '../web/support/web-server.js'
import { errorReply } from './replies.js'
import { requestJson } from './request-json.js'

const rfqs = '/v1/orgs/acme/channels/forest/rfqs'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox({ now: () => new Date('2025-06-11T09:30:00.000Z') })
})
afterEach(() => sandbox.close())

const control = (method: string, path: string, body?: unknown) =>
  requestJson(sandbox, `/_sandbox${path}`, {
    method,
    key: null,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe('faults over HTTP', () => {
  it('are added and removed', async () => {
    const status = { operation: 'listRfqs', times: 'always', effect: { kind: 'status', status: 503 } }
    const { body } = await control('POST', '/faults', status)
    expect((await requestJson(sandbox, rfqs)).status).toBe(503)
    expect((await requestJson(sandbox, rfqs)).status).toBe(503)
    expect((await control('DELETE', `/faults/${body.id}`)).status).toBe(204)
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
    const effect = [{ kind: 'date', value: null }, { kind: 'empty' }]
    await control('POST', '/faults', { operation: ['listRfqs'], times: 2, effect })
    expect((await requestJson(sandbox, rfqs)).body).toEqual({ items: [] })
    await control('DELETE', '/faults')
    expect((await requestJson(sandbox, rfqs)).body.items.length).toBe(12)
  })

  const wrong: [name: string, status: number, method: string, path: string, body?: unknown][] = [
    ['an unknown path', 404, 'GET', '/nothing'],
    ['an unknown method', 404, 'PUT', '/faults'],
    ['an unknown effect', 400, 'POST', '/faults', { effect: { kind: 'explode' } }],
    ['a misspelled condition', 400, 'POST', '/faults', { opration: 'readRfq', effect: { kind: 'hang' } }],
    ['a missing body', 400, 'POST', '/faults'],
  ]
  it.each(wrong)('%s is answered with %i and an error body', async (_name, status, method, path, body) => {
    const reply = await control(method, path, body)
    expect(reply.status).toBe(status)
    expect(parseLeniently(errorReply, reply.body).problems).toEqual([])
  })

  it.each([{ origin: 'https://elsewhere.example' }, { host: 'rebound.example' }])(
    'are refused from web pages: %o',
    async (headers) => {
      expect((await send(`${sandbox.url}/_sandbox/faults`, { method: 'POST', headers })).status).toBe(403)
    },
  )
})
