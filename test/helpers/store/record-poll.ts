import { type ChannelFixture, KEY } from '../channel-fixture.js'
import { observed, observedResponse } from '../data/observed.js'
import { holdingRun, runEnd } from './holding-run.js'

const response = (id: string, price: number) =>
  observedResponse({ id, projectDeveloperName: 'Green', offer: { totalPrice: price } })

/** A number of offers with a price. */
export const offers = (count: number, price = 1) =>
  Array.from({ length: count }, (_, at) => response(`offer-${at}`, price))

/** Records a poll, a minute later, in which each list of offers is that of an RFQ. */
export async function recordPoll(
  fixture: ChannelFixture,
  rfqs: ReturnType<typeof offers>[],
  { dies = false } = {},
): Promise<void> {
  const { store } = fixture
  fixture.advanceSeconds(60)
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: fixture.now() })
  for (const [index, responses] of rfqs.entries()) {
    const rfq = observed({ id: `rfq-${index}`, number: index })
    const read = { shape: 'full', responsesComplete: true, readAt: fixture.now() } as const
    await store.recordRfq(run, { ...read, rfq, responses }, fixture.now())
  }
  if (dies) await fixture.reopenStore()
  else await run.finish(runEnd({ requests: 1, seen: 1 }), fixture.now())
}
