import type { Rfq } from '../../src/core/documents/observation.js'
import { CHANNEL, KEY, openChannelFixture } from './channel-fixture.js'
import { holdingRun } from './store/holding-run.js'

export { POLICY } from './channel-fixture.js'

/** The date of RFQs that are past due; the clock of a fixture begins on 2026-11-21. */
export const DUE = '2026-11-20'

/** The identifier of the RFQ with the number 1000 + `index` in a closing fixture; they sort by index. */
export const rfqId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** A fixture with polled RFQs, by default one that is past due. */
export async function openClosingFixture(rfqs: Partial<Pick<Rfq, 'responseDueDate' | 'title'>>[] = [{}]) {
  const fixture = await openChannelFixture()
  const ids = rfqs.map((rfq, index) => {
    const id = rfqId(index + 1)
    fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE, ...rfq, id } as object)
    return id
  })
  await fixture.pollRfqs()
  return Object.assign(fixture, {
    ids,
    /** Replaces the replies to all closes of an RFQ. */
    answerCloses: (id: string, status: number) =>
      fixture.always({ rfqId: id, operation: 'closeRfq' }, { kind: 'status', status }),
    /**
     * Leaves the close of an RFQ as a process that dies does.
     * @param options.posts how many of its POSTs were sent
     * @param options.planned how many seconds before them it was planned
     */
    leaveIntent: async (id = rfqId(1), { posts = 0, planned = 0 } = {}) => {
      const { store, now } = fixture
      const run = await holdingRun(store, { channel: KEY, kind: 'close', now: now() })
      let intent = await store.planClose({ run, rfqId: id, evidence: {}, now: now() })
      fixture.advanceSeconds(planned)
      for (let post = 0; post < posts; post++)
        intent = await store.recordSent(await store.markSending(intent, run), now())
      await fixture.reopenStore()
    },
    /** The operations requested so far. */
    operations: () => fixture.sandbox.requests.map(({ operation }) => operation),
  })
}
