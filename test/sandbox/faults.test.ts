import { get, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorReply } from '../../src/domain/documents.js'
import { parseLeniently } from '../../src/domain/lenient-parser.js'
import { createWorld, type Effect, type Sandbox, startSandbox } from '../../src/sandbox/index.js'
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

const once = (effect: Effect | Effect[]) => sandbox.faults.add({ effect })
const close = () => requestJson(sandbox, `${rfqs}/${id}/close`, { method: 'POST' })
const state = () => sandbox.world.rfq(id).state

describe('which requests a fault meets', () => {
  const statuses = async (paths: string[]) => {
    const replies = []
    for (const path of paths) replies.push((await requestJson(sandbox, path)).status)
    return replies
  }

  it('meets so many, once unless told otherwise', async () => {
    once({ kind: 'status', status: 503 })
    expect(await statuses([rfqs, rfqs])).toEqual([503, 200])
    sandbox.faults.add({ times: 2, effect: { kind: 'status', status: 503 } })
    expect(await statuses([rfqs, rfqs, rfqs])).toEqual([503, 503, 200])
  })

  it('meets always until it is removed', async () => {
    const fault = sandbox.faults.add({ times: Number.POSITIVE_INFINITY, effect: { kind: 'status', status: 503 } })
    expect(await statuses([rfqs, rfqs, rfqs])).toEqual([503, 503, 503])
    expect(sandbox.faults.list()).toEqual([{ id: fault.id, hits: 3, left: 'always', kinds: ['status'] }])
    fault.remove()
    expect(await statuses([rfqs])).toEqual([200])
    expect(fault.hits).toBe(3)
  })

  it('lets the first ones through', async () => {
    sandbox.faults.add({ skip: 2, effect: { kind: 'status', status: 500 } })
    expect(await statuses([rfqs, rfqs, rfqs, rfqs])).toEqual([200, 200, 500, 200])
  })

  it('goes by operation, organization, path and identifier', async () => {
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

  it('is written in the log', async () => {
    once({ kind: 'status', status: 429, headers: { 'retry-after': '3' } })
    await requestJson(sandbox, rfqs)
    expect(sandbox.requests).toMatchObject([{ status: 429, faults: ['status'], operation: 'listRfqs' }])
  })
})

describe('an answer of another kind', () => {
  it('status, with the error body, or with a body and headers of its own', async () => {
    once({ kind: 'status', status: 429, headers: { 'retry-after': '7' } })
    const limited = await requestJson(sandbox, rfqs)
    expect(limited.headers.get('retry-after')).toBe('7')
    expect(parseLeniently(errorReply, limited.body).problems).toEqual([])
    once({ kind: 'status', status: 200, body: { items: 'none' } })
    expect((await requestJson(sandbox, rfqs)).body).toEqual({ items: 'none' })
  })

  it('HTML with 200, or any text of any type', async () => {
    once({ kind: 'text' })
    const page = await requestJson(sandbox, rfqs)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html'])
    expect(page.body).toMatch(/^<!doctype html>/)
    once({ kind: 'text', text: '{"items":[', contentType: 'application/json', status: 201 })
    expect(await requestJson(sandbox, rfqs)).toMatchObject({ status: 201, body: '{"items":[' })
  })

  it('a redirect', async () => {
    once({ kind: 'redirect', location: 'http://127.0.0.1:9/', status: 307 })
    const { status, headers } = await requestJson(sandbox, rfqs)
    expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/'])
  })

  it('a date that is off, nonsense, or absent', async () => {
    const date = async () => (await requestJson(sandbox, rfqs)).headers.get('date')
    expect(await date()).toBe(now.toUTCString())
    once({ kind: 'date', skewMs: -90_000 })
    expect(await date()).toBe('Wed, 11 Jun 2025 09:28:30 GMT')
    once({ kind: 'date', value: 'noon' })
    expect(await date()).toBe('noon')
    once({ kind: 'date', value: null })
    expect(await date()).toBeNull()
  })
})

describe('a connection that fails', () => {
  it('hangs', async () => {
    once({ kind: 'hang' })
    await expect(requestJson(sandbox, rfqs, { signal: AbortSignal.timeout(500) })).rejects.toThrow('timeout')
    expect(sandbox.requests).toMatchObject([{ status: null, answeredAt: null, faults: ['hang'] }])
  })

  it('is late', async () => {
    once({ kind: 'delay', ms: 60 })
    const started = performance.now()
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThan(55)
  })

  it('drips', async () => {
    sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'drip', bytes: 3, everyMs: 5 } })
    expect((await close()).body).toEqual({ ok: true })
    once({ kind: 'drip', everyMs: 20 })
    const { headers, heard } = await hear(rfqs, 110)
    expect(Number(headers['content-length'])).toBeGreaterThan(1000)
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.length).toBeLessThan(8)
  })

  it('is reset before a byte', async () => {
    once({ kind: 'reset' })
    await expect(requestJson(sandbox, rfqs)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('is reset in the middle of the body', async () => {
    once({ kind: 'reset-mid-body' })
    const { headers, heard, error } = await hear(rfqs)
    expect(heard.length).toBe(Math.ceil(Number(headers['content-length']) / 2))
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('ends as if all had been said, after half of it', async () => {
    const whole = JSON.stringify((await requestJson(sandbox, rfqs)).body)
    once({ kind: 'truncate' })
    const { headers, heard, error } = await hear(rfqs)
    expect(error).toBeNull()
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, undefined])
    expect(heard).toBe(whole.slice(0, Math.ceil(whole.length / 2)))
  })

  it('floods, plainly or compressed', async () => {
    once({ kind: 'huge', bytes: 3_500_000 })
    const huge = await (await fetch(`${sandbox.url}${rfqs}`)).text()
    expect([huge.length, JSON.parse(huge)]).toEqual([3_500_000, { items: [] }])
    once({ kind: 'gzip-bomb', bytes: 20_000_000 })
    const packed = await hear(rfqs)
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(packed.heard.length).toBeLessThan(40_000)
    once({ kind: 'gzip-bomb', bytes: 20_000_000 })
    const bomb = await (await fetch(`${sandbox.url}${rfqs}`)).text()
    expect([bomb.length, JSON.parse(bomb)]).toEqual([20_000_000, { items: [] }])
  })

  it('stops flooding when the client has had enough', async () => {
    once({ kind: 'huge', bytes: 10 ** 12 })
    await hear(rfqs, 30)
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
  })
})

describe('a close that goes wrong', () => {
  it('is refused by ok: false', async () => {
    once({ kind: 'not-ok' })
    expect(await close()).toMatchObject({ status: 200, body: { ok: false } })
    expect(state()).toBe('open')
  })

  it.each([true, false])('answers 500, having taken effect: %s', async (apply) => {
    once({ kind: 'status', status: 500, apply })
    expect((await close()).status).toBe(500)
    expect(state()).toBe(apply ? 'closed' : 'open')
    expect(sandbox.requests).toMatchObject([{ operation: 'closeRfq', applied: apply, status: 500 }])
  })

  it('took effect, but the answer is lost', async () => {
    once({ kind: 'reset', apply: true })
    await expect(close()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(state()).toBe('closed')
    expect(sandbox.requests).toMatchObject([{ applied: true, status: null }])
  })

  it('does not take effect for a key that may not', async () => {
    once({ kind: 'reset', apply: true })
    await expect(requestJson(sandbox, `${rfqs}/${id}/close`, { method: 'POST', key: 'o' })).rejects.toThrow()
    expect(state()).toBe('open')
  })
})

describe('documents that are odd', () => {
  const items = async () => (await requestJson(sandbox, rfqs)).body.items as { id: string; title: string }[]

  it('are changed by a function or by a patch, for that answer only', async () => {
    const change = (body: { title: string }) => ({ ...body, title: 1, extra: 'more' })
    once({ kind: 'transform', change })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body).toMatchObject({ title: 1, extra: 'more', id })
    once({ kind: 'patch', patch: { state: 'paused', pricing: { currency: 'GBP' }, title: null } })
    const patched = (await requestJson(sandbox, `${rfqs}/${id}`)).body
    expect(patched).toMatchObject({ state: 'paused', pricing: { currency: 'GBP', minUnitPrice: expect.any(Number) } })
    expect('title' in patched).toBe(false)
    once({ kind: 'patch', id, patch: { title: 'One of many' } })
    expect((await items()).filter(({ title }) => title === 'One of many').map((item) => item.id)).toEqual([id])
    expect(sandbox.world.rfq(id)).toMatchObject({ state: 'open', title: expect.not.stringMatching('One') })
  })

  it('lack in a list, are all gone, or come twice', async () => {
    const all = await items()
    once({ kind: 'drop', ids: [id] })
    expect((await items()).map((item) => item.id)).toEqual(all.map((item) => item.id).filter((each) => each !== id))
    once({ kind: 'drop', count: 2 })
    expect(await items()).toEqual(all.slice(2))
    once({ kind: 'empty' })
    expect(await items()).toEqual([])
    once({ kind: 'duplicate' })
    expect(await items()).toEqual([...all, all[0]])
    once({ kind: 'duplicate', ids: [id], patch: { title: 'Other' } })
    expect(await items()).toEqual([...all, { ...all.at(-1), title: 'Other' }])
    expect(await items()).toEqual(all)
  })

  it('vanish between the list and the reading', async () => {
    const response = sandbox.world.rfq(id).responses[0]?.id
    sandbox.faults.add({ operation: 'readResponse', effect: { kind: 'vanish' } })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responses.length).toBe(1)
    expect((await requestJson(sandbox, `${rfqs}/${id}/responses/${response}`)).status).toBe(404)
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responses).toEqual([])
  })

  it('change at the moment they are read', async () => {
    const call = ({ rfqId }: { rfqId: string | null }) =>
      sandbox.world.changeRfq(rfqId ?? '', { responseDueDate: '2030-01-01' })
    sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'call', call } })
    expect((await items()).at(-1)).not.toMatchObject({ responseDueDate: '2030-01-01' })
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responseDueDate).toBe('2030-01-01')
  })

  it('combine with a delay and a date', async () => {
    once([{ kind: 'delay', ms: 1 }, { kind: 'date', value: null }, { kind: 'empty' }])
    const { body, headers } = await requestJson(sandbox, rfqs)
    expect([body, headers.get('date')]).toEqual([{ items: [] }, null])
  })
})

/** A raw GET: what arrived until the end, an error, or the patience in milliseconds was over. */
function hear(path: string, patience = 5000) {
  return new Promise<{ headers: IncomingMessage['headers']; heard: string; error: Error | null }>((resolve, reject) => {
    const request = get(`${sandbox.url}${path}`, { headers: { authorization: 'k' } }, (response) => {
      let heard = ''
      const end = (error: Error | null) => {
        clearTimeout(timer)
        resolve({ headers: response.headers, heard, error })
        request.destroy()
      }
      const timer = setTimeout(() => end(null), patience)
      response.setEncoding('latin1')
      response.on('data', (data) => {
        heard += data
      })
      response.on('end', () => end(null))
      response.on('error', end)
    })
    request.on('error', reject)
  })
}
