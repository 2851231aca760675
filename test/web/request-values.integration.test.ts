import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { OPERATIONS } from '../../src/web/api/api-routes.js'
import { openChannelFixture } from '../helpers/channel-fixture.js'
import { openPages } from './support/pages-fixture.js'
import { send } from './support/web-server.js'

const PATHS = [
  '/rfqs/acme/forest/NUL',
  '/rfqs/acme/NUL/1042',
  '/rfqs/acme/forest/1042/offers/NUL',
  '/rfqs/acme/forest/1042/closing/NUL',
  '/reports/NUL.xlsx',
  '/reports/acme/NUL.html',
  '/reports/jobs/NUL',
  '/api/v1/rfqs/acme/forest/NUL',
  '/api/v1/rfqs/NUL/forest/1042/comparison',
  '/api/v1/jobs/NUL',
]
const QUERIES = [
  ...[
    '/rfqs?q=',
    '/rfqs?channel=',
    '/listings?as_of=',
    '/changes?channel=',
    '/changes?channel=acme/forest&rfq=',
    '/changes?before=',
  ],
  ...['/listings?q=', '/closings?channel=', '/system?job='],
  ...['/?NUL=', '/rfqs?sort='],
].map((start) => `${start}NUL`)
const FORMS = [
  ['/rfqs/acme/forest/1042/closing', 'confirm=NUL'],
  ['/reports', 'channel=NUL'],
  ['/reports', 'NUL=1'],
] as const

const listen = (app: FastifyInstance) => app.listen({ host: '127.0.0.1', port: 0 })

it('a NUL character anywhere in an address or a body is answered 400, by every page and operation', async () => {
  const fixture = await openChannelFixture()
  await fixture.pollRfqs()
  const origin = await listen((await openPages(fixture)).app)
  const ask = async (address: string, { nul = '%00', method = 'GET', body = '', type = '' } = {}) => {
    const headers = type === '' ? {} : { 'Content-Type': type }
    const { status, body: reply } = await send(origin + address.replace('NUL', nul), {
      method,
      headers,
      body: body.replace('NUL', nul),
    })
    return { asked: `${method} ${address} ${body}`, status, named: reply.includes('the character NUL') }
  }
  const refused = { status: 400, named: true }
  for (const address of [...PATHS, ...QUERIES]) expect(await ask(address)).toMatchObject(refused)
  const form = 'application/x-www-form-urlencoded'
  for (const [address, body] of FORMS)
    expect(await ask(address, { method: 'POST', body, type: form })).toMatchObject(refused)

  for (const { method, path, query, body } of OPERATIONS) {
    const address = `/api/v1${path.replace(/\{\w+\}/g, 'x')}`
    if (method === 'GET')
      for (const name of Object.keys(query.shape)) expect(await ask(`${address}?${name}=NUL`)).toMatchObject(refused)
    for (const name of Object.keys(body?.shape ?? {})) {
      const json = { method, type: 'application/json', nul: '\\u0000' }
      for (const value of ['"aNUL"', '["NUL"]', '{"a":{"NUL":1}}'])
        expect(await ask(address, { ...json, body: `{"${name}":${value}}` })).toMatchObject(refused)
    }
  }
})

it('a body of thousands of levels is answered 400', async () => {
  const fixture = await openChannelFixture({ rfqs: 0 })
  const origin = await listen((await openPages(fixture)).app)
  const body = `{"channel":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
  const headers = { 'Content-Type': 'application/json' }
  expect((await send(`${origin}/api/v1/sync`, { method: 'POST', headers, body })).status).toBe(400)
})
