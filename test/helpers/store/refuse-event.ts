import type { Store } from '../../../src/store/contract.js'
import { KEY } from '../channel-fixture.js'

/** Records an event that each of these targets refuses, with an error that contains `a secret`; resolves to its sequence. */
export async function refuseEvent(
  { store, now }: { store: Store; now: () => Date },
  targets: readonly string[],
): Promise<number> {
  await store.setTargets(targets.map((name) => ({ name, kinds: ['rfq.new'], channels: null })))
  await store.recordEvents([{ kind: 'rfq.new', at: now().toISOString(), channel: KEY, rfqId: 'rfq-1', data: {} }])
  let sequence = 0
  for (const target of targets) {
    const page = await store.takePage({ target, limit: 1, upTo: null, now: now() })
    if (page === null) throw new Error(`nothing to send to ${target}`)
    await store.endPage(page, { kind: 'refused', error: 'HTTP 422: a secret' }, now())
    sequence = page.events[0].sequence
  }
  return sequence
}
