import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { httpReceiver } from '../helpers/servers/http-receiver.js'

const always = Number.POSITIVE_INFINITY
const history = (fixture: ChannelFixture) =>
  new Database(fixture.store.name, { readonly: true }).prepare('select * from versions').all()

/** A fixture that has polled three RFQs, past due, with two responses each. */
async function openPolled(options: Parameters<typeof openChannelFixture>[0] = {}): Promise<ChannelFixture> {
  const fixture = await openChannelFixture(options)
  for (let rfq = 0; rfq < 3; rfq++) {
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    for (let n = 0; n < 2; n++) fixture.sandbox.world.addResponse(id)
  }
  await fixture.pollRfqs()
  fixture.sandbox.requests.length = 0
  fixture.advanceSeconds(60)
  return fixture
}

/** Expects a poll to fail with this error and to change nothing, and the next poll to succeed. */
async function expectHarmlessFailure(fixture: ChannelFixture, effect: Effect, error: RegExp): Promise<void> {
  const before = history(fixture)
  fixture.sandbox.requests.length = 0
  const fault = fixture.sandbox.faults.add({ operation: 'listRfqs', times: always, effect })
  const { run } = await fixture.pollRfqs()
  expect(run).toMatchObject({ outcome: 'failed', missing: 0, requests: 1, error: expect.stringMatching(error) })
  expect(fixture.sandbox.requests.length).toBe(1)
  expect(history(fixture)).toEqual(before)
  expect(run.error).not.toContain('key of acme')
  fault.remove()
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
}

const huge = Buffer.alloc(100 * 2 ** 20, ' ')
// Concatenated gzip members are one valid gzip stream (RFC 1952, 2.2).
const bomb = () => Buffer.concat(Array.from({ length: 300 }, () => gzipSync(huge.subarray(0, 2 ** 20))))

const status = (code: number): Effect => ({ kind: 'status', status: code })

it('a huge body or a compression bomb: reading stops at the limit and memory stays bounded', async () => {
  const fixture = await openPolled({ retries: 0 })
  const before = process.memoryUsage.rss()
  await expectHarmlessFailure(fixture, { kind: 'status', status: 200, body: huge }, /16 MiB/)
  const headers = { 'content-encoding': 'gzip' }
  await expectHarmlessFailure(fixture, { kind: 'status', status: 200, body: bomb(), headers }, /16 MiB/)
  expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 2 ** 20)
})

it('401 on a response: the run stops, with no further requests', async () => {
  const fixture = await openPolled()
  fixture.sandbox.faults.add({ operation: 'readResponse', times: always, effect: status(401) })
  const { run } = await fixture.pollRfqs({ concurrency: 1 })
  expect(run).toMatchObject({ outcome: 'partial', error: expect.stringContaining('401') })
  expect(fixture.sandbox.requests.filter((request) => request.operation === 'readRfq')).toHaveLength(1)
})

it('a redirect: it is not followed, neither on a read nor on a close', async () => {
  const elsewhere = await httpReceiver(() => ({ status: 200, body: '{"items": []}' }))
  const location = elsewhere.url
  for (const status of [301, 302, 307, 308]) {
    const fixture = await openPolled({ retries: 0 })
    fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'status', status, headers: { location } } })
    const { run } = await fixture.pollRfqs()
    expect(run).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/redirect/i) })
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status, headers: { location } } })
    await fixture.closeExpired()
  }
  expect(elsewhere.requests).toEqual([])
})
