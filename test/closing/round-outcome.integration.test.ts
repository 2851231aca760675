import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/contract.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { DUE, openClosingFixture, rfqId } from '../helpers/closing-round-fixture.js'

/** The store of a fixture with some operations replaced. */
const withReplaced = ({ store }: ChannelFixture, replaced: Partial<Store>): Store =>
  Object.assign(Object.create(store), replaced)
const fail = (message: string) => async () => {
  throw new Error(message)
}
const UNKNOWN = '0001-01-01'

describe('a closing round', () => {
  it('counts repeated decisions and reports what needs attention also if it is interrupted', async () => {
    const fixture = await openClosingFixture([{ responseDueDate: UNKNOWN }, {}, {}])
    await fixture.closeExpired({ mode: 'dry-run' })
    fixture.answerCloses(rfqId(2), 400)
    fixture.sandbox.faults.add({
      rfqId: rfqId(3),
      operation: 'readRfq',
      effect: { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } },
    })
    const { run, stopReason, unsettled } = await fixture.closeExpired()
    expect(run).toMatchObject({ outcome: 'partial', notBefore: expect.any(String), seen: 3, unchanged: 3 })
    expect(stopReason).toContain('asked for a pause')
    expect(run.error).toBe(`RFQs that need attention: 1 refused (1002). ${stopReason}`)
    expect(unsettled).toMatchObject([{ rfqId: rfqId(2), outcome: 'refused' }])
    expect(await fixture.store.decisions({ rfqId: rfqId(1) })).toMatchObject([{ decision: 'keep', times: 2 }])
  })

  it.each<[string, Partial<Store>, object]>([
    ['before it evaluated any RFQ failed', { newestDecisions: fail('disk full') }, { outcome: 'failed', seen: 0 }],
    ['afterwards is partial', { unsettledCloses: fail('disk full') }, { outcome: 'partial', seen: 1, changed: 1 }],
    [
      'and that cannot read what needs attention names the first error',
      { openIntents: fail('disk full'), unsettledCloses: fail('disk still full') },
      { outcome: 'failed' },
    ],
  ])('that the database ends %s', async (_title, replaced, end) => {
    const fixture = await openClosingFixture()
    await expect(fixture.closeExpired({}, { store: withReplaced(fixture, replaced) })).rejects.toThrow('disk full')
    expect(await fixture.store.runs({ kind: 'close' })).toMatchObject([{ ...end, error: 'disk full' }])
  })
})

describe('the error of a round', () => {
  it('names up to five RFQs of a kind that need attention, by number if they have one', async () => {
    const fixture = await openClosingFixture(Array.from({ length: 8 }, () => ({})))
    const { sandbox } = fixture
    await fixture.leaveIntent(rfqId(8))
    fixture.always({ rfqId: rfqId(8) }, { kind: 'status', status: 404 })
    for (const id of fixture.ids.slice(0, 5)) fixture.answerCloses(id, 400)
    fixture.answerCloses(rfqId(6), 500)
    sandbox.faults.add({
      rfqId: rfqId(7),
      operation: 'closeRfq',
      effect: { kind: 'status', status: 200, body: { ok: true } },
    })
    const refused = '5 refused (1001, 1002, 1003, 1004, 1005)'
    expect((await fixture.closeExpired()).run.error).toContain(
      `RFQs that need attention: ${refused}, 1 unknown (1006), 1 failed (1007), 1 not settled (1008). RFQ ${rfqId(8)}: `,
    )
    sandbox.world.changeRfq(rfqId(6), { number: null } as object)
    sandbox.world.addRfq(CHANNEL, { id: rfqId(9), responseDueDate: DUE } as object)
    fixture.answerCloses(rfqId(9), 400)
    await fixture.pollRfqs()
    expect((await fixture.closeExpired()).run.error).toContain(
      `6 refused (1001, 1002, 1003, 1004, 1005, …), 1 unknown (${rfqId(6)}), 1 failed`,
    )
  })

  it('does not name RFQs of another channel, which it does not close either', async () => {
    const river = { org: 'acme', channel: 'river', apiKey: 'key of acme' }
    const fixture = await openChannelFixture({ others: [{ ...river, listings: 1, rfqs: 0 }] })
    const { sandbox } = fixture
    sandbox.world.addRfq(river, { responseDueDate: DUE })
    await fixture.pollRfqs({ channel: river })
    sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 400 } })
    const session = fixture.session(undefined, river)
    expect((await fixture.closeExpired({}, { session })).unsettled).toHaveLength(1)
    expect(await fixture.closeExpired()).toMatchObject({
      unsettled: [],
      run: { outcome: 'complete', error: null, seen: 0 },
    })
  })
})
