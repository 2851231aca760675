import dns from 'node:dns'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lookupLoopback } from '../../src/marketplace/dispatcher.js'
import { failureOf, json, serve, session } from './server.js'

/** Makes the name server answer every name with these addresses. */
function answerWith(...addresses: string[]) {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const spy = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_host: string, _options: unknown, callback: unknown) =>
      (callback as (error: null, found: unknown) => void)(null, found)) as never)
  onTestFinished(() => spy.mockRestore())
}

const resolve = (host: string, all: boolean) =>
  new Promise((done) => lookupLoopback(host, { all }, (error, ...found) => done(error ? error.message : found)))

describe('names in a plain http URL', () => {
  it('are resolved to addresses of this machine only', async () => {
    expect(await resolve('127.0.0.1', true)).toEqual([[{ address: '127.0.0.1', family: 4 }]])
    expect(await resolve('192.0.2.1', true)).toMatch(/^192\.0\.2\.1 is another machine/)
    answerWith('192.0.2.1', '2001:db8::1', '::1', '127.0.0.1')
    expect(await resolve('x.localhost', true)).toEqual([
      [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    ])
    expect(await resolve('x.localhost', false)).toEqual(['::1', 6])
  })

  it('that a name server answers with another machine receive no request and no API key', async () => {
    const server = await serve((_request, response) => json(response, 200, { items: [] }))
    const named = session(server.url.replace('127.0.0.1', 'market.localhost'), { limits: { retries: 0 } })
    answerWith('192.0.2.1')
    const error = await failureOf(named.listRfqs())
    expect(error.message).toContain('market.localhost is another machine (192.0.2.1)')
    answerWith('127.0.0.1')
    expect((await named.listRfqs()).value).toEqual([])
    expect(server.requests).toHaveLength(1)
  })
})
