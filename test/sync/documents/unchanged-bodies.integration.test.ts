import { describe, expect, it, vi } from 'vitest'
import { readRfqWithResponses } from '../../../src/marketplace/rfq-reader.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { rowsOf } from '../../helpers/store/store-engine.js'

const rows = async (fixture: ChannelFixture, text: string) =>
  (await rowsOf(fixture.store, text)) as Record<string, unknown>[]
const lastRead = async (fixture: ChannelFixture) => {
  const found = await rows(fixture, `select distinct last_read_at from documents where kind = 'response'`)
  return found.map((row) => row.last_read_at)
}

/** Fingerprints of the stored responses of an RFQ, by id, as far as there are any. */
async function fingerprints(fixture: ChannelFixture, rfqId: string) {
  const states = await fixture.store.responseStates(KEY, [rfqId])
  return new Map(states.flatMap(({ id, fingerprint }) => (fingerprint === null ? [] : [[id, fingerprint]])))
}

/** A fixture with an RFQ of two responses that was polled once. */
async function polledOnce() {
  const fixture = await openChannelFixture()
  const rfq = fixture.sandbox.world.addRfq(CHANNEL)
  const ids = [0, 1].map(() => fixture.sandbox.world.addResponse(rfq.id).id)
  await fixture.pollRfqs()
  return { fixture, world: fixture.sandbox.world, rfqId: rfq.id, id: ids[0] ?? '' }
}

describe('an RFQ with the bytes that are stored', () => {
  it('is not parsed again, and valid as long as its list entry agrees, over six polls and a restart', async () => {
    const { fixture, rfqId } = await polledOnce()
    const valid = async () => Number((await rows(fixture, 'select contradicted from rfqs'))[0]?.contradicted) === 0
    const hashes = `select id, summary_hash from documents where kind = 'response' order by id`
    const before = await rows(fixture, hashes)
    for (let round = 0; round < 6; round++) {
      if (round === 3) await fixture.reopenStore()
      fixture.advanceSeconds(60)
      const stringify = vi.spyOn(JSON, 'stringify')
      expect((await fixture.pollRfqs({ full: true })).run).toMatchObject({ unchanged: 3, invalid: 0 })
      const checked = stringify.mock.calls.filter(([value]) => value?.id === rfqId && value.responses?.[0]?.status)
      // The first poll after a conflict parses it, because it had a problem.
      expect(checked).toHaveLength(round === 0 ? 0 : 1)
      stringify.mockRestore()
      expect(await valid()).toBe(true)
      expect(await rows(fixture, hashes)).toEqual(before)
      expect((await fixture.pollRfqs({ full: true })).run).toMatchObject({ unchanged: 3, invalid: 0 })
      const effect = { kind: 'patch' as const, id: rfqId, patch: { responseDueDate: '2031-01-31' } }
      fixture.sandbox.faults.add({ operation: 'listRfqs', effect })
      expect((await fixture.pollRfqs({ full: true })).run).toMatchObject({ unchanged: 3, invalid: 1 })
      expect(await valid()).toBe(false)
    }
  })
})

describe('a response with the bytes that are stored', () => {
  it('is not parsed again, and counts as read, over six polls and a restart', async () => {
    const { fixture, id } = await polledOnce()
    const parse = vi.spyOn(JSON, 'parse')
    const timesParsed = () => parse.mock.calls.filter(([text]) => text.startsWith(`{"id":"${id}"`)).length
    for (let round = 0; round < 6; round++) {
      if (round === 3) await fixture.reopenStore()
      fixture.advanceSeconds(60)
      const { run } = await fixture.pollRfqs()
      expect(run).toMatchObject({ outcome: 'complete', seen: 3, unchanged: 3, inserted: 0, changed: 0, invalid: 0 })
      expect(await lastRead(fixture)).toEqual([fixture.now().toISOString()])
    }
    expect(timesParsed()).toBe(0)
    fixture.sandbox.world.changeResponse(id, { projectName: 'Another name' })
    fixture.advanceSeconds(60)
    expect((await fixture.pollRfqs()).changes).toContainEqual({ kind: 'response', id, change: 'changed' })
    expect(timesParsed()).toBeGreaterThan(0)
  })

  it('is parsed again after revalidate', async () => {
    const { fixture, rfqId } = await polledOnce()
    expect((await fingerprints(fixture, rfqId)).size).toBe(2)
    await fixture.store.revalidate(fixture.now())
    expect((await fingerprints(fixture, rfqId)).size).toBe(0)
    await fixture.pollRfqs()
    expect((await fingerprints(fixture, rfqId)).size).toBe(2)
  })

  it('counts its problems at each of six polls, and one that is not valid is never known by its bytes', async () => {
    const { fixture, world, rfqId, id } = await polledOnce()
    world.changeResponse(id, (document) => ({ ...document, colour: 'green' }))
    for (let poll = 1; poll <= 6; poll++) {
      await fixture.pollRfqs()
      expect(await fixture.store.problems({ entityIds: [id] })).toMatchObject([{ path: 'colour', times: poll }])
    }
    world.changeResponse(id, (document) => ({ ...document, submittedAt: 7 as unknown as string }))
    for (let poll = 1; poll <= 3; poll++) {
      // The summary in the RFQ is not valid either.
      expect((await fixture.pollRfqs()).run.invalid).toBe(2)
      expect([...(await fingerprints(fixture, rfqId)).keys()]).not.toContain(id)
    }
  })

  it('is present again when the RFQ lists it again', async () => {
    const { fixture, world, rfqId, id } = await polledOnce()
    const [before] = await rows(fixture, `select body from versions where id = '${id}'`)
    for (let round = 0; round < 6; round++) {
      const document = world.response(id)
      world.removeResponse(id)
      fixture.advanceSeconds(60)
      expect((await fixture.pollRfqs()).run.missing).toBe(1)
      world.addResponse(rfqId, document)
      fixture.advanceSeconds(60)
      expect((await fixture.pollRfqs()).run).toMatchObject({ missing: 0, inserted: 0 })
      expect(await rows(fixture, `select missing_since, version from documents where id = '${id}'`)).toEqual([
        { missing_since: null, version: 1 },
      ])
    }
    expect(await rows(fixture, `select body from versions where id = '${id}'`)).toEqual([before])
    expect(await rows(fixture, 'select count(*) as n, count(returned_at) as ended from absences')).toEqual([
      { n: 6, ended: 6 },
    ])
  })

  it('is recorded whole if another process recorded a newer version meanwhile', async () => {
    const { fixture, world, rfqId, id } = await polledOnce()
    const first = world.response(id)
    for (let round = 0; round < 6; round++) {
      const stored = await fixture.store.responseStates(KEY, [rfqId])
      world.changeResponse(id, { projectName: `Another name ${round}` })
      fixture.advanceSeconds(60)
      await fixture.pollRfqs()
      world.changeResponse(id, () => first)
      fixture.advanceSeconds(60)
      const read = await readRfqWithResponses(fixture.session(), rfqId, {
        known: { rfq: null, response: (response) => stored.find((state) => state.id === response) },
      })
      const run = await fixture.store.beginRun({ channel: KEY, kind: 'rfqs', now: fixture.now() })
      const { responses } = await fixture.store.recordRfq(run, { ...read, shape: 'full' }, fixture.now())
      expect(responses.find((response) => response.id === id)).toEqual({ id, change: 'changed' })
      const end = { seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, requests: 0 }
      await run.finish({ ...end, outcome: 'complete', error: null }, fixture.now())
    }
    const [newest] = await rows(fixture, `select body, version from offers where id = '${id}'`)
    expect(newest).toEqual({ body: JSON.stringify(first), version: 13 })
  })
})
