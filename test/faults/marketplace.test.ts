import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, vi } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { CHANNEL, type Desk, KEY, openDesk } from '../helpers/channel-fixture.js'
import { fault } from './fault-test.js'

const always = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'
const sql = (desk: Desk, text: string) => new Database(desk.store.path, { readonly: true }).prepare(text).all()
const history = (desk: Desk) => sql(desk, 'select * from versions')

/** A desk that knows three RFQs, past due, with two responses each. */
async function knowing(options: Parameters<typeof openDesk>[0] = {}): Promise<Desk & { ids: string[] }> {
  const desk = await openDesk(options)
  const ids = [1, 2, 3].map(() => {
    const { id } = desk.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    for (let n = 0; n < 2; n++) desk.sandbox.world.addResponse(id)
    return id
  })
  await desk.pollRfqs()
  desk.sandbox.log.reset()
  desk.pass(60)
  return { ...desk, ids }
}

/** Under this fault a poll fails, says why, changes nothing, and the next one works. */
async function failsHarmlessly(desk: Desk, effect: Effect, why: RegExp, requests: number): Promise<void> {
  const before = history(desk)
  desk.sandbox.log.reset()
  const set = desk.sandbox.faults.add({ operation: 'listRfqs', times: always, effect })
  const { run } = await desk.pollRfqs()
  expect(run).toMatchObject({ outcome: 'failed', missing: 0, requests, error: expect.stringMatching(why) })
  expect(desk.sandbox.log.total).toBe(requests)
  expect(history(desk)).toEqual(before)
  expect(run.error).not.toContain('key of acme')
  set.remove()
  expect((await desk.pollRfqs()).run.outcome).toBe('complete')
}

fault(1, 'of the list ends the run without a retry', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 401 }, /401/, 1)
})
fault(1, 'of a response stops the run, which asks nothing more', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'readResponse', times: always, effect: { kind: 'status', status: 401 } })
  const { run } = await desk.pollRfqs({ concurrency: 1 })
  expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('401') })
  expect(desk.sandbox.requests.filter((request) => request.operation === 'readRfq')).toHaveLength(1)
})
fault(2, 'ends the run of that channel without a retry', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 403 }, /403/, 1)
})
fault(2, 'of one channel leaves the others alone', async () => {
  const desk = await openDesk({ rfqs: 2, others: [{ org: 'meridian', channel: 'removals', rfqs: 2 }] })
  const foreign = { org: 'meridian', channel: 'removals', apiKey: 'key of acme' }
  const [forbidden, own] = await Promise.all([desk.pollRfqs({ channel: foreign }), desk.pollRfqs()])
  expect(forbidden.run).toMatchObject({ outcome: 'failed', requests: 1, error: expect.stringMatching(/403/) })
  expect(own.run).toMatchObject({ outcome: 'complete', error: null })
  expect(sql(desk, 'select channel, count(*) as n from rfqs group by channel')).toEqual([{ channel: KEY, n: 2 }])
})
fault(3, 'is told, and marks nothing missing', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 404 }, /404/, 1)
})
fault(4, 'keeps the summary', async () => {
  const desk = await openDesk()
  const { id } = desk.sandbox.world.addRfq(CHANNEL)
  desk.sandbox.world.addResponse(id)
  const gone = desk.sandbox.world.addResponse(id)
  desk.sandbox.faults.add({ responseId: gone.id, effect: { kind: 'vanish' } })
  expect((await desk.pollRfqs()).run.outcome).toBe('complete')
  expect(sql(desk, `select shape from offers where id = '${gone.id}'`)).toEqual([{ shape: 'summary' }])
  expect(await desk.store.problems({ entityIds: [gone.id] })).toMatchObject([{ code: 'unavailable' }])
})
fault(5, 'of the list fails the run after the retries', async () => {
  await failsHarmlessly(await knowing(), { kind: 'status', status: 503 }, /503/, 3)
})
fault(5, 'that passes is not noticed', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ times: 2, effect: { kind: 'status', status: 500 } })
  expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', requests: 1 + 3 + 6 + 2 })
})
fault(6, 'of an hour ends the run, and delays the next', async () => {
  for (const value of ['3600', new Date('2026-11-21T13:01:00Z').toUTCString()]) {
    const desk = await knowing()
    desk.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': value } } })
    const { run } = await desk.pollRfqs()
    expect(run).toMatchObject({ outcome: 'partial', notBefore: '2026-11-21T13:01:00.000Z' })
    expect(desk.sandbox.log.total).toBe(1)
  }
})
fault(6, 'of one second, or of nonsense, is waited for', async () => {
  for (const value of ['1', 'soon', '-5', '1e9', '']) {
    const desk = await knowing()
    desk.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': value } } })
    const began = performance.now()
    expect((await desk.pollRfqs()).run.outcome).toBe('complete')
    if (value === '1') expect(performance.now() - began).toBeGreaterThan(990)
  }
})
const peat = { ...CHANNEL, channel: 'peat' }
const withPeat = () => openDesk({ rfqs: 1, others: [{ ...peat, rfqs: 1 }] })
fault(6, 'of one channel makes the other one wait', async () => {
  const desk = await withPeat()
  const effect = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } } as const
  desk.sandbox.faults.add({ channel: CHANNEL.channel, effect })
  const first = desk.pollRfqs()
  const refused = await vi.waitFor(() => {
    const [request] = desk.sandbox.requests
    expect(request?.answeredAt).toBeTruthy()
    return request
  })
  await wait(50) // For the answer to arrive.
  const both = await Promise.all([first, desk.pollRfqs({ channel: { ...peat, apiKey: 'key of acme' } })])
  expect(both.map(({ run }) => run.outcome)).toEqual(['complete', 'complete'])
  const [, ...later] = desk.sandbox.requests
  const earliest = Math.min(...later.map((request) => request.at.getTime()))
  expect(earliest - (refused?.answeredAt?.getTime() ?? 0)).toBeGreaterThan(950)
  expect(new Set(later.map((request) => request.channel))).toEqual(new Set(['forest', 'peat']))
})
fault(6, 'of an hour on one channel is not tried on the other one', async () => {
  const desk = await withPeat()
  desk.sandbox.faults.add({ effect: { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } } })
  await desk.pollRfqs()
  const { run } = await desk.pollRfqs({ channel: { ...peat, apiKey: 'key of acme' } })
  expect(run).toMatchObject({ outcome: 'partial', requests: 0, notBefore: '2026-11-21T13:00:00.000Z' })
  expect(desk.sandbox.log.total).toBe(1)
})
fault(7, 'is settled by reading, after one POST', async () => {
  for (const status of [400, 403, 404]) {
    const desk = await knowing()
    desk.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status } })
    desk.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status, apply: true } })
    const { decisions } = await desk.close()
    expect(decisions.map((decision) => decision.outcome)).toEqual(['refused', 'already-closed', 'closed'])
    expect(desk.posts()).toHaveLength(3)
  }
})
fault(8, 'without effect leads to one more POST, after a reading', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'closeRfq', times: 1, effect: { kind: 'status', status: 500 } })
  const { decisions } = await desk.close()
  expect(decisions.map((decision) => decision.outcome)).toEqual(['closed', 'closed', 'closed'])
  const operations = desk.sandbox.requests.filter((request) => request.rfqId === decisions[0]?.rfqId)
  const [first, second] = operations.flatMap((request, index) => (request.operation === 'closeRfq' ? [index] : []))
  expect(operations.slice(first, second).some((request) => request.operation === 'readRfq')).toBe(true)
})
fault(8, 'with effect needs no other POST', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({
    operation: 'closeRfq',
    times: always,
    effect: { kind: 'status', status: 500, apply: true },
  })
  expect((await desk.close()).decisions.map((decision) => decision.outcome)).toEqual(['closed', 'closed', 'closed'])
  expect(desk.posts()).toHaveLength(3)
})
fault(9, 'is found closed by reading, one POST in all', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'reset', apply: true } })
  expect((await desk.close()).decisions.map((decision) => decision.outcome)).toEqual(['closed', 'closed', 'closed'])
  expect(desk.posts()).toHaveLength(3)
})
fault(10, 'is a refusal, proven by reading', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'closeRfq', times: always, effect: { kind: 'not-ok' } })
  expect((await desk.close()).decisions.map((decision) => decision.outcome)).toEqual(['refused', 'refused', 'refused'])
  expect(desk.posts()).toHaveLength(3)
})
fault(11, 'is seen in time', async () => {
  const desk = await knowing()
  for (const id of desk.ids) desk.sandbox.world.changeRfq(id, { responseDueDate: '2026-12-01' })
  const { decisions } = await desk.close()
  expect(decisions.map((decision) => decision.decision)).toEqual(['keep', 'keep', 'keep'])
  expect(desk.posts()).toEqual([])
})
fault(12, 'ends at the deadline', async () => {
  const desk = await knowing({ timeoutMs: 300, retries: 1 })
  const began = performance.now()
  await failsHarmlessly(desk, { kind: 'hang' }, /300 ms|timed? ?-?out|deadline/i, 2)
  await failsHarmlessly(desk, { kind: 'drip', bytes: 1, everyMs: 50 }, /300 ms|timed? ?-?out|deadline/i, 2)
  expect(performance.now() - began).toBeLessThan(10_000)
})
fault(13, 'is retried', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'readRfq', times: 2, effect: { kind: 'reset-mid-body' } })
  expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault(14, 'is retried', async () => {
  const desk = await knowing()
  desk.sandbox.faults.add({ operation: 'listRfqs', times: 2, effect: { kind: 'truncate' } })
  expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
})
fault(15, 'says what came instead', async () => {
  const page = { kind: 'text', text: '<html>\u0007\u001b[31mSorry, maintenance</html>' } as const
  const desk = await knowing()
  await failsHarmlessly(desk, page, /Sorry, maintenance/, 3)
  const [, failed] = await desk.store.runs({})
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is the point
  expect(failed?.error).not.toMatch(/[\u0000-\u001f]/)
})
fault(16, 'is cut at the limit', async () => {
  const desk = await knowing({ retries: 0 })
  const before = process.memoryUsage.rss()
  await failsHarmlessly(desk, { kind: 'huge', bytes: 100 * 2 ** 20 }, /16 MiB/, 1)
  await failsHarmlessly(desk, { kind: 'gzip-bomb', bytes: 300 * 2 ** 20 }, /16 MiB/, 1)
  expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 2 ** 20)
})
fault(17, 'is kept raw and never closed', async () => {
  const desk = await knowing()
  const odd = { minVolume: ['many'] }
  desk.sandbox.faults.add({
    operation: 'readRfq',
    times: always,
    effect: { kind: 'mutate', change: (body) => ({ ...body, ...odd }) },
  })
  await desk.pollRfqs()
  expect(sql(desk, 'select distinct valid from rfqs')).toEqual([{ valid: 0 }])
  await desk.close()
  expect(desk.posts()).toEqual([])
})
fault(18, 'is used and reported; an unknown state is never closed', async () => {
  const desk = await knowing()
  const odd = { state: 'paused', colour: 'green' }
  desk.sandbox.faults.add({
    operation: 'readRfq',
    times: always,
    effect: { kind: 'mutate', change: (body) => ({ ...body, ...odd }) },
  })
  await desk.pollRfqs()
  expect(sql(desk, `select distinct state, valid, json_extract(body, '$.colour') as colour from rfqs`)).toEqual([
    { state: 'paused', valid: 1, colour: 'green' },
  ])
  expect(sql(desk, 'select distinct path, code from problems order by 1')).toEqual([
    { path: 'colour', code: 'unknown-field' },
    { path: 'state', code: 'enum' },
  ])
  await desk.close()
  expect(desk.posts()).toEqual([])
})
fault(19, 'counts equal ones once, and keeps the last of different ones', async () => {
  const desk = await openDesk({ listings: 2 })
  desk.sandbox.faults.add({ operation: 'listListings', effect: { kind: 'duplicate', count: 2 } })
  expect((await desk.pollListings()).run).toMatchObject({ seen: 2, inserted: 2 })
  expect(await desk.store.problems({})).toEqual([])
  desk.sandbox.faults.add({ operation: 'listListings', effect: { kind: 'duplicate', patch: { projectName: 'Last' } } })
  expect((await desk.pollListings()).run).toMatchObject({ seen: 2, changed: 1 })
  expect(await desk.store.problems({})).toMatchObject([{ code: 'duplicate' }])
  expect(sql(desk, `select count(*) as n from listings where project_name = 'Last'`)).toEqual([{ n: 1 }])
})
fault(20, 'is missing, kept, and never closed', async () => {
  const desk = await knowing()
  for (const id of desk.ids) desk.sandbox.world.removeRfq(id)
  expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', missing: 3 })
  expect(sql(desk, 'select count(*) as n from rfqs where missing_since is not null')).toEqual([{ n: 3 }])
  await desk.close()
  expect(desk.posts()).toEqual([])
})
fault(21, 'is not believed, and holds closing', async () => {
  for (const effect of [{ kind: 'empty' }, { kind: 'drop', count: 7 }] as const) {
    const desk = await openDesk()
    for (let n = 0; n < 12; n++) desk.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await desk.pollRfqs()
    desk.sandbox.faults.add({ operation: 'listRfqs', effect })
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0 })
    const { decisions } = await desk.close()
    expect(new Set(decisions.map((decision) => decision.decision))).toEqual(new Set(['held']))
    expect(desk.posts()).toEqual([])
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
    const desk = await knowing({ retries: 0 })
    const { run } = await redirected(desk, { kind: 'redirect', location, status })
    expect(run).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/redirect/i) })
    desk.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'redirect', location, status } })
    await desk.close()
  }
  expect(seen).toEqual([])
})
const redirected = async (desk: Desk, effect: Effect) => {
  desk.sandbox.faults.add({ operation: 'listRfqs', effect })
  return desk.pollRfqs()
}
fault(23, 'beyond the limit close nothing', async () => {
  for (const effect of [
    { kind: 'date', skewMs: 90_000 },
    { kind: 'date', skewMs: -90_000 },
    { kind: 'date', value: null },
    { kind: 'date', value: 'noon' },
  ] as const) {
    const desk = await knowing()
    const skewed = desk.sandbox.faults.add({ times: always, effect })
    expect((await desk.close()).run).toMatchObject({
      outcome: 'partial',
      error: expect.stringMatching(/apart|Date header/),
    })
    expect(desk.posts()).toEqual([])
    skewed.remove()
    expect((await desk.close()).run.changed).toBe(3)
  }
})
fault(32, 'survives the store', async () => {
  const desk = await openDesk()
  const title = 'nul \u0000, half a pair \ud83d, and \u{1f333}'
  const { id } = desk.sandbox.world.addRfq(CHANNEL, { title, reference: '\udc00' })
  expect((await desk.pollRfqs()).run.outcome).toBe('complete')
  desk.pass(60)
  expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0 })
  const [known] = await desk.store.rfqs({ channel: KEY, match: id })
  expect(known?.rfq.body).toMatchObject({ title, reference: '\udc00' })
})
