import { writeFileSync } from 'node:fs'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { stopFileOf } from '../../src/closing/kill-switch.js'
import { OPERATIONS } from '../../src/web/api/api-routes.js'
import { problemDocument } from '../../src/web/api/problem.js'
import { READ_OPERATIONS } from '../../src/web/api/read.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { createGate, recordingHandlers } from '../helpers/recording-handlers.js'
import { openAwardedRfq } from '../helpers/store/awarded-rfq.js'
import { offers, recordPoll } from '../helpers/store/record-poll.js'
import { locationsOf } from '../helpers/store/store-engine.js'
import { channelConfig } from '../helpers/test-config.js'
import { openPages } from './support/pages-fixture.js'
import { as, TOKENS } from './support/web-server.js'

const BASE = `/api/v1/rfqs/${KEY}`

/** The API of a fixture. Every response is validated. */
async function openApi(fixture: ChannelFixture, options: Parameters<typeof openPages>[1] = {}) {
  const channels = [channelConfig(KEY), channelConfig('acme/peat', { autoClose: 'off' })]
  const { app, runner } = await openPages(fixture, { channels, handlers: null, ...options })
  const get = async (url: string, headers: Record<string, string> = {}) => validated(app, { url, headers })
  const post = async (url: string, payload: unknown, headers: Record<string, string> = {}) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return validated(app, {
      method: 'POST',
      url: `/api/v1${url}`,
      payload: body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  }
  return { get, post, runner, read: async (url: string) => (await get(`/api/v1${url}`)).json() }
}

async function validated(app: FastifyInstance, options: InjectOptions) {
  const response = await app.inject(options)
  const path = String(options.url).replace(/\?.*/, '')
  const endpoint = OPERATIONS.find(
    ({ path: pattern, method }) =>
      method === (options.method ?? 'GET') && new RegExp(`^/api/v1${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  if (response.statusCode < 300 && endpoint) endpoint.result.parse(response.json())
  if (response.statusCode >= 400) {
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(problemDocument.parse(response.json()).status).toBe(response.statusCode)
  }
  return response
}

describe('every operation', () => {
  it('answers what its schema describes, now and as of a moment', async () => {
    const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 3 })
    await fixture.pollListings()
    await fixture.pollRfqs()
    fixture.advanceSeconds(600)
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    fixture.sandbox.world.addResponse(id)
    await fixture.pollRfqs()
    await fixture.closeExpired({ mode: 'on' })
    const { get, read } = await openApi(fixture)
    const [offer] = (await read(`/rfqs/${KEY}/1001/comparison`)).offers
    const values: Record<string, string> = { org: 'acme', channel: 'forest', rfq: '1001', offer: offer.id }
    for (const { path, query } of READ_OPERATIONS) {
      const url = path.replace(/\{(\w+)\}/g, (_name, name) => values[name] ?? '')
      for (const moment of 'as_of' in query.shape ? ['', '?as_of=5 minutes ago'] : [''])
        expect([url, (await get(`/api/v1${url}${encodeURI(moment)}`)).statusCode]).toEqual([url, 200])
    }
    const closed = (await read('/closings?outcome=closed')).items
    expect(closed.map(({ rfqId }: { rfqId: string }) => rfqId)).toContain(id)
  })
})

describe('a wrong request is answered with a problem document', () => {
  it('names, parameters, cursors and addresses', async () => {
    const fixture = await openChannelFixture({ rfqs: 2 })
    await fixture.pollRfqs()
    const { get } = await openApi(fixture)
    const cases: [url: string, status: number, expected: object][] = [
      [`${BASE}/10001`, 404, { suggestions: expect.arrayContaining(['1001']) }],
      ['/api/v1/rfqs/acme/forst/1001', 404, { suggestions: [KEY, 'acme/peat'] }],
      [`${BASE}/1001/offers/none`, 404, {}],
      ['/api/v1/nowhere', 404, {}],
      ['/api/v1/rfqs?stat=open', 400, { detail: expect.stringContaining('did you mean state?') }],
      ['/api/v1/rfqs?state=open&state=closed', 400, {}],
      ['/api/v1/rfqs?state=opne', 400, { suggestions: ['open'] }],
      [`${BASE}/1001?as_of=sometime`, 400, { errors: [expect.objectContaining({ name: 'as_of' })] }],
      [`${BASE}/1001?as_of=2026-01-01`, 400, { detail: expect.stringContaining(`first poll of RFQs in ${KEY}`) }],
      ['/api/v1/runs?limit=501', 400, { detail: 'limit: found "501". Too big: expected number to be <=500' }],
      [
        `${BASE}/1001/comparison?requirements.priceMx=off`,
        400,
        { detail: expect.stringContaining('did you mean requirements.priceMax?') },
      ],
      ['/api/v1/runs?cursor=1%20or%201', 400, {}],
      ['/api/v1/rfqs/%ff', 400, {}],
    ]
    for (const [url, status, expected] of cases) {
      const response = await get(url)
      expect([url, response.statusCode, response.json()]).toEqual([url, status, expect.objectContaining(expected)])
    }
  })
})

describe('work on the queue', () => {
  it('is accepted with the address of its job, which says how it ended', async () => {
    const fixture = await openChannelFixture({ rfqs: 1 })
    await fixture.pollRfqs()
    const { handlers } = recordingHandlers()
    const gate = createGate()
    const makeReport = async () => {
      await gate.passed
      return 'acme_forest/1001.xlsx'
    }
    const failing = () => Promise.reject(new Error('disk full; key of acme'))
    const { post, get } = await openApi(fixture, {
      handlers: { ...handlers, 'rfq-report': makeReport, 'channel-report': failing },
    })
    const report = await post('/reports', { channel: KEY, rfq: '1001' })
    expect(report).toMatchObject({ statusCode: 202, headers: { location: report.json().href } })
    const job = async (accepted: typeof report) => (await get(accepted.json().href)).json()
    expect(await job(report)).toMatchObject({ name: 'rfq-report', channel: KEY, state: 'active', report: null })
    gate.open()
    await expect
      .poll(() => job(report))
      .toMatchObject({ state: 'completed', reportHref: '/reports/acme_forest/1001.xlsx' })
    const overview = await post('/reports', { channel: KEY })
    await expect
      .poll(() => job(overview))
      .toMatchObject({ state: 'failed', error: 'disk full; [secret]', report: null })
    const sync = await post('/sync', { channel: KEY, kind: 'listings' })
    await expect.poll(() => job(sync)).toMatchObject({ name: 'poll-listings', state: 'completed' })
  })

  it('takes the moment of a report, and tells requests for other reports apart', async () => {
    const fixture = await openChannelFixture({ rfqs: 1 })
    await fixture.pollRfqs()
    fixture.advanceSeconds(48 * 3600)
    const { handlers, done } = recordingHandlers()
    const { post, get } = await openApi(fixture, { handlers })
    const order = { channel: KEY, rfq: '1001', as_of: '2026-11-21' }
    const accepted = await post('/reports', order)
    expect(accepted.statusCode).toBe(202)
    const work = { asOf: '2026-11-21T23:59:59.999Z' }
    await expect.poll(() => done).toMatchObject([{ name: 'rfq-report', payload: { ...work, cause: 'api local' } }])
    expect((await get(accepted.json().href)).json()).toMatchObject(work)
    await post('/reports', { ...order, as_of: '2026-11-23' })
    await expect.poll(() => done).toHaveLength(2)
    expect(done[1]?.payload).not.toHaveProperty('asOf')
    const wrong = (await post('/reports', { ...order, rfq: undefined })).json()
    expect([wrong.status, wrong.detail]).toEqual([400, expect.stringMatching(/as_of is about one RFQ/)])
    expect(await post('/reports', { ...order, as_of: '2026-01-01' })).toMatchObject({ statusCode: 400 })
  })

  it('closes by the policy of the schedule, and says why it would not', async () => {
    const fixture = await openChannelFixture({ rfqs: 12 })
    await fixture.pollRfqs()
    const { handlers, done } = recordingHandlers()
    const { post } = await openApi(fixture, { handlers })
    expect(await post('/closings', { channel: KEY })).toMatchObject({ statusCode: 202 })
    await expect.poll(() => done).toMatchObject([{ name: 'close-expired', payload: { channel: KEY } }])
    const off = await post('/closings', { channel: 'acme/peat' })
    expect([off.statusCode, off.json().detail]).toEqual([409, 'nothing would be closed: acme/peat has autoClose: off'])
    writeFileSync(stopFileOf(locationsOf(fixture.store)), '')
    const stopped = await post('/closings', { channel: KEY })
    expect([stopped.statusCode, stopped.json().detail]).toEqual([409, expect.stringContaining('closing.stop exists')])
    expect(await post('/closings', { channel: KEY, number: '1001' })).toMatchObject({ statusCode: 400 })
    expect(done).toHaveLength(1)
  })

  it('never means another RFQ than the one named, in no operation', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const numbered = world.addRfq(CHANNEL, { number: 42, reference: 'A' })
    world.addRfq(CHANNEL, { id: '42', number: 7, reference: 'B' })
    const referenced = world.addRfq(CHANNEL, { number: 8, reference: '42' })
    await fixture.pollRfqs()
    const { handlers, done } = recordingHandlers()
    const { get, post } = await openApi(fixture, { handlers })
    const ids = { 'id:42': '42', 'number:42': numbered.id, 'reference:42': referenced.id }
    expect((await get(`${BASE}/42/comparison`)).statusCode).toBe(409)
    for (const order of ['/closings', '/reports']) {
      const refused = await post(order, { channel: KEY, rfq: '42' })
      expect([refused.statusCode, refused.json().suggestions.sort()]).toEqual([
        409,
        ['id:42', `id:${numbered.id}`, `id:${referenced.id}`].sort(),
      ])
    }
    for (const [name, id] of Object.entries(ids)) {
      expect((await get(`${BASE}/${name}`)).json().id).toBe(id)
      fixture.advanceSeconds(60)
      const { length } = done
      expect(await post('/closings', { channel: KEY, rfq: name })).toMatchObject({ statusCode: 202 })
      await expect.poll(() => done.slice(length)).toMatchObject([{ payload: { channel: KEY, rfqId: id } }])
    }
    expect(done).toHaveLength(Object.keys(ids).length)
  })

  it('is refused with the reason', async () => {
    const fixture = await openChannelFixture({ rfqs: 1 })
    await fixture.pollRfqs()
    const { post, get, runner } = await openApi(fixture, { tokens: TOKENS })
    const omar = as('omar')
    const cases: [what: string, expected: number, url: string, payload: unknown, headers?: Record<string, string>][] = [
      ['a viewer who closes', 403, '/closings', { channel: KEY }, as('ana')],
      ['no token', 401, '/sync', { channel: KEY }, { authorization: '' }],
      ['an unknown channel', 404, '/sync', { channel: 'acme/forst' }],
      ['an unknown RFQ', 404, '/reports', { channel: KEY, rfq: '1002' }],
      ['an unknown kind', 400, '/sync', { channel: KEY, kind: 'offers' }],
      ['an unknown member', 400, '/sync', { channel: KEY, full: true }],
      ['no body', 400, '/sync', {}],
      ['a malformed body', 400, '/sync', '{"channel":'],
      ['a list', 400, '/sync', '[]'],
      ['a body that is too large', 413, '/sync', { channel: 'x'.repeat(70_000) }],
      ['another type of body', 415, '/sync', 'channel', { 'content-type': 'text/plain' }],
      ['another website', 403, '/sync', { channel: KEY }, { 'sec-fetch-site': 'cross-site' }],
      ['another Host', 421, '/sync', { channel: KEY }, { host: 'evil.example' }],
    ]
    for (const [what, expected, url, payload, headers] of cases)
      expect([what, (await post(url, payload, { ...omar, ...headers })).statusCode]).toEqual([what, expected])
    const detail = async (payload: unknown) => (await post('/sync', payload, omar)).json().detail
    expect(await detail('null')).toBe('the body must be a JSON object')
    expect(await detail({ channel: KEY, approve: 1 })).toBe('approve: unknown; known: channel, kind')
    expect(await detail({ kind: 3 })).toBe(
      'channel: missing. Invalid input: expected string, received undefined; ' +
        'kind: found 3. Invalid option: expected one of "listings"|"rfqs"',
    )
    expect(await get('/api/v1/jobs/none', omar)).toMatchObject({ statusCode: 404 })
    expect(await post('/sync', { channel: KEY }, omar)).toMatchObject({ statusCode: 202 })
    fixture.advanceSeconds(1)
    expect(await post('/sync', { channel: KEY }, omar)).toMatchObject({ statusCode: 409 })
    await runner.close(0)
    expect(await post('/sync', { channel: 'acme/peat' }, omar)).toMatchObject({ statusCode: 503 })
  })
})

describe('awards', () => {
  it('are recorded by operators, listed, shown by the comparison, and withdrawn', async () => {
    const rfq = await openAwardedRfq()
    const { post, get } = await openApi(rfq, { tokens: TOKENS })
    const path = `/rfqs/${KEY}/1042`
    const read = async (url: string) => (await get(`/api/v1${path}/${url}`, as('ana'))).json()
    const record = (body: unknown, name = 'omar') => post(`${path}/awards`, body, as(name))
    expect((await record({ offers: [rfq.cheap] }, 'ana')).statusCode).toBe(403)
    expect((await record({ offers: [rfq.other] })).json()).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/Say why/),
    })
    expect((await record({ offers: [rfq.cheap], as_of: '2020-01-01' })).statusCode).toBe(400)
    expect((await post(`/rfqs/${KEY}/7/awards`, { offers: [rfq.cheap] }, as('omar'))).statusCode).toBe(404)
    const recorded = await record({ offers: [rfq.other], because: 'delivers first' })
    expect([recorded.statusCode, recorded.json()]).toEqual([
      201,
      expect.objectContaining({ id: 1, by: 'omar', because: 'delivers first', followed: false }),
    ])
    expect((await read('awards')).items).toMatchObject([{ id: 1, withdrawn: null }])
    expect((await read('comparison')).award).toMatchObject({
      status: 'waiting',
      award: { id: 1, offers: [{ id: rfq.other }] },
    })
    const withdraw = (id: string, name = 'omar') =>
      post(`${path}/awards/${id}/withdraw`, { because: 'a mistake' }, as(name))
    expect((await withdraw('1', 'ana')).statusCode).toBe(403)
    for (const id of ['2', 'x']) expect((await withdraw(id)).statusCode).toBe(404)
    expect((await withdraw('1')).json()).toMatchObject({ withdrawn: { id: 2, by: 'omar', because: 'a mistake' } })
    expect((await withdraw('1')).statusCode).toBe(404)
    expect((await read('comparison')).award).toBeNull()
  })
})

describe('events', () => {
  it('are read from a sequence on, all or of some kinds, page by page', async () => {
    const fixture = await openChannelFixture()
    for (let poll = 1; poll <= 3; poll++) await recordPoll(fixture, [offers(2, poll)])
    const { get, read } = await openApi(fixture)
    const sequences = async (query: string) => {
      const { items, next, beginsAt } = await read(`/events?${query}`)
      return [items.map(({ sequence }: { sequence: number }) => sequence), next, beginsAt]
    }
    expect(await sequences('limit=2&after=2')).toEqual([[3, 4], 4, 1])
    expect(await sequences('kinds=channel.first-poll,rfq.new')).toEqual([[1], 5, 1])
    expect((await read('/events?after=1&limit=1')).items).toEqual([
      {
        ...{ sequence: 2, id: expect.stringMatching(/^evt_/), kind: 'offer.changed', at: '2026-11-21T12:02:00.000Z' },
        ...{ channel: KEY, rfqId: 'rfq-0', offerId: 'offer-0', version: 2, data: expect.anything() },
        text: 'offer for RFQ 0 changed: Green: Total 1 → 2.',
      },
    ])
    expect(await get('/api/v1/events?kinds=offer.new,offer.nwe')).toMatchObject({ statusCode: 400 })
  })
})
