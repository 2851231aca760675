import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../src/cli/program.js'
import { readRates } from '../../src/figures/exchange-rates.js'
import { sendOnce } from '../../src/marketplace/http-exchange.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'
import { CHANNEL, close, failureOf, json, listening, open, serve, session } from './server.js'

const MARKETPLACE = 'https://api.market.test'

/** Self-signed; nobody checks it. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTDsvvYdR0hYhl7GX
HEJiZ4FYdDNT1BLdKrE8giQgZWWhRANCAAQ0Bx9F0aP8AOIcV5oDifyHAyZIFayg
xNqjtmkOTeGHILqR0O3NZyKuC4y9+4cED1i44cxCLDNu8/w1Hran46ih
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIULqIfadj0IXvoGCMzQ+9cRUZcu7kwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjYxNTI2NTBaGA8yMTI2MTEwMjE1MjY1
MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDQH
H0XRo/wA4hxXmgOJ/IcDJkgVrKDE2qO2aQ5N4YcgupHQ7c1nIq4LjL37hwQPWLjh
zEIsM27z/DUetqfjqKGjbTBrMB0GA1UdDgQWBBSsh3UtzGm6FJ58xEYFenTmBSB9
2jAfBgNVHSMEGDAWgBSsh3UtzGm6FJ58xEYFenTmBSB92jAPBgNVHRMBAf8EBTAD
AQH/MBgGA1UdEQQRMA+CDSouZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIg
ayzyeza8HQTRMvixnhek24KNyM6KS8vBDUiYmDd1HXsCIQCat0JefF6tc+ge115a
3U/wTL9diAVD16tCNdptz0gOxQ==
-----END CERTIFICATE-----`

/**
 * An https server that is reached through a proxy only, which $HTTPS_PROXY names for this test: it leads there
 * whatever host is asked for.
 * @param answerConnect called for each CONNECT before the connection is made; returns a status to refuse it, or null to answer nothing
 */
async function serveBehindProxy(handle: RequestListener, answerConnect: (target: string) => number | null = () => 200) {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, handle)
  const port = Number(new URL(await listening(server)).port)
  const connects: { target: string; authorization: string | undefined }[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    const target = request.url ?? ''
    connects.push({ target, authorization: request.headers['proxy-authorization'] })
    socket.on('error', () => undefined)
    const status = answerConnect(target)
    if (status === null) return
    socket.write(`HTTP/1.1 ${status} x\r\n\r\n`)
    if (status !== 200) {
      socket.end()
      return
    }
    const upstream = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.pipe(upstream).pipe(socket)
  })
  const url = await listening(proxy)
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  vi.stubEnv('HTTPS_PROXY', url)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close()
    proxy.close()
  })
  return { proxy: url, connects }
}

describe('a proxy of the environment', () => {
  it('carries reads and closes of the marketplace, and never a plain http request', async () => {
    const seen: string[] = []
    const { connects } = await serveBehindProxy((request, response) => {
      seen.push(`${request.method} ${request.headers.host}${request.url}`)
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
    const request = { method: 'POST', headers: {}, body: '{}', timeoutMs: 15_000, signal } as const
    expect(await sendOnce('https://hooks.market.test:8443/x', request)).toMatchObject({ status: 200 })
    const url = 'https://rates.market.test/rates.csv'
    const { newest } = await readRates({ kind: 'url', url, name: url }, new Date('2026-01-06T12:00:00Z'))
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
