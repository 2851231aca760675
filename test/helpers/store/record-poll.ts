import type { ChannelFixture } from '../channel-fixture.js'
import { KEY } from '../channel-fixture.js'
import { observed, observedResponse } from '../data/observed.js'
import { holdingRun } from './holding-run.js'

const END = { outcome: 'complete', error: null, requests: 1, seen: 1, unchanged: 0, missing: 0, invalid: 0 } as const

const response = (id: string, price: number) =>
  observedResponse({ id, projectDeveloperName: 'Green', offer: { totalPrice: price } })

/** A number of offers with a price. */
export const offers = (count: number, price = 1) =>
  Array.from({ length: count }, (_, at) => response(`offer-${at}`, price))

/** Records a poll, a minute later, in which each list of offers is that of an RFQ. */
export async function recordPoll(
  fixture: ChannelFixture,
  rfqs: ReturnType<typeof offers>[],
  { dies = false, whileItRuns }: { dies?: boolean; whileItRuns?: () => Promise<void> } = {},
): Promise<void> {
  const { store } = fixture
  fixture.advanceSeconds(60)
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: fixture.now() })
  for (const [index, responses] of rfqs.entries()) {
    const rfq = observed({ id: `rfq-${index}`, number: index })
    const read = { shape: 'full', responsesComplete: true, readAt: fixture.now() } as const
    await store.recordRfq(run, { ...read, rfq, responses }, fixture.now())
    await whileItRuns?.()
  }
  if (dies) await fixture.reopenStore()
  else await run.finish({ ...END, inserted: 0, changed: 0 }, fixture.now())
}
