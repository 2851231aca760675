import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { holdDeadlines } from '../helpers/request-deadlines.js'
import { fault } from './fault-test.js'

const always = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'
const sql = (fixture: ChannelFixture, text: string) =>
  new Database(fixture.store.name, { readonly: true }).prepare(text).all()
const history = (fixture: ChannelFixture) => sql(fixture, 'select * from versions')

/** A fixture that has polled three RFQs, past due, with two responses each. */
async function openPolled(
  options: Parameters<typeof openChannelFixture>[0] = {},
): Promise<ChannelFixture & { ids: string[] }> {
  const fixture = await openChannelFixture(options)
  const ids = [1, 2, 3].map(() => {
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    for (let n = 0; n < 2; n++) fixture.sandbox.world.addResponse(id)
    return id
  })
  await fixture.pollRfqs()
  fixture.sandbox.requests.length = 0
  fixture.advanceSeconds(60)
  return { ...fixture, ids }
}

/** Expects a poll to fail with this error and to change nothing, and the next poll to succeed. */
async function expectHarmlessFailure(
  fixture: ChannelFixture,
  effect: Effect,
  error: RegExp,
  requests: number,
): Promise<void> {
  const before = history(fixture)
  fixture.sandbox.requests.length = 0
  const fault = fixture.sandbox.faults.add({ operation: 'listRfqs', times: always, effect })
  const { run } = await fixture.pollRfqs()
  expect(run).toMatchObject({ outcome: 'failed', missing: 0, requests, error: expect.stringMatching(error) })
  expect(fixture.sandbox.requests.length).toBe(requests)
  expect(history(fixture)).toEqual(before)
  expect(run.error).not.toContain('key of acme')
  fault.remove()
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
}

fault('401 on a read', '401 on the list ends the run without a retry', async () => {
  await expectHarmlessFailure(await openPolled(), { kind: 'status', status: 401 }, /401/, 1)
})
fault('401 on a read', '401 on a response stops the run, with no further requests', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'readResponse', times: always, effect: { kind: 'status', status: 401 } })
  const { run } = await fixture.pollRfqs({ concurrency: 1 })
  expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('401') })
  expect(fixture.sandbox.requests.filter((request) => request.operation === 'readRfq')).toHaveLength(1)
})
fault('403 on a read', '403 on the list ends the run without a retry', async () => {
  await expectHarmlessFailure(await openPolled(), { kind: 'status', status: 403 }, /403/, 1)
})
fault('403 on a read', 'polls of other channels are not affected', async () => {
  const fixture = await openChannelFixture({ rfqs: 2, others: [{ org: 'meridian', channel: 'removals', rfqs: 2 }] })
  const foreign = { org: 'meridian', channel: 'removals', apiKey: 'key of acme' }
  const [forbidden, own] = await Promise.all([fixture.pollRfqs({ channel: foreign }), fixture.pollRfqs()])
  expect(forbidden.run).toMatchObject({ outcome: 'failed', requests: 1, error: expect.stringMatching(/403/) })
  expect(own.run).toMatchObject({ outcome: 'complete', error: null })
  expect(sql(fixture, 'select channel, count(*) as n from rfqs group by channel')).toEqual([{ channel: KEY, n: 2 }])
})
fault('404 for the channel', 'the run fails and nothing is marked missing', async () => {
  await expectHarmlessFailure(await openPolled(), { kind: 'status', status: 404 }, /404/, 1)
})
fault(
  '404 for a response that the list still shows',
  'the summary is kept and the response is marked unavailable',
  async () => {
    const fixture = await openChannelFixture()
    const { id } = fixture.sandbox.world.addRfq(CHANNEL)
    fixture.sandbox.world.addResponse(id)
    const unavailable = fixture.sandbox.world.addResponse(id)
    fixture.sandbox.faults.add({ responseId: unavailable.id, effect: { kind: 'status', status: 404 } })
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    expect(sql(fixture, `select shape from offers where id = '${unavailable.id}'`)).toEqual([{ shape: 'summary' }])
    expect(await fixture.store.problems({ entityIds: [unavailable.id] })).toMatchObject([{ code: 'unavailable' }])
  },
)
fault('500 or 503 on a read', 'the run fails when the list still fails after the retries', async () => {
  await expectHarmlessFailure(await openPolled(), { kind: 'status', status: 503 }, /503/, 3)
})
fault('500 or 503 on a read', 'the run is complete when a retry succeeds', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ times: 2, effect: { kind: 'status', status: 500 } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', requests: 1 + 3 + 6 + 2 })
})
fault(
  '429 with Retry-After (seconds, date, invalid, very long)',
  'an hour ends the run and delays the next one',
  async () => {
    for (const value of ['3600', new Date('2026-11-21T13:01:00Z').toUTCString()]) {
      const fixture = await openPolled()
      fixture.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': value } } })
      const { run } = await fixture.pollRfqs()
      expect(run).toMatchObject({ outcome: 'partial', notBefore: '2026-11-21T13:01:00.000Z' })
      expect(fixture.sandbox.requests.length).toBe(1)
    }
  },
)
const peat = { ...CHANNEL, channel: 'peat' }
const withPeat = () => openChannelFixture({ rfqs: 1, others: [{ ...peat, rfqs: 1 }] })
fault(
  '429 with Retry-After (seconds, date, invalid, very long)',
  'an hour on one channel also prevents requests for the other',
  async () => {
    const fixture = await withPeat()
    fixture.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } } })
    await fixture.pollRfqs()
    const { run } = await fixture.pollRfqs({ channel: { ...peat, apiKey: 'key of acme' } })
    expect(run).toMatchObject({ outcome: 'partial', requests: 0, notBefore: '2026-11-21T13:00:00.000Z' })
    expect(fixture.sandbox.requests.length).toBe(1)
  },
)
fault('400, 403 or 404 on a close', 'one POST, then a read decides the outcome', async () => {
  for (const status of [400, 403, 404]) {
    const fixture = await openPolled()
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status } })
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status, apply: true } })
    const { decisions } = await fixture.closeExpired()
    expect(decisions.map((decision) => decision.outcome)).toEqual(['refused', 'already-closed', 'closed'])
    expect(fixture.posts()).toHaveLength(3)
  }
})
fault('500 on a close', 'if the close had no effect, a read precedes a second POST', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: 1, effect: { kind: 'status', status: 500 } })
  const { decisions } = await fixture.closeExpired()
  expect(decisions.map((decision) => decision.outcome)).toEqual(['closed', 'closed', 'closed'])
  const operations = fixture.sandbox.requests.filter((request) => request.rfqId === decisions[0]?.rfqId)
  const [first, second] = operations.flatMap((request, index) => (request.operation === 'closeRfq' ? [index] : []))
  expect(operations.slice(first, second).some((request) => request.operation === 'readRfq')).toBe(true)
})
fault('500 on a close', 'if the close took effect, no second POST is sent', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({
    operation: 'closeRfq',
    times: always,
    effect: { kind: 'status', status: 500, apply: true },
  })
  expect((await fixture.closeExpired()).decisions.map((decision) => decision.outcome)).toEqual([
    'closed',
    'closed',
    'closed',
  ])
  expect(fixture.posts()).toHaveLength(3)
})
fault('a close takes effect but its reply is lost', 'a read finds the RFQ closed after one POST', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'reset', apply: true } })
  expect((await fixture.closeExpired()).decisions.map((decision) => decision.outcome)).toEqual([
    'closed',
    'closed',
    'closed',
  ])
  expect(fixture.posts()).toHaveLength(3)
})
fault('a close answered with {ok: false}', 'a read confirms that the close was refused', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'not-ok' } })
  expect((await fixture.closeExpired()).decisions.map((decision) => decision.outcome)).toEqual([
    'refused',
    'refused',
    'refused',
  ])
  expect(fixture.posts()).toHaveLength(3)
})
fault('a due date extended just before the close', 'the RFQ is kept open and no POST is sent', async () => {
  const fixture = await openPolled()
  for (const id of fixture.ids) fixture.sandbox.world.changeRfq(id, { responseDueDate: '2026-12-01' })
  const { decisions } = await fixture.closeExpired()
  expect(decisions.map((decision) => decision.decision)).toEqual(['keep', 'keep', 'keep'])
  expect(fixture.posts()).toEqual([])
})
fault('a reply that hangs or trickles', 'the read fails at the deadline', async () => {
  const fixture = await openPolled({ timeoutMs: 300, retries: 0 })
  const deadlines = holdDeadlines()
  const { requests } = fixture.sandbox
  for (const effect of [{ kind: 'hang' }, { kind: 'drip' }] as const) {
    const failure = expectHarmlessFailure(fixture, effect, /no complete reply within 300 ms/, 1)
    await deadlines.waitUntil(() => requests.length === 1)
    deadlines.pass(300)
    await failure
  }
})
fault('a connection reset in the middle of a body', 'the read is retried', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'readRfq', times: 2, effect: { kind: 'reset-mid-body' } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault('a body cut short without a content length', 'the read is retried', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'listRfqs', times: 2, effect: { kind: 'truncate' } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault('HTML with status 200, or a wrong content type', 'the error quotes the page that came instead', async () => {
  const page = { kind: 'text', text: '<html>\u0007\u001b[31mSorry, maintenance</html>' } as const
  const fixture = await openPolled()
  await expectHarmlessFailure(fixture, page, /Sorry, maintenance/, 3)
  const [, failed] = await fixture.store.runs({})
  // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
  expect(failed?.error).not.toMatch(/[\u0000-\u001f]/)
})
fault('a huge body or a compression bomb', 'reading stops at the limit and memory stays bounded', async () => {
  const fixture = await openPolled({ retries: 0 })
  const huge = Buffer.alloc(100 * 2 ** 20, ' ')
  // Concatenated gzip members are one valid gzip stream (RFC 1952, 2.2).
  const compressed = Buffer.concat(Array.from({ length: 300 }, () => gzipSync(huge.subarray(0, 2 ** 20))))
  const before = process.memoryUsage.rss()
  await expectHarmlessFailure(fixture, { kind: 'status', status: 200, body: huge }, /16 MiB/, 1)
  const headers = { 'content-encoding': 'gzip' }
  await expectHarmlessFailure(fixture, { kind: 'status', status: 200, body: compressed, headers }, /16 MiB/, 1)
  expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 2 ** 20)
})
fault('a document that does not match the schema', 'it is stored as invalid and never closed', async () => {
  const fixture = await openPolled()
  const odd = { minVolume: ['many'] }
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    times: always,
    effect: { kind: 'transform', change: (body) => ({ ...body, ...odd }) },
  })
  await fixture.pollRfqs()
  expect(sql(fixture, 'select distinct valid from rfqs')).toEqual([{ valid: 0 }])
  await fixture.closeExpired()
  expect(fixture.posts()).toEqual([])
})
fault(
  'duplicate keys, or a number that parsing changes',
  'an RFQ with two due dates has a problem and is not closed, over six polls and a reopened database',
  async () => {
    const fixture = await openPolled()
    const [id = ''] = fixture.ids
    const { text } = (await fixture.session().readRfq(id)).value
    const [rfqId, effect] = [id, { kind: 'text', contentType: 'application/json' } as const]
    const ambiguous = text.replace('"responseDueDate":', '"responseDueDate":"2027-01-31","responseDueDate":')
    fixture.sandbox.faults.add({ operation: 'readRfq', rfqId, times: always, effect: { ...effect, text: ambiguous } })
    for (let poll = 0; poll < 6; poll++) {
      fixture.advanceSeconds(4 * 3600)
      await fixture.pollRfqs()
      await fixture.closeExpired()
      await fixture.reopenStore()
    }
    expect(fixture.posts()).toHaveLength(2)
    expect(fixture.posts().filter(({ path }) => path.includes(id))).toEqual([])
    expect(sql(fixture, "select entity_id, path from problems where code = 'duplicate'")).toEqual([
      { entity_id: id, path: 'responseDueDate' },
    ])
    const received = sql(
      fixture,
      `select body = '${ambiguous.replaceAll("'", "''")}' as received from rfqs where id = '${id}'`,
    )
    expect(received).toEqual([{ received: 1 }])
  },
)
fault(
  'an identifier that a database or a URL cannot express',
  'six polls and a reopened database record nothing new, and every poll is complete',
  async () => {
    const fixture = await openPolled()
    let { store } = fixture
    const ids = ['..', 'half a pair \ud83d', 'half a pair \ud83e', 'nul \u0000', 'nul \u0000 and more']
    for (const id of ids) fixture.sandbox.world.addRfq(CHANNEL, { id, responseDueDate: '2026-11-20' })
    for (let poll = 0; poll < 6; poll++) {
      fixture.advanceSeconds(4 * 3600)
      const { run } = await fixture.pollRfqs()
      expect(run).toMatchObject({ outcome: 'complete', inserted: poll === 0 ? ids.length : 0, changed: 0, missing: 0 })
      expect(run.error?.match(/cannot be part of a URL/g)).toHaveLength(3)
      store = await fixture.reopenStore()
    }
    const rfqs = await store.rfqs({ channel: KEY })
    expect(rfqs.filter(({ rfq }) => ids.includes(rfq.id) && rfq.missingSince === null)).toHaveLength(ids.length)
    expect(sql(fixture, 'select count(*) as n from versions where bodies = 0')).toEqual([{ n: 0 }])
  },
)
fault('an unknown field or enum value', 'it is stored and reported, and the RFQ is not closed', async () => {
  const fixture = await openPolled()
  const odd = { state: 'paused', colour: 'green' }
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    times: always,
    effect: { kind: 'transform', change: (body) => ({ ...body, ...odd }) },
  })
  await fixture.pollRfqs()
  expect(sql(fixture, `select distinct state, valid, json_extract(body, '$.colour') as colour from rfqs`)).toEqual([
    { state: 'paused', valid: 1, colour: 'green' },
  ])
  expect(sql(fixture, 'select distinct path, code from problems order by 1')).toEqual([
    { path: 'colour', code: 'unknown-field' },
    { path: 'state', code: 'enum' },
  ])
  await fixture.closeExpired()
  expect(fixture.posts()).toEqual([])
})
fault(
  'duplicate ids in a list',
  'equal documents count once; different ones are a version together, and the single one before is shown',
  async () => {
    const fixture = await openChannelFixture({ listings: 2 })
    fixture.sandbox.faults.add({ operation: 'listListings', effect: { kind: 'duplicate', count: 2 } })
    expect((await fixture.pollListings()).run).toMatchObject({ seen: 2, inserted: 2 })
    expect(await fixture.store.problems({})).toEqual([])
    fixture.sandbox.faults.add({
      operation: 'listListings',
      effect: { kind: 'duplicate', patch: { projectName: 'Last' } },
    })
    expect((await fixture.pollListings()).run).toMatchObject({ seen: 2, changed: 1 })
    expect(await fixture.store.problems({})).toMatchObject([{ code: 'duplicate' }])
    expect(sql(fixture, 'select count(*) as n from listings where project_name is not null and version = 1')).toEqual([
      { n: 2 },
    ])
    expect(sql(fixture, 'select count(*) as n from versions where version = 2 and bodies = 2')).toEqual([{ n: 1 }])
  },
)
fault('an RFQ disappears from the list', 'it is marked missing, kept, and never closed', async () => {
  const fixture = await openPolled()
  for (const id of fixture.ids) fixture.sandbox.world.removeRfq(id)
  expect((await fixture.pollRfqs({ acceptLoss: true })).run).toMatchObject({ outcome: 'complete', missing: 3 })
  expect(sql(fixture, 'select count(*) as n from rfqs where missing_since is not null')).toEqual([{ n: 3 }])
  await fixture.closeExpired()
  expect(fixture.posts()).toEqual([])
})
fault('the list is suddenly empty or halved', 'nothing is marked missing and closing is blocked', async () => {
  for (const effect of [{ kind: 'empty' }, { kind: 'drop', count: 7 }] as const) {
    const fixture = await openChannelFixture()
    for (let n = 0; n < 12; n++) fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'listRfqs', times: 2, effect })
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0 })
    const { decisions } = await fixture.closeExpired()
    expect(new Set(decisions.map((decision) => decision.decision))).toEqual(new Set(['blocked']))
    expect(fixture.posts()).toEqual([])
  }
})
fault('a redirect', 'it is not followed, neither on a read nor on a close', async () => {
  const seen: (string | undefined)[] = []
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{"items": []}')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void elsewhere.close())
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
  for (const status of [301, 302, 307, 308]) {
    const fixture = await openPolled({ retries: 0 })
    const { run } = await pollRedirected(fixture, { kind: 'redirect', location, status })
    expect(run).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/redirect/i) })
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'redirect', location, status } })
    await fixture.closeExpired()
  }
  expect(seen).toEqual([])
})
const pollRedirected = async (fixture: ChannelFixture, effect: Effect) => {
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect })
  return fixture.pollRfqs()
}
fault('clock skew', 'no RFQ is closed while the skew exceeds the limit', async () => {
  for (const effect of [
    { kind: 'date', skewMs: 3_600_000 },
    { kind: 'date', skewMs: -3_600_000 },
    { kind: 'date', value: null },
    { kind: 'date', value: 'noon' },
  ] as const) {
    const fixture = await openPolled()
    const skewed = fixture.sandbox.faults.add({ times: always, effect })
    expect((await fixture.closeExpired()).run).toMatchObject({
      outcome: 'partial',
      error: expect.stringMatching(/clock is (3599|3600) s (ahead of|behind) ours|no Date header/),
    })
    expect(fixture.posts()).toEqual([])
    skewed.remove()
    expect((await fixture.closeExpired()).run.changed).toBe(3)
  }
})
fault('NUL or an unpaired surrogate in text', 'the store keeps the text unchanged', async () => {
  const fixture = await openChannelFixture()
  const title = 'nul \u0000, half a pair \ud83d, and \u{1f333}'
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { title, reference: '\udc00' })
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  fixture.advanceSeconds(60)
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0 })
  const [known] = await fixture.store.rfqs({ channel: KEY, match: { text: id } })
  expect(known?.rfq.body).toMatchObject({ title, reference: '\udc00' })
})
