import { describe, expect, it } from 'vitest'
import { createKeyDetector } from '../../src/marketplace/body/key-removal.js'
import { validatorsOf } from '../../src/marketplace/http/validators.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { serve, session } from '../marketplace/server.js'

/** A poll five minutes later, with the status of each read of an RFQ or offer. */
async function pollConditionally(fixture: ChannelFixture, options: { full?: boolean } = {}) {
  fixture.advanceSeconds(300)
  fixture.sandbox.log.reset()
  const { run, changes } = await fixture.pollRfqs({ conditional: true, ...options })
  const reads = fixture.sandbox.requests.filter(({ operation }) => operation !== 'listRfqs')
  return { run, changes, statuses: reads.map(({ status }) => status), reads }
}

/** Of each request for a document, whether it was asked for only if it changed. */
const conditions = ({ reads }: Awaited<ReturnType<typeof pollConditionally>>, id: string) =>
  reads.filter((read) => (read.responseId ?? read.rfqId) === id).map(({ ifNoneMatch }) => ifNoneMatch !== null)

async function openOne(offers = 2) {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { responseDueDate: '2026-12-24' })
  const offerIds = Array.from({ length: offers }, () => world.addResponse(id).id)
  return { fixture, world, id, offerIds }
}

describe('conditional requests', () => {
  it('count as read if nothing changed, and find each change, over a restart', async () => {
    const { fixture, world, id, offerIds } = await openOne()
    expect((await pollConditionally(fixture)).statuses).toEqual([200, 200, 200])
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 3) await fixture.reopenStore()
      const unchanged = await pollConditionally(fixture)
      expect(unchanged.statuses).toEqual([304, 304, 304])
      expect(unchanged.run).toMatchObject({ outcome: 'complete', requests: 4, changed: 0, missing: 0, seen: 3 })
      const [known] = await fixture.store.rfqs({})
      expect([known?.rfq, ...(known?.responses ?? [])].map((each) => each?.readAt)).toEqual(
        Array(3).fill(fixture.now().toISOString()),
      )
      const text = `Only in the offer, ${round}.`
      world.changeResponse(offerIds[round % 2] as string, { offer: { additionalNotesToBuyer: text } })
      const changed = await pollConditionally(fixture)
      expect(changed.statuses.toSorted()).toEqual([200, 304, 304])
      expect(changed.changes).toEqual([{ kind: 'response', id: offerIds[round % 2], change: 'changed' }])
    }
    world.changeRfq(id, { title: 'Another' })
    expect((await pollConditionally(fixture)).changes).toEqual([{ kind: 'rfq', id, change: 'changed' }])
    expect(await fixture.store.problems({})).toEqual([])
  })

  it('are not sent where the list or a summary shows a change, so that a wrong 304 hides nothing', async () => {
    const { fixture, world, id, offerIds } = await openOne()
    await pollConditionally(fixture)
    const [first = '', second = ''] = offerIds
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 3) await fixture.reopenStore()
      world.changeRfq(id, { title: `Title ${round}` })
      const listed = await pollConditionally(fixture)
      // The RFQ, of which the list shows the change, is asked for without a condition; its offers are not.
      expect(conditions(listed, id)).toEqual([false])
      expect([conditions(listed, first), conditions(listed, second)]).toEqual([[true], [true]])
      world.changeResponse(first, { offer: { totalPrice: 10_000 + round } })
      const summed = await pollConditionally(fixture)
      expect([conditions(summed, first), conditions(summed, second)]).toEqual([[false], [true]])
      world.addResponse(id)
      expect(conditions(await pollConditionally(fixture), id)).toEqual([false])
      expect(conditions(await pollConditionally(fixture), id)).toEqual([true])
    }
  })

  it('are never sent by --full or before a close', async () => {
    const { fixture, world, id } = await openOne()
    await pollConditionally(fixture)
    for (let round = 0; round < ROUNDS; round++) {
      expect((await pollConditionally(fixture, { full: true })).statuses).toEqual([200, 200, 200])
      expect((await pollConditionally(fixture)).statuses).toEqual([304, 304, 304])
    }
    world.changeRfq(id, { responseDueDate: '2026-11-20' })
    await pollConditionally(fixture)
    fixture.sandbox.log.reset()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    expect(fixture.sandbox.requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual(
      Array(fixture.sandbox.requests.length).fill(null),
    )
  })

  it('are not sent if the marketplace sends no ETag', async () => {
    const { fixture } = await openOne()
    fixture.sandbox.sendETags(false)
    for (let round = 0; round < ROUNDS; round++) {
      const { statuses, reads } = await pollConditionally(fixture)
      expect(statuses).toEqual([200, 200, 200])
      expect(reads.every(({ ifNoneMatch }) => ifNoneMatch === null)).toBe(true)
    }
    fixture.sandbox.sendETags(true)
    expect((await pollConditionally(fixture)).statuses).toEqual([200, 200, 200])
    expect((await pollConditionally(fixture)).statuses).toEqual([304, 304, 304])
  })

  it('are repeated without a condition if another process stored another text meanwhile', async () => {
    const { fixture, id } = await openOne()
    const session = fixture.session()
    const { validators } = await session.readRfq(id)
    if (validators === null) throw new Error('no ETag')
    const { value } = await session.readRfq(id, { stored: { validators, text: async () => null } })
    expect(value.document?.id).toBe(id)
    expect(fixture.sandbox.requests.map(({ status }) => status)).toEqual([200, 304, 200])
    await pollConditionally(fixture)
    const document = { channel: KEY, kind: 'rfq', rfqId: null, id } as const
    expect(await fixture.store.textWithValidators(document, validators)).toContain(id)
    expect(await fixture.store.textWithValidators(document, { ...validators, etag: '"another"' })).toBe(null)
  })
})

it('a 304 is understood whatever it says of the encoding of the document, and is an error if nobody asked for it', async () => {
  const server = await serve((request, response, number) => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
    response.writeHead(number === 1 ? 200 : 304, {
      ...{ date, 'last-modified': 'Sat, 21 Nov 2026 11:00:00 GMT', 'content-type': 'application/json' },
      ...(number > 1 && { 'content-encoding': 'gzip' }),
    })
    response.end(number === 1 ? '{"id":"r1"}' : undefined)
    expect(request.headers['if-modified-since']).toBe(number === 2 ? 'Sat, 21 Nov 2026 11:00:00 GMT' : undefined)
  })
  const channel = session(server.url)
  const { validators } = await channel.readRfq('r1')
  expect(validators).toEqual({ etag: null, lastModified: 'Sat, 21 Nov 2026 11:00:00 GMT' })
  const stored = { validators: validators ?? { etag: null, lastModified: null }, text: async () => '{"id":"r1"}' }
  expect((await channel.readRfq('r1', { stored })).value.id).toBe('r1')
  await expect(channel.readRfq('r1')).rejects.toThrow('status 304')
})

const AT = new Date('2026-11-21T12:00:00.000Z')
it.each([
  [{}, AT, null],
  [{ etag: '"a"' }, AT, { etag: '"a"', lastModified: null }],
  [{ etag: 'W/"a"' }, null, { etag: 'W/"a"', lastModified: null }],
  [{ etag: 'a' }, AT, null],
  [{ etag: `"${'x'.repeat(201)}"` }, AT, null],
  [{ etag: '"a"\r\nx: y' }, AT, null],
  [
    { 'last-modified': 'Sat, 21 Nov 2026 11:59:59 GMT' },
    AT,
    { etag: null, lastModified: 'Sat, 21 Nov 2026 11:59:59 GMT' },
  ],
  // It may have changed again within the same second.
  [{ 'last-modified': 'Sat, 21 Nov 2026 12:00:00 GMT' }, AT, null],
  [{ 'last-modified': 'Sat, 21 Nov 2026 11:59:59 GMT' }, null, null],
  [{ 'last-modified': 'yesterday' }, AT, null],
])('the validators of %j at %s are %j', (headers, serverDate, expected) => {
  expect(validatorsOf({ headers, serverDate }, createKeyDetector('the-key-itself'))).toEqual(expected)
})
