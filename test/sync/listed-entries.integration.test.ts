import { describe, expect, it } from 'vitest'
import { readStateOf } from '../../src/compare/input/stored-documents.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { plannedPoll } from '../helpers/planned-poll.js'

/** What the list says of an RFQ if that changed since the RFQ was read. */
async function changesOf(fixture: ChannelFixture, id: string, asOf?: Date) {
  const [found] = await fixture.store.rfqs({ ids: [id], ...(asOf && { asOf }) })
  return found && readStateOf(found.rfq) === 'changed-since-read' ? found.rfq.entry?.body : null
}

describe('what the list says of an RFQ that is not read', () => {
  it.each([
    ['has no request left for it', { budget: 1 }, null, { outcome: 'complete', postponed: 2 }],
    ['cannot read it', {}, { kind: 'status', status: 500 } as const, { outcome: 'partial', failedItems: 1 }],
  ])('because the poll %s is known over polls and a restart, until it is read', async (_why, planning, effect, end) => {
    const fixture = await openChannelFixture()
    const { world, faults } = fixture.sandbox
    const [first, other] = [1, 2].map(() => world.addRfq(CHANNEL, { responseDueDate: '2026-12-24' }).id)
    const rfqId = first as string
    const gone = world.addResponse(rfqId).id
    await plannedPoll(fixture)
    expect(await changesOf(fixture, rfqId)).toBeNull()
    if (effect !== null) fixture.always({ operation: 'readRfq', rfqId }, effect)
    world.closeRfq(rfqId)
    world.removeResponse(gone)
    const closed = { state: 'closed', responses: [] }
    for (let poll = 0; poll < 3; poll++) {
      expect((await plannedPoll(fixture, planning)).run).toMatchObject(end)
      expect(await changesOf(fixture, rfqId)).toMatchObject(closed)
      if (poll === 1) await fixture.reopenStore()
    }
    const past = fixture.now()
    faults.clear()
    expect((await plannedPoll(fixture)).run).toMatchObject({ outcome: 'complete', postponed: 0 })
    for (const id of [rfqId, other as string]) expect(await changesOf(fixture, id)).toBeNull()
    expect(await changesOf(fixture, rfqId, past)).toMatchObject(closed)
  })
})
