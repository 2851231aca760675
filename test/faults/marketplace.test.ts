import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, vi } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { fault } from './fault-test.js'

const always = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'
const sql = (fixture: ChannelFixture, text: string) =>
  new Database(fixture.store.path, { readonly: true }).prepare(text).all()
const history = (fixture: ChannelFixture) => sql(fixture, 'select * from versions')

/** A fixture that knows three RFQs, past due, with two responses each. */
async function knowing(
  options: Parameters<typeof openChannelFixture>[0] = {},
): Promise<ChannelFixture & { ids: string[] }> {
  const fixture = await openChannelFixture(options)
  const ids = [1, 2, 3].map(() => {
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    for (let n = 0; n < 2; n++) fixture.sandbox.world.addResponse(id)
    return id
  })
  await fixture.pollRfqs()
  fixture.sandbox.log.reset()
  fixture.advanceSeconds(60)
  return { ...fixture, ids }
}

/** Under this fault a poll fails, says why, changes nothing, and the next one works. */
async function failsHarmlessly(fixture: ChannelFixture, effect: Effect, why: RegExp, requests: number): Promise<void> {
  const before = history(fixture)
  fixture.sandbox.log.reset()
  const set = fixture.sandbox.faults.add({ operation: 'listRfqs', times: always, effect })
  const { run } = await fixture.pollRfqs()
  expect(run).toMatchObject({ outcome: 'failed', missing: 0, requests, error: expect.stringMatching(why) })
  expect(fixture.sandbox.log.total).toBe(requests)
  expect(history(fixture)).toEqual(before)
  expect(run.error).not.toContain('key of acme')
  set.remove()
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
}

fault(1, 'of the list ends the run without a retry', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 401 }, /401/, 1)
})
fault(1, 'of a response stops the run, which asks nothing more', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'readResponse', times: always, effect: { kind: 'status', status: 401 } })
  const { run } = await fixture.pollRfqs({ concurrency: 1 })
  expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('401') })
  expect(fixture.sandbox.requests.filter((request) => request.operation === 'readRfq')).toHaveLength(1)
})
fault(2, 'ends the run of that channel without a retry', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 403 }, /403/, 1)
})
fault(2, 'of one channel leaves the others alone', async () => {
  const fixture = await openChannelFixture({ rfqs: 2, others: [{ org: 'meridian', channel: 'removals', rfqs: 2 }] })
  const foreign = { org: 'meridian', channel: 'removals', apiKey: 'key of acme' }
  const [forbidden, own] = await Promise.all([fixture.pollRfqs({ channel: foreign }), fixture.pollRfqs()])
  expect(forbidden.run).toMatchObject({ outcome: 'failed', requests: 1, error: expect.stringMatching(/403/) })
  expect(own.run).toMatchObject({ outcome: 'complete', error: null })
  expect(sql(fixture, 'select channel, count(*) as n from rfqs group by channel')).toEqual([{ channel: KEY, n: 2 }])
})
fault(3, 'is told, and marks nothing missing', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 404 }, /404/, 1)
})
fault(4, 'keeps the summary', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL)
  fixture.sandbox.world.addResponse(id)
  const gone = fixture.sandbox.world.addResponse(id)
  fixture.sandbox.faults.add({ responseId: gone.id, effect: { kind: 'vanish' } })
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  expect(sql(fixture, `select shape from offers where id = '${gone.id}'`)).toEqual([{ shape: 'summary' }])
  expect(await fixture.store.problems({ entityIds: [gone.id] })).toMatchObject([{ code: 'unavailable' }])
})
fault(5, 'of the list fails the run after the retries', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 503 }, /503/, 3)
})
fault(5, 'that passes is not noticed', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ times: 2, effect: { kind: 'status', status: 500 } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', requests: 1 + 3 + 6 + 2 })
})
fault(6, 'of an hour ends the run, and delays the next', async () => {
  for (const value of ['3600', new Date('2026-11-21T13:01:00Z').toUTCString()]) {
    const fixture = await knowing()
    fixture.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': value } } })
    const { run } = await fixture.pollRfqs()
    expect(run).toMatchObject({ outcome: 'partial', notBefore: '2026-11-21T13:01:00.000Z' })
    expect(fixture.sandbox.log.total).toBe(1)
  }
})
fault(6, 'of one second, or of nonsense, is waited for', async () => {
  for (const value of ['1', 'soon', '-5', '1e9', '']) {
    const fixture = await knowing()
    fixture.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': value } } })
    const began = performance.now()
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    if (value === '1') expect(performance.now() - began).toBeGreaterThan(990)
  }
})
const peat = { ...CHANNEL, channel: 'peat' }
const withPeat = () => openChannelFixture({ rfqs: 1, others: [{ ...peat, rfqs: 1 }] })
fault(6, 'of one channel makes the other one wait', async () => {
  const fixture = await withPeat()
  const effect = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } } as const
  fixture.sandbox.faults.add({ channel: CHANNEL.channel, effect })
  const first = fixture.pollRfqs()
  const refused = await vi.waitFor(() => {
    const [request] = fixture.sandbox.requests
    expect(request?.answeredAt).toBeTruthy()
    return request
  })
  await wait(50) // For the answer to arrive.
  const both = await Promise.all([first, fixture.pollRfqs({ channel: { ...peat, apiKey: 'key of acme' } })])
  expect(both.map(({ run }) => run.outcome)).toEqual(['complete', 'complete'])
  const [, ...later] = fixture.sandbox.requests
  const earliest = Math.min(...later.map((request) => request.at.getTime()))
  expect(earliest - (refused?.answeredAt?.getTime() ?? 0)).toBeGreaterThan(950)
  expect(new Set(later.map((request) => request.channel))).toEqual(new Set(['forest', 'peat']))
})
fault(6, 'of an hour on one channel is not tried on the other one', async () => {
  const fixture = await withPeat()
  fixture.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } } })
  await fixture.pollRfqs()
  const { run } = await fixture.pollRfqs({ channel: { ...peat, apiKey: 'key of acme' } })
  expect(run).toMatchObject({ outcome: 'partial', requests: 0, notBefore: '2026-11-21T13:00:00.000Z' })
  expect(fixture.sandbox.log.total).toBe(1)
})
fault(7, 'is settled by reading, after one POST', async () => {
  for (const status of [400, 403, 404]) {
    const fixture = await knowing()
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status } })
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status, apply: true } })
    const { decisions } = await fixture.closeExpired()
    expect(decisions.map((decision) => decision.outcome)).toEqual(['refused', 'already-closed', 'closed'])
    expect(fixture.posts()).toHaveLength(3)
  }
})
fault(8, 'without effect leads to one more POST, after a reading', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: 1, effect: { kind: 'status', status: 500 } })
  const { decisions } = await fixture.closeExpired()
  expect(decisions.map((decision) => decision.outcome)).toEqual(['closed', 'closed', 'closed'])
  const operations = fixture.sandbox.requests.filter((request) => request.rfqId === decisions[0]?.rfqId)
  const [first, second] = operations.flatMap((request, index) => (request.operation === 'closeRfq' ? [index] : []))
  expect(operations.slice(first, second).some((request) => request.operation === 'readRfq')).toBe(true)
})
fault(8, 'with effect needs no other POST', async () => {
  const fixture = await knowing()
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
fault(9, 'is found closed by reading, one POST in all', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'reset', apply: true } })
  expect((await fixture.closeExpired()).decisions.map((decision) => decision.outcome)).toEqual([
    'closed',
    'closed',
    'closed',
  ])
  expect(fixture.posts()).toHaveLength(3)
})
fault(10, 'is a refusal, proven by reading', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'not-ok' } })
  expect((await fixture.closeExpired()).decisions.map((decision) => decision.outcome)).toEqual([
    'refused',
    'refused',
    'refused',
  ])
  expect(fixture.posts()).toHaveLength(3)
})
fault(11, 'is seen in time', async () => {
  const fixture = await knowing()
  for (const id of fixture.ids) fixture.sandbox.world.changeRfq(id, { responseDueDate: '2026-12-01' })
  const { decisions } = await fixture.closeExpired()
  expect(decisions.map((decision) => decision.decision)).toEqual(['keep', 'keep', 'keep'])
  expect(fixture.posts()).toEqual([])
})
fault(12, 'ends at the deadline', async () => {
  const fixture = await knowing({ timeoutMs: 300, retries: 1 })
  const began = performance.now()
  await failsHarmlessly(fixture, { kind: 'hang' }, /300 ms|timed? ?-?out|deadline/i, 2)
  await failsHarmlessly(fixture, { kind: 'drip', bytes: 1, everyMs: 50 }, /300 ms|timed? ?-?out|deadline/i, 2)
  expect(performance.now() - began).toBeLessThan(10_000)
})
fault(13, 'is retried', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'readRfq', times: 2, effect: { kind: 'reset-mid-body' } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault(14, 'is retried', async () => {
  const fixture = await knowing()
  fixture.sandbox.faults.add({ operation: 'listRfqs', times: 2, effect: { kind: 'truncate' } })
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault(15, 'says what came instead', async () => {
  const page = { kind: 'text', text: '<html>\u0007\u001b[31mSorry, maintenance</html>' } as const
  const fixture = await knowing()
  await failsHarmlessly(fixture, page, /Sorry, maintenance/, 3)
  const [, failed] = await fixture.store.runs({})
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is the point
  expect(failed?.error).not.toMatch(/[\u0000-\u001f]/)
})
fault(16, 'is cut at the limit', async () => {
  const fixture = await knowing({ retries: 0 })
  const before = process.memoryUsage.rss()
  await failsHarmlessly(fixture, { kind: 'huge', bytes: 100 * 2 ** 20 }, /16 MiB/, 1)
  await failsHarmlessly(fixture, { kind: 'gzip-bomb', bytes: 300 * 2 ** 20 }, /16 MiB/, 1)
  expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 2 ** 20)
})
fault(17, 'is kept raw and never closed', async () => {
  const fixture = await knowing()
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
fault(18, 'is used and reported; an unknown state is never closed', async () => {
  const fixture = await knowing()
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
fault(19, 'counts equal ones once, and keeps the last of different ones', async () => {
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
  expect(sql(fixture, `select count(*) as n from listings where project_name = 'Last'`)).toEqual([{ n: 1 }])
})
fault(20, 'is missing, kept, and never closed', async () => {
  const fixture = await knowing()
  for (const id of fixture.ids) fixture.sandbox.world.removeRfq(id)
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', missing: 3 })
  expect(sql(fixture, 'select count(*) as n from rfqs where missing_since is not null')).toEqual([{ n: 3 }])
  await fixture.closeExpired()
  expect(fixture.posts()).toEqual([])
})
fault(21, 'is not believed, and holds closing', async () => {
  for (const effect of [{ kind: 'empty' }, { kind: 'drop', count: 7 }] as const) {
    const fixture = await openChannelFixture()
    for (let n = 0; n < 12; n++) fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'listRfqs', effect })
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0 })
    const { decisions } = await fixture.closeExpired()
    expect(new Set(decisions.map((decision) => decision.decision))).toEqual(new Set(['held']))
    expect(fixture.posts()).toEqual([])
  }
})
fault(22, 'is not followed, on a read or a close', async () => {
  const seen: (string | undefined)[] = []
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('{"items": []}')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void elsewhere.close())
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
  for (const status of [301, 302, 307, 308]) {
    const fixture = await knowing({ retries: 0 })
    const { run } = await redirected(fixture, { kind: 'redirect', location, status })
    expect(run).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/redirect/i) })
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'redirect', location, status } })
    await fixture.closeExpired()
  }
  expect(seen).toEqual([])
})
const redirected = async (fixture: ChannelFixture, effect: Effect) => {
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect })
  return fixture.pollRfqs()
}
fault(23, 'beyond the limit close nothing', async () => {
  for (const effect of [
    { kind: 'date', skewMs: 90_000 },
    { kind: 'date', skewMs: -90_000 },
    { kind: 'date', value: null },
    { kind: 'date', value: 'noon' },
  ] as const) {
    const fixture = await knowing()
    const skewed = fixture.sandbox.faults.add({ times: always, effect })
    expect((await fixture.closeExpired()).run).toMatchObject({
      outcome: 'partial',
      error: expect.stringMatching(/apart|Date header/),
    })
    expect(fixture.posts()).toEqual([])
    skewed.remove()
    expect((await fixture.closeExpired()).run.changed).toBe(3)
  }
})
fault(32, 'survives the store', async () => {
  const fixture = await openChannelFixture()
  const title = 'nul \u0000, half a pair \ud83d, and \u{1f333}'
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { title, reference: '\udc00' })
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  fixture.advanceSeconds(60)
  expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0 })
  const [known] = await fixture.store.rfqs({ channel: KEY, match: id })
  expect(known?.rfq.body).toMatchObject({ title, reference: '\udc00' })
})
