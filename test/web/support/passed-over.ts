import { type ChannelFixture, KEY } from '../../helpers/channel-fixture.js'

/** Records an event that each of these targets refuses, with an error that contains `a secret`. */
export async function refuseEvent({ store, now }: ChannelFixture, targets: readonly string[]): Promise<void> {
  await store.setTargets(
    targets.map((name) => ({ name, kinds: ['rfq.new'], channels: null })),
    now(),
  )
  await store.recordEvents([{ kind: 'rfq.new', at: now(), channel: KEY, rfqId: 'rfq-1', data: {} }])
  for (const target of targets) {
    const page = await store.takePage({ target, limit: 1, upTo: null, now: now() })
    if (page === null) throw new Error(`nothing to send to ${target}`)
    await store.endPage(page, { kind: 'refused', error: 'HTTP 422: a secret' }, now())
  }
}
