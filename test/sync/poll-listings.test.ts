import { describe, expect, it } from 'vitest'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

describe('polling listings', () => {
  it('keeps every listing, what changed, what is gone and what came back', async () => {
    const desk = await openChannelFixture({ listings: 4 })
    expect((await desk.pollListings()).run).toMatchObject({ outcome: 'complete', requests: 1, seen: 4, inserted: 4 })
    const [first, second] = await desk.store.listings({ channel: KEY })
    desk.advanceSeconds(60)
    desk.sandbox.world.changeListing(first?.id ?? '', { projectName: 'Renamed' })
    const removed = second?.body as Parameters<typeof desk.sandbox.world.addListing>[1]
    desk.sandbox.world.removeListing(second?.id ?? '')
    const { run, changes } = await desk.pollListings()
    expect(run).toMatchObject({ outcome: 'complete', changed: 1, unchanged: 2, missing: 1 })
    expect(changes).toEqual([
      { kind: 'listing', id: first?.id, change: 'changed' },
      { kind: 'listing', id: second?.id, change: 'missing' },
    ])
    desk.advanceSeconds(60)
    desk.sandbox.world.addListing(CHANNEL, removed)
    expect((await desk.pollListings()).run).toMatchObject({ outcome: 'complete', inserted: 0, changed: 0, missing: 0 })
    expect((await desk.store.listings({ channel: KEY })).every((listing) => listing.missingSince === null)).toBe(true)
  })

  it('does not believe a list that is suddenly empty', async () => {
    const desk = await openChannelFixture({ listings: 12 })
    await desk.pollListings()
    desk.sandbox.faults.add({ operation: 'listListings', effect: { kind: 'empty' } })
    const { run } = await desk.pollListings()
    expect(run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0 })
    expect(run.error).toContain('lost 12 of 12 listings')
    expect((await desk.pollListings()).run).toMatchObject({ outcome: 'complete', missing: 0, unchanged: 12 })
  })
})
