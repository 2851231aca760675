import { describe, expect, it } from 'vitest'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

describe('polling listings', () => {
  it('records every listing, and which changed, went missing or returned', async () => {
    const fixture = await openChannelFixture({ listings: 4 })
    expect((await fixture.pollListings()).run).toMatchObject({ outcome: 'complete', requests: 1, seen: 4, inserted: 4 })
    const [first, second] = await fixture.store.listings({ channel: KEY })
    fixture.advanceSeconds(60)
    fixture.sandbox.world.changeListing(first?.id ?? '', { projectName: 'Renamed' })
    const removed = second?.body as Parameters<typeof fixture.sandbox.world.addListing>[1]
    fixture.sandbox.world.removeListing(second?.id ?? '')
    const { run, changes } = await fixture.pollListings()
    expect(run).toMatchObject({ outcome: 'complete', changed: 1, unchanged: 2, missing: 1 })
    expect(changes).toEqual([
      { kind: 'listing', id: first?.id, change: 'changed' },
      { kind: 'listing', id: second?.id, change: 'missing' },
    ])
    fixture.advanceSeconds(60)
    fixture.sandbox.world.addListing(CHANNEL, removed)
    expect((await fixture.pollListings()).run).toMatchObject({
      outcome: 'complete',
      inserted: 0,
      changed: 1,
      missing: 0,
    })
    expect((await fixture.store.listings({ channel: KEY })).every((listing) => listing.missingSince === null)).toBe(
      true,
    )
  })
})
