import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash } from '../../../src/core/documents/canonical-json.js'
import type { DocumentKind } from '../../../src/core/documents/documents.js'
import type { KnownDocument } from '../../../src/core/records.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { shareOf } from '../../helpers/long-tests.js'

type Step =
  | { do: 'add-rfq' }
  | { do: 'change-rfq' | 'close' | 'remove-rfq'; which: number }
  | { do: 'add-response'; which: number }
  | { do: 'change-response' | 'remove-response'; which: number }
  | { do: 'add-listing' }
  | { do: 'change-listing' | 'remove-listing'; which: number }

const which = fc.nat({ max: 50 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add-rfq' as const, 'add-listing' as const) }),
  fc.record({ do: fc.constantFrom('add-response' as const, 'change-rfq', 'close', 'remove-rfq'), which }),
  fc.record({
    do: fc.constantFrom('change-response' as const, 'remove-response', 'change-listing', 'remove-listing'),
    which,
  }),
)
/** For each interval between two polls, the changes on the marketplace. */
const history = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 5 })

/** The current state of the marketplace as content hashes, because the signed URL of a listing differs at every read. */
const marketplaceState = (fixture: ChannelFixture) => {
  const channel = fixture.sandbox.world.channel(CHANNEL)
  return {
    listings: hashes('listing', channel?.listings ?? []),
    rfqs: hashes(
      'rfq',
      (channel?.rfqs ?? []).map((record) => record.singleShape()),
    ),
    responses: hashes(
      'response',
      (channel?.rfqs ?? []).flatMap((record) => [...record.responses]),
    ),
  }
}
const storedState = async (fixture: ChannelFixture, asOf: Date) => {
  const presentHashes = (kind: DocumentKind, all: KnownDocument[]) =>
    hashes(
      kind,
      all.filter((each) => each.missingSince === null).map((each) => each.body),
    )
  const rfqs = await fixture.store.rfqs({ channel: KEY, asOf })
  return {
    listings: presentHashes('listing', await fixture.store.listings({ channel: KEY, asOf })),
    rfqs: presentHashes(
      'rfq',
      rfqs.map(({ rfq }) => rfq),
    ),
    // The responses of a missing RFQ can no longer be observed.
    responses: presentHashes(
      'response',
      rfqs.filter(({ rfq }) => rfq.missingSince === null).flatMap(({ responses }) => responses),
    ),
  }
}
const hashes = (kind: DocumentKind, documents: readonly unknown[]) =>
  documents.map((each) => contentHash(kind, each)).sort()

function applyStep(fixture: ChannelFixture, action: Step): void {
  const { world } = fixture.sandbox
  const channel = world.channel(CHANNEL)
  const pick = <T>(all: readonly T[] | undefined): T | undefined =>
    'which' in action && all && all.length > 0 ? all[action.which % all.length] : undefined
  const rfq = pick(channel?.rfqs)?.terms.id
  const response = pick(channel?.rfqs.flatMap((record) => [...record.responses]))?.id
  const listing = pick(channel?.listings)?.id
  const title = `At ${fixture.now().toISOString()}`
  if (action.do === 'add-rfq') world.addRfq(CHANNEL)
  if (action.do === 'add-listing') world.addListing(CHANNEL)
  if (rfq && action.do === 'add-response') world.addResponse(rfq)
  if (rfq && action.do === 'change-rfq') world.changeRfq(rfq, { title })
  if (rfq && action.do === 'close') world.closeRfq(rfq)
  // An empty list is not believed at its first read, so that the last one stays.
  if (rfq && action.do === 'remove-rfq' && (channel?.rfqs.length ?? 0) > 1) world.removeRfq(rfq)
  if (response && action.do === 'change-response') world.changeResponse(response, { projectName: title })
  if (response && action.do === 'remove-response') world.removeResponse(response)
  if (listing && action.do === 'change-listing') world.changeListing(listing, { projectName: title })
  if (listing && action.do === 'remove-listing' && (channel?.listings.length ?? 0) > 1) world.removeListing(listing)
}

describe('state as of a moment', () => {
  it('equals the state of the marketplace at that moment, regardless of later changes', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (intervals) => {
        const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1, listings: 3 })
        const moments: { asOf: Date; state: ReturnType<typeof marketplaceState> }[] = []
        for (const actions of [[], ...intervals]) {
          for (const action of actions) applyStep(fixture, action)
          fixture.advanceSeconds(60)
          expect((await fixture.pollListings()).run.outcome).toBe('complete')
          // A full poll, because closed RFQs are read again only from time to time.
          expect((await fixture.pollRfqs({ full: true })).run.outcome).toBe('complete')
          moments.push({ asOf: fixture.now(), state: marketplaceState(fixture) })
        }
        for (const { asOf, state } of moments) {
          expect(await storedState(fixture, asOf)).toEqual(state)
          expect(await storedState(fixture, new Date(asOf.getTime() + 59_999))).toEqual(state)
        }
        expect(await storedState(fixture, new Date('2026-11-21T12:00:59.999Z'))).toEqual({
          listings: [],
          rfqs: [],
          responses: [],
        })
      }),
      { numRuns: shareOf(20) },
    )
  })
})
