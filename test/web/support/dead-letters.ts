import { type ChannelFixture, KEY } from '../../helpers/channel-fixture.js'

/**
 * Records an event and gives up sending it to each of these targets, with an error that contains `a secret`.
 * @returns the ids of the dead letters
 */
export async function giveUp({ store, now }: ChannelFixture, targets: readonly string[]): Promise<number[]> {
  await store.setTargets(targets, now())
  await store.recordEvent({ kind: 'rfq.new', at: now(), channel: KEY, data: {} })
  await store.routeEvents(({ kind }) => (kind === 'rfq.new' ? targets : []), now())
  const later = new Date(now().getTime() + 1)
  for (const target of targets) {
    const claim = await store.claimMessage({ target, holder: 'test', maxEvents: 1, now: now() })
    if (claim === null) throw new Error(`nothing to send to ${target}`)
    const failed = { kind: 'failed', because: 'target', status: 500, error: 'HTTP 500: a secret' } as const
    await store.endAttempt(claim, { ...failed, retryAt: later, deadBefore: later }, now())
  }
  return (await store.deliveries({ states: ['dead'] })).map(({ id }) => id)
}
