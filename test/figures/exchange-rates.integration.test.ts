import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseRateSource } from '../../src/core/decision/rate-source.js'
import { readRates } from '../../src/figures/exchange-rates.js'
import { freePort } from '../helpers/servers/private-redis.js'

const NOW = new Date('2026-02-02T18:00:00Z')
const CSV = 'Date,USD,\n2026-02-02,1.0851,\n2026-01-30,1.0837,\n'
const RATES = [
  { currency: 'USD', date: '2026-02-02', rate: 1.0851 },
  { currency: 'USD', date: '2026-01-30', rate: 1.0837 },
]
const zip = (files: Record<string, string>) =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))))

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hist?token=secret`
}

const reply = (body: string | Buffer, status = 200, headers: Record<string, string> = {}) =>
  serve((_, response) => void response.writeHead(status, headers).end(body))

const sourceOf = (text: string) => {
  const source = parseRateSource(text, (path) => path)
  if (source === null) throw new Error(`not allowed: ${text}`)
  return source
}
const read = (text: string) => readRates(sourceOf(text), NOW)
const BLANK_MIB = Buffer.alloc(2 ** 20, ' \n')

describe('rates of an address', () => {
  it.each([
    ['plain', Buffer.from(CSV)],
    ['after a byte order mark', Buffer.from(`\uFEFF${CSV}`)],
    ['zipped', zip({ 'eurofxref-hist.csv': CSV })],
    ['zipped, beside other files', zip({ 'README.txt': 'rates', 'eurofxref-hist.csv': CSV })],
  ])('are read %s', async (_, body) => {
    expect(await read(await reply(body))).toEqual({ rates: RATES, newest: '2026-02-02' })
  })

  it('are asked for without any key', async () => {
    let headers: object = {}
    const url = await serve((request, response) => {
      headers = request.headers
      response.end(CSV)
    })
    await read(url)
    expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent'])
  })

  it.each<[string, () => Promise<string>, RegExp]>([
    ['404', () => reply('not here', 404), /HTTP 404/],
    ['a redirect', () => reply('', 302, { location: '/elsewhere' }), /redirects are not followed/],
    ['its query', () => reply('Date,token=secret\n2026-01-30,1'), /line 2: Expected a currency/],
    ['a secret as a date', () => reply('Date,USD\nsecret,1\n'), /line 2: Expected a date/],
    ['a secret as a rate', () => reply('Date,USD\n2026-01-30,secret\n'), /line 2: The rate of USD is no number/],
    ['too much', () => reply(CSV + BLANK_MIB.toString().repeat(16)), /larger than 16 MiB$/],
    [
      'too much once unzipped',
      () => reply(zip({ 'a.csv': CSV + BLANK_MIB.toString().repeat(64) })),
      /no CSV file of at most 64 MiB/,
    ],
    ['a damaged archive', () => reply(zip({ 'a.csv': CSV }).subarray(0, 60)), /invalid zip data/],
    ['an archive without a table', () => reply(zip({ 'a.txt': CSV })), /no CSV file/],
  ])('%s: an error that names the address, without its query', async (_, start, message) => {
    const error = await read(await start()).catch((caught: unknown) => caught as Error)
    expect(error).toMatchObject({ name: 'RateFileError', message: expect.stringMatching(message) })
    expect(String(error)).toMatch(/127\.0\.0\.1:\d+\/hist\b/)
    expect(String(error)).not.toContain('secret')
  })

  it('an archive that states a smaller size than it has is not unpacked beyond it', async () => {
    const archive = zip({ 'a.csv': `${CSV}${'2020-01-01,1.1,\n'.repeat(1000)}` })
    for (let at = 0; at < archive.length - 4; at++) {
      const isLocal = archive.readUInt32LE(at) === 0x04034b50
      if (isLocal || archive.readUInt32LE(at) === 0x02014b50) archive.writeUInt32LE(20, at + (isLocal ? 22 : 24))
    }
    await expect(read(await reply(archive))).rejects.toMatchObject({ name: 'RateFileError' })
  })

  it('that cannot be reached, or is stopped, is an error too', async () => {
    const url = await reply(CSV)
    await expect(read(`http://127.0.0.1:${await freePort()}/`)).rejects.toThrow(/ECONNREFUSED/)
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(readRates(sourceOf(url), NOW, signal)).rejects.toThrow('stopped')
  })
})

describe('where rates are read from', () => {
  it.each([
    ['rates/hist.csv', { kind: 'file', path: '/etc/rates/hist.csv', name: 'rates/hist.csv' }],
    ['https://x.example/a?k=1#b', { kind: 'url', url: 'https://x.example/a?k=1#b', name: 'https://x.example/a' }],
    ['http://localhost:81/a', { kind: 'url', url: 'http://localhost:81/a', name: 'http://localhost:81/a' }],
    ['http://x.example/a', null],
    ['https://user:pass@x.example/a', null],
    ['ftp://x.example/a', null],
    ['https://', null],
  ])('%s', (text, expected) => expect(parseRateSource(text, (path) => `/etc/${path}`)).toEqual(expected))
})
