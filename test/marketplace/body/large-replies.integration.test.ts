import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENT_LENGTH } from '../../../src/marketplace/body/json-body.js'
import { LARGE_REPLY_BYTES } from '../../../src/marketplace/body/large-reply.js'
import { labelledCases, longIt, ROUNDS, runsLongTests } from '../../helpers/long-tests.js'
import { CHANNEL, failureOf, open, serve, serveRaw, session } from '../server.js'

const MIB = 2 ** 20
const limits = { maxBodyMiB: 256, timeoutMs: 60_000, retries: 0 }
const JSON_TYPE = { 'content-type': 'application/json' }
const compressors = {
  br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string) => gzipSync(text),
}
const encodings = labelledCases({ br: 'br', gzip: 'gzip' } as const, ['br'])
const idOf = (url = '') => url.split('/').at(-1) as string
const documentOf = (id: string, length: number) => `{"id":"${id}","title":"${'x'.repeat(length - id.length - 20)}"}`

/** How many large replies wait for each other. */
const REPLIES = runsLongTests ? 24 : 6

/** A server that sends just more of each reply than is received beside another large one, and the rest when the test says so. */
async function serveInHalves(textOf: (url: string) => string, { withLength = false } = {}) {
  const open = new Map<ServerResponse, string>()
  const server = await serve((request, response) => {
    const text = textOf(request.url ?? '')
    response.writeHead(200, { ...JSON_TYPE, ...(withLength && { 'content-length': text.length }) })
    response.write(text.slice(0, LARGE_REPLY_BYTES + 1))
    if (text.length <= LARGE_REPLY_BYTES) response.end()
    else {
      open.set(response, text.slice(LARGE_REPLY_BYTES + 1))
      response.on('close', () => open.delete(response))
    }
  })
  /** Sends the rest of the replies that are open. They are open no longer, whenever their connections say so. */
  const finish = () => {
    for (const [response, rest] of open) response.end(rest)
    open.clear()
  }
  return {
    ...server,
    finish,
    /** Sends the rest of the only reply that is open, once this many requests were received. */
    async finishOneAfter(requests: number) {
      await expect.poll(() => [server.requests.length, open.size]).toEqual([requests, 1])
      finish()
    },
    open,
  }
}

describe('large replies', () => {
  it.each(labelledCases({ unknown: false, known: true }, ['unknown']))(
    'are received one at a time, and all of them are: length %s',
    async (_, withLength) => {
      const ids = Array.from({ length: REPLIES }, (_, n) => `r${n}`)
      const server = await serveInHalves((url) => documentOf(idOf(url), 5 * MIB), { withLength })
      const channel = session(server.url, { limits })
      const values: string[] = []
      const reads = ids.map(async (id) => values.push((await channel.readRfq(id)).value.id))
      for (let finished = 0; finished < ids.length; finished++) {
        await server.finishOneAfter(ids.length + finished)
        await expect.poll(() => values.length).toBe(finished + 1)
      }
      await Promise.all(reads)
      expect(values.toSorted()).toEqual(ids.toSorted())
      expect(channel.requests).toBe(2 * ids.length - 1)
    },
  )

  it.each(encodings)('are all read if they are compressed to few bytes: %s', async (_, encoding) => {
    const ids = Array.from({ length: REPLIES }, (_, n) => `r${n}`)
    const bodies = new Map(ids.map((id) => [id, compressors[encoding](documentOf(id, 6 * MIB))]))
    const server = await serve((request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(bodies.get(idOf(request.url)))
    })
    const channel = session(server.url, { limits })
    const reads = await Promise.all(ids.map((id) => channel.readRfq(id)))
    expect(reads.map(({ value }) => value.id)).toEqual(ids)
  })

  longIt('do not keep smaller ones waiting: items are read beside a large list', async () => {
    const items = Array.from({ length: runsLongTests ? 60 : 12 }, (_, n) => documentOf(`r${n}`, 1_000_000))
    const list = `{"items":[${items.join()}]}`
    const server = await serveInHalves((url) => {
      if (url.endsWith('rfqs')) return list
      return documentOf(idOf(url), url.endsWith('large') ? 5 * MIB : LARGE_REPLY_BYTES)
    })
    const channel = session(server.url, { limits })
    const listed = channel.listRfqs()
    await expect.poll(() => server.open.size).toBe(1)
    const large = channel.readRfq('large')
    for (let n = 0; n < 12; n++) expect((await channel.readRfq(`r${n}`)).value.id).toBe(`r${n}`)
    await server.finishOneAfter(14)
    expect((await listed).value).toHaveLength(items.length)
    await server.finishOneAfter(15)
    expect((await large).value.id).toBe('large')
  })

  longIt('that wait lose no time of their own when another one never ends', async () => {
    const server = await serveInHalves((url) => documentOf(idOf(url), 5 * MIB))
    const channel = session(server.url, { limits: { ...limits, timeoutMs: 6000 } })
    const first = failureOf(channel.readRfq('first'))
    await expect.poll(() => server.open.size).toBe(1)
    const others = ['r1', 'r2', 'r3'].map((id) => channel.readRfq(id))
    await expect.poll(() => [server.requests.length, server.open.size]).toEqual([4, 1])
    expect((await first).message).toContain('no complete reply within 6000 ms')
    for (const requests of [5, 6, 7]) await server.finishOneAfter(requests)
    expect((await Promise.all(others)).map(({ value }) => value.id)).toEqual(['r1', 'r2', 'r3'])
  })

  it('that waited are requested again before what their session asked for later', async () => {
    const server = await serveInHalves((url) => documentOf(idOf(url), url.includes('small') ? 100 : 5 * MIB))
    const channel = session(server.url, { limits: { ...limits, concurrency: 2 } })
    const first = channel.readRfq('first')
    await expect.poll(() => server.open.size).toBe(1)
    const second = channel.readRfq('second')
    await expect.poll(() => [server.requests.length, server.open.size]).toEqual([2, 1])
    const small = Array.from({ length: 2000 }, (_, n) => channel.readRfq(`small-${n}`))
    server.finish()
    await first
    await expect.poll(() => server.open.size).toBe(1)
    expect(server.requests.length).toBeLessThan(2003)
    server.finish()
    await Promise.all([second, ...small])
  })

  it('that wait end when their run is stopped, and the next one is received', async () => {
    const server = await serveInHalves((url) => documentOf(idOf(url), 5 * MIB))
    const marketplace = open(server.url, { limits })
    for (let sent = 0; sent < 24; sent += 6) {
      const run = new AbortController()
      const first = marketplace.session(CHANNEL).readRfq('first')
      await expect.poll(() => server.open.size).toBe(1)
      const stopped = marketplace.session(CHANNEL, { signal: run.signal })
      const failures = [1, 2, 3].map((n) => failureOf(stopped.readRfq(`stopped-${n}`)))
      await expect.poll(() => [server.requests.length, server.open.size]).toEqual([sent + 4, 1])
      const last = marketplace.session(CHANNEL).readRfq('last')
      run.abort()
      for (const error of await Promise.all(failures)) expect(error).toMatchObject({ name: 'AbortedError' })
      await server.finishOneAfter(sent + 5)
      expect((await first).value.id).toBe('first')
      await server.finishOneAfter(sent + 6)
      expect((await last).value.id).toBe('last')
    }
  })
})

describe('the reply for one RFQ or response', () => {
  it('is not read beyond the bytes of the largest document, compressed or not, however large lists may be', async () => {
    const text = ' '.repeat(MAX_DOCUMENT_BYTES + 1)
    const replies = [
      { encoding: 'br', body: compressors.br(text) },
      { encoding: 'gzip', body: compressors.gzip(text) },
      { encoding: 'identity', body: Buffer.from(text) },
    ]
    for (const { encoding, body } of replies) {
      const server = await serve((_, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(body)
      })
      const channel = session(server.url, { limits })
      for (const read of [() => channel.readRfq('r1'), () => channel.readResponse('r1', 'o1')]) {
        const error = await failureOf(read())
        expect(error).toMatchObject({ name: 'UnavailableError', status: 200 })
        expect(error.message).toMatch(/: the body is larger than 24 MiB\. No larger document is accepted$/)
      }
      expect((await failureOf(channel.listRfqs())).message).toContain('the body is empty')
    }
  })

  it('may have that many bytes, and is read no further than requests.maxBodyMiB', async () => {
    const text = `{"id":"r1","title":"${'発'.repeat(MAX_DOCUMENT_LENGTH - 22)}"}`
    const server = await serve((_, response) => response.writeHead(200, JSON_TYPE).end(text))
    expect((await session(server.url, { limits }).readRfq('r1')).value.text).toHaveLength(MAX_DOCUMENT_LENGTH)
    const error = await failureOf(session(server.url, { limits: { ...limits, maxBodyMiB: 2 } }).readRfq('r1'))
    expect(error.message).toContain('larger than 2 MiB')
  })
})

it.each(encodings)('a compressed reply may end with its connection before it is decoded: %s', async (_, encoding) => {
  const digits = Array.from({ length: 200_000 }, (_, n) => Math.sin(n)).join()
  const text = `{"items":[{"id":"r1","title":"${digits}"}]}`
  const body = compressors[encoding](text)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`
  const server = await serveRaw((socket) => {
    socket.write(head)
    socket.end(body)
  })
  const channel = session(server.url, { limits })
  for (let round = 0; round < ROUNDS; round++) {
    expect((await channel.listRfqs()).value[0]?.document?.title).toBe(digits)
  }
})
