import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/program.js'
import { readRates } from '../../src/figures/rates/read-rates.js'
import { proxyFor } from '../../src/marketplace/dispatcher.js'
import { postJson } from '../../src/marketplace/http-post.js'
import { serveBehindProxy } from '../helpers/servers/proxied-server.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'
import { CHANNEL, close, failureOf, json, open, serve, session } from './server.js'

const MARKETPLACE = 'https://api.market.test'

describe('a proxy of the environment', () => {
  it('carries reads and closes of the marketplace, and never a plain http request', async () => {
    const seen: string[] = []
    const ports: unknown[] = []
    const { connects } = await serveBehindProxy((request, response) => {
      seen.push(`${request.method} ${request.headers.host}${request.url}`)
      ports.push(request.socket.remotePort)
      json(response, 200, request.method === 'POST' ? { ok: true } : { id: 'r1', items: [] })
    })
    const channel = session(MARKETPLACE)
    expect((await channel.listRfqs()).value).toEqual([])
    expect(await close(channel)).toMatchObject({ ok: true })
    expect(seen.map((each) => each.replace('/v1/orgs/acme/channels/forest', ''))).toEqual([
      'GET api.market.test/rfqs',
      'GET api.market.test/rfqs/r1',
      'POST api.market.test/rfqs/r1/close',
    ])
    // A close has a connection of its own.
    expect(ports.slice(0, 2)).not.toContain(ports[2])
    expect(new Set(connects.map(({ target }) => target))).toEqual(new Set(['api.market.test:443']))

    const local = await serve((_request, response) => json(response, 200, { items: [] }))
    vi.stubEnv('HTTP_PROXY', process.env.HTTPS_PROXY)
    const carried = connects.length
    await session(local.url).listRfqs()
    expect([local.requests.length, connects.length]).toEqual([1, carried])
  })

  it('carries notifications and exchange rates, with the password of its URL', async () => {
    const { proxy, connects } = await serveBehindProxy((request, response) =>
      response.end(request.method === 'GET' ? 'Date,USD\n2026-01-05,1.1\n' : 'received'),
    )
    vi.stubEnv('HTTPS_PROXY', proxy.replace('//', '//user:p%23w@'))
    const { signal } = new AbortController()
    expect(await postJson('https://hooks.market.test:8443/x', '{}', { signal })).toMatchObject({ status: 200 })
    const url = 'https://rates.market.test/rates.csv'
    const { newest } = await readRates({ kind: 'url', url, name: url }, { now: new Date('2026-01-06T12:00:00Z') })
    expect(newest).toBe('2026-01-05')
    const authorization = `Basic ${Buffer.from('user:p#w').toString('base64')}`
    expect(connects).toEqual([
      { target: 'hooks.market.test:8443', authorization },
      { target: 'rates.market.test:443', authorization },
    ])
  })

  it('that refuses fails a read with its status, and one that does not answer keeps no connection', async () => {
    let status: number | null = 407
    const { connects } = await serveBehindProxy(
      (_request, response) => json(response, 200, { items: [] }),
      () => status,
    )
    const refused = await failureOf(session(MARKETPLACE, { limits: { retries: 0 } }).listRfqs())
    expect(refused.message).toContain('Proxy response (407)')
    status = null
    const marketplace = open(MARKETPLACE, { limits: { concurrency: 1, timeoutMs: 1000, retries: 4 } })
    const stop = new AbortController()
    const silent = failureOf(marketplace.session(CHANNEL, { signal: stop.signal }).listRfqs())
    await expect.poll(() => connects.length).toBe(2)
    stop.abort(new Error('stopped'))
    await silent
    status = 200
    expect((await marketplace.session(CHANNEL).listRfqs()).value).toEqual([])
  })

  it.each([
    ['', true],
    ['*', false],
    ['other.market.test, api.market.test', false],
    ['.market.test', false],
    ['*.MARKET.test', false],
    ['api.market.test:443', false],
    ['api.market.test:8443', true],
    ['pi.market.test com', true],
    ['market.test:443 x', false],
  ])('is used unless $NO_PROXY has the host: %j', (noProxy, isUsed) => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example.net:3128')
    vi.stubEnv('NO_PROXY', noProxy)
    expect(proxyFor(new URL(MARKETPLACE))?.host).toBe(isUsed ? 'proxy.example.net:3128' : undefined)
    vi.unstubAllEnvs()
  })

  it('is used by check, which names it', async () => {
    const { proxy } = await serveBehindProxy((_request, response) => json(response, 200, { items: [] }))
    const cwd = testFolder()
    writeFileSync(
      join(cwd, 'quotekeeper.yaml'),
      `baseUrl: ${MARKETPLACE}\nchannels: [{ org: acme, channel: forest, apiKey: { env: KEY }, autoClose: off }]\nweb: { port: 0 }\n`,
    )
    const check = async () => {
      const { io, written } = testIo({ cwd, env: { KEY: 'key-of-acme' } })
      await run(['check', '--json'], io)
      const findings = JSON.parse(written.out) as { what: string; found: string; ok: boolean }[]
      return findings.filter(({ what }) => /^(configuration|acme)/.test(what))
    }
    const through = { found: expect.stringContaining(`through the proxy ${new URL(proxy).host} of HTTPS_PROXY`) }
    expect(await check()).toMatchObject([through, { ok: true }, { ok: true }])
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1')
    expect((await check()).map(({ ok }) => ok)).toEqual([true, false, false])
  })
})
