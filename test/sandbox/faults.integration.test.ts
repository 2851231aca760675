import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorReply } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { createWorld, type Effect, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { eventually } from '../helpers/eventually.js'
import { requestJson } from './request-json.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const forest = { org: 'acme', channel: 'forest' }
const base = '/v1/orgs/acme/channels/forest'
const rfqs = `${base}/rfqs`

let sandbox: Sandbox
let id: string
beforeAll(async () => {
  const channels = [
    { ...forest, apiKey: 'k', rfqs: 3, responsesPerRfq: 2 },
    { org: 'other', channel: 'forest', apiKey: 'o' },
  ]
  sandbox = await startSandbox({ world: createWorld({ seed: 7, now, channels }), now: () => now })
})
afterAll(() => sandbox.close())
beforeEach(() => {
  sandbox.log.reset()
  id = sandbox.world.addRfq(forest).id
  sandbox.world.addResponse(id)
})
afterEach(() => {
  expect(sandbox.faults.list()).toEqual([])
  sandbox.world.removeRfq(id)
})

const addOnce = (effect: Effect | Effect[]) => sandbox.faults.add({ effect })
const close = () => requestJson(sandbox, `${rfqs}/${id}/close`, { method: 'POST' })
const state = () => sandbox.world.rfq(id).state

describe('fault conditions', () => {
  const statuses = async (paths: string[]) => {
    const replies = []
    for (const path of paths) replies.push((await requestJson(sandbox, path)).status)
    return replies
  }

  it('apply a fault once by default, or the given number of times', async () => {
    addOnce({ kind: 'status', status: 503 })
    expect(await statuses([rfqs, rfqs])).toEqual([503, 200])
    sandbox.faults.add({ times: 2, effect: { kind: 'status', status: 503 } })
    expect(await statuses([rfqs, rfqs, rfqs])).toEqual([503, 503, 200])
  })

  it('apply a fault until it is removed, with times: Infinity', async () => {
    const fault = sandbox.faults.add({ times: Number.POSITIVE_INFINITY, effect: { kind: 'status', status: 503 } })
    expect(await statuses([rfqs, rfqs, rfqs])).toEqual([503, 503, 503])
    expect(sandbox.faults.list()).toEqual([{ id: fault.id, hits: 3, left: 'always', kinds: ['status'] }])
    fault.remove()
    expect(await statuses([rfqs])).toEqual([200])
    expect(fault.hits).toBe(3)
  })

  it('let the first requests through, with skip', async () => {
    sandbox.faults.add({ skip: 2, effect: { kind: 'status', status: 500 } })
    expect(await statuses([rfqs, rfqs, rfqs, rfqs])).toEqual([200, 200, 500, 200])
  })

  it('match operation, organization, path and RFQ id', async () => {
    const effect = { kind: 'status', status: 500 } as const
    sandbox.faults.add({ operation: ['readRfq', 'closeRfq'], effect })
    expect(await statuses([rfqs, `${base}/listings`, `${rfqs}/${id}`])).toEqual([200, 200, 500])
    sandbox.faults.add({ org: 'other', effect })
    expect(await statuses([rfqs, '/v1/orgs/other/channels/forest/rfqs'])).toEqual([200, 500])
    sandbox.faults.add({ path: /listings$/, effect })
    expect(await statuses([rfqs, `${base}/listings`])).toEqual([200, 500])
    sandbox.faults.add({ rfqId: id, effect })
    expect(await statuses([rfqs, `${rfqs}/${id}`])).toEqual([200, 500])
  })

  it('record the applied fault in the request log', async () => {
    addOnce({ kind: 'status', status: 429, headers: { 'retry-after': '3' } })
    await requestJson(sandbox, rfqs)
    expect(sandbox.requests).toMatchObject([{ status: 429, faults: ['status'], operation: 'listRfqs' }])
  })
})

describe('faults that replace the reply', () => {
  it('send a status with the error body, or with a given body and headers', async () => {
    addOnce({ kind: 'status', status: 429, headers: { 'retry-after': '7' } })
    const limited = await requestJson(sandbox, rfqs)
    expect(limited.headers.get('retry-after')).toBe('7')
    expect(parseLeniently(errorReply, limited.body).problems).toEqual([])
    addOnce({ kind: 'status', status: 200, body: { items: 'none' } })
    expect((await requestJson(sandbox, rfqs)).body).toEqual({ items: 'none' })
  })

  it('send HTML with status 200, or any text with any content type', async () => {
    addOnce({ kind: 'text' })
    const page = await requestJson(sandbox, rfqs)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html'])
    expect(page.body).toMatch(/^<!doctype html>/)
    addOnce({ kind: 'text', text: '{"items":[', contentType: 'application/json', status: 201 })
    expect(await requestJson(sandbox, rfqs)).toMatchObject({ status: 201, body: '{"items":[' })
  })

  it('send a redirect', async () => {
    addOnce({ kind: 'redirect', location: 'http://127.0.0.1:9/', status: 307 })
    const { status, headers } = await requestJson(sandbox, rfqs)
    expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/'])
  })

  it('send a shifted, invalid or missing Date header', async () => {
    const date = async () => (await requestJson(sandbox, rfqs)).headers.get('date')
    expect(await date()).toBe(now.toUTCString())
    addOnce({ kind: 'date', skewMs: -90_000 })
    expect(await date()).toBe('Wed, 11 Jun 2025 09:28:30 GMT')
    addOnce({ kind: 'date', value: 'noon' })
    expect(await date()).toBe('noon')
    addOnce({ kind: 'date', value: null })
    expect(await date()).toBeNull()
  })
})

describe('faults of the connection', () => {
  it('hang without a reply', async () => {
    addOnce({ kind: 'hang' })
    const patience = new AbortController()
    const hanging = expect(requestJson(sandbox, rfqs, { signal: patience.signal })).rejects.toThrow('aborted')
    await eventually(() => expect(sandbox.requests).toHaveLength(1))
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
    patience.abort()
    await hanging
    expect(sandbox.requests[0]).toMatchObject({ status: null, answeredAt: null, faults: ['hang'] })
  })

  it('delay the reply', async () => {
    addOnce({ kind: 'delay', ms: 60 })
    const started = performance.now()
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(55)
  })

  it('send the reply a few bytes at a time', async () => {
    sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'drip', bytes: 3, everyMs: 5 } })
    expect((await close()).body).toEqual({ ok: true })
    addOnce({ kind: 'drip', everyMs: 20 })
    const { headers, received } = await receive(rfqs, { start: true })
    expect(Number(headers['content-length'])).toBeGreaterThan(1000)
    // All of it takes more than 20 seconds.
    expect(received.length).toBeLessThan(1000)
  })

  it('reset the connection before any byte is sent', async () => {
    addOnce({ kind: 'reset' })
    await expect(requestJson(sandbox, rfqs)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('reset the connection in the middle of the body', async () => {
    addOnce({ kind: 'reset-mid-body' })
    const { headers, received, error } = await receive(rfqs)
    expect(received.length).toBe(Math.ceil(Number(headers['content-length']) / 2))
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('close the connection normally after half of the body', async () => {
    const whole = JSON.stringify((await requestJson(sandbox, rfqs)).body)
    addOnce({ kind: 'truncate' })
    const { headers, received, error } = await receive(rfqs)
    expect(error).toBeNull()
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, undefined])
    expect(received).toBe(whole.slice(0, Math.ceil(whole.length / 2)))
  })

  it('send a huge body, plain or compressed', async () => {
    addOnce({ kind: 'huge', bytes: 3_500_000 })
    const huge = await (await fetch(`${sandbox.url}${rfqs}`)).text()
    expect([huge.length, JSON.parse(huge)]).toEqual([3_500_000, { items: [] }])
    addOnce({ kind: 'gzip-bomb', bytes: 20_000_000 })
    const packed = await receive(rfqs)
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(packed.received.length).toBeLessThan(40_000)
    addOnce({ kind: 'gzip-bomb', bytes: 20_000_000 })
    const bomb = await (await fetch(`${sandbox.url}${rfqs}`)).text()
    expect([bomb.length, JSON.parse(bomb)]).toEqual([20_000_000, { items: [] }])
  })

  it('stop sending when the client disconnects', async () => {
    addOnce({ kind: 'huge', bytes: 10 ** 12 })
    await receive(rfqs, { start: true })
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
  })
})

describe('faults of a close', () => {
  it('reply ok: false and leave the RFQ open', async () => {
    addOnce({ kind: 'not-ok' })
    expect(await close()).toMatchObject({ status: 200, body: { ok: false } })
    expect(state()).toBe('open')
  })

  it.each([true, false])('reply 500; the close takes effect: %s', async (apply) => {
    addOnce({ kind: 'status', status: 500, apply })
    expect((await close()).status).toBe(500)
    expect(state()).toBe(apply ? 'closed' : 'open')
    expect(sandbox.requests).toMatchObject([{ operation: 'closeRfq', applied: apply, status: 500 }])
  })

  it('lose the reply after the close took effect', async () => {
    addOnce({ kind: 'reset', apply: true })
    await expect(close()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(state()).toBe('closed')
    expect(sandbox.requests).toMatchObject([{ applied: true, status: null }])
  })

  it('do not close the RFQ if the key has no access', async () => {
    addOnce({ kind: 'reset', apply: true })
    await expect(requestJson(sandbox, `${rfqs}/${id}/close`, { method: 'POST', key: 'o' })).rejects.toThrow()
    expect(state()).toBe('open')
  })
})

describe('faults in documents', () => {
  const items = async () => (await requestJson(sandbox, rfqs)).body.items as { id: string; title: string }[]

  it('change one reply by a function or a patch, but not the world', async () => {
    const change = (body: { title: string }) => ({ ...body, title: 1, extra: 'more' })
    addOnce({ kind: 'transform', change })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body).toMatchObject({ title: 1, extra: 'more', id })
    addOnce({ kind: 'patch', patch: { state: 'paused', pricing: { currency: 'GBP' }, title: null } })
    const patched = (await requestJson(sandbox, `${rfqs}/${id}`)).body
    expect(patched).toMatchObject({ state: 'paused', pricing: { currency: 'GBP', minUnitPrice: expect.any(Number) } })
    expect('title' in patched).toBe(false)
    addOnce({ kind: 'patch', id, patch: { title: 'One of many' } })
    expect((await items()).filter(({ title }) => title === 'One of many').map((item) => item.id)).toEqual([id])
    expect(sandbox.world.rfq(id)).toMatchObject({ state: 'open', title: expect.not.stringMatching('One') })
  })

  it('drop, empty or duplicate the items of a list', async () => {
    const all = await items()
    addOnce({ kind: 'drop', ids: [id] })
    expect((await items()).map((item) => item.id)).toEqual(all.map((item) => item.id).filter((each) => each !== id))
    addOnce({ kind: 'drop', count: 2 })
    expect(await items()).toEqual(all.slice(2))
    addOnce({ kind: 'empty' })
    expect(await items()).toEqual([])
    addOnce({ kind: 'duplicate' })
    expect(await items()).toEqual([...all, all[0]])
    addOnce({ kind: 'duplicate', ids: [id], patch: { title: 'Other' } })
    expect(await items()).toEqual([...all, { ...all.at(-1), title: 'Other' }])
    expect(await items()).toEqual(all)
  })

  it('remove a document between the list and the read', async () => {
    const response = sandbox.world.rfq(id).responses[0]?.id
    sandbox.faults.add({ operation: 'readResponse', effect: { kind: 'vanish' } })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responses.length).toBe(1)
    expect((await requestJson(sandbox, `${rfqs}/${id}/responses/${response}`)).status).toBe(404)
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responses).toEqual([])
  })

  it('change a document just before it is read', async () => {
    const call = ({ rfqId }: { rfqId: string | null }) =>
      sandbox.world.changeRfq(rfqId ?? '', { responseDueDate: '2030-01-01' })
    sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'call', call } })
    expect((await items()).at(-1)).not.toMatchObject({ responseDueDate: '2030-01-01' })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responseDueDate).toBe('2030-01-01')
  })

  it('combine several effects', async () => {
    addOnce([{ kind: 'delay', ms: 1 }, { kind: 'date', value: null }, { kind: 'empty' }])
    const { body, headers } = await requestJson(sandbox, rfqs)
    expect([body, headers.get('date')]).toEqual([{ items: [] }, null])
  })
})

/** A raw GET: what was received before the end or an error; with `start`, of the first that arrived. */
function receive(path: string, { start = false } = {}) {
  return new Promise<{ headers: IncomingMessage['headers']; received: string; error: Error | null }>(
    (resolve, reject) => {
      const request = get(`${sandbox.url}${path}`, { headers: { authorization: 'k' } }, (response) => {
        let received = ''
        const end = (error: Error | null) => {
          resolve({ headers: response.headers, received, error })
          request.destroy()
        }
        response.setEncoding('latin1')
        response.on('data', (data) => {
          received += data
          if (start) end(null)
        })
        response.on('end', () => end(null))
        response.on('error', end)
        // Node 24 reports an error of the response here too, and first.
        request.off('error', reject).on('error', end)
      })
      request.on('error', reject)
    },
  )
}
