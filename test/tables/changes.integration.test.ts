import { describe, expect, it } from 'vitest'
import { REVISION_KINDS } from '../../src/core/records.js'
import { changeFeed, changeGroups } from '../../src/tables/changes/changes.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../helpers/channel-fixture.js'
import { openAwardedRfq } from '../helpers/store/awarded-rfq.js'

/** Six rounds in each of which offers and RFQs appear, change, leave and return. */
async function sixRounds(fixture: ChannelFixture, afterPoll: () => Promise<void>): Promise<void> {
  const { world } = fixture.sandbox
  const ids: string[] = []
  let removed: ReturnType<typeof world.response> | null = null
  for (let round = 0; round < 6; round++) {
    fixture.advanceSeconds(8 * 3600)
    const rfq = world.addRfq(CHANNEL).id
    ids.push(rfq)
    for (let offer = 0; offer < 3; offer++) world.addResponse(rfq)
    const [first = '', second = ''] = (world.findRfq(ids[0] ?? '')?.record.responses ?? []).map(({ id }) => id)
    world.changeResponse(first, { offer: { totalPrice: 1000 + round, scheduledDeliveries: [] } })
    if (round % 2 === 1) {
      removed = world.response(second)
      world.removeResponse(second)
    } else if (removed !== null) world.putResponse(world.findRfq(ids[0] ?? '') as never, removed)
    if (round === 3) world.removeRfq(ids[1] ?? '')
    if (round === 4) world.closeRfq(ids[2] ?? '')
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    await afterPoll()
  }
}

describe('the change feed', () => {
  it('lists every change of a period once, newest first, page by page, also as of a past moment', async () => {
    const fixture = await openChannelFixture()
    const moments: Date[] = []
    await sixRounds(fixture, async () => void moments.push(fixture.now()))
    const all = await changeFeed(fixture.store, { limit: 1000 })
    const events = all.entries.flatMap(({ changes }) => changes.map(({ event }) => event))
    expect(new Set(events)).toEqual(new Set(['appeared', 'changed', 'withdrawn', 'reinstated', 'closed']))
    expect(all.nextCursor).toBeNull()
    const times = all.entries.map(({ observedAt }) => observedAt)
    expect(times).toEqual([...times].sort().reverse())

    const paged: string[] = []
    let before: string | null | undefined
    do {
      const page = await changeFeed(fixture.store, { limit: 4, ...(before && { before }) })
      paged.push(...page.entries.map(({ cursor }) => cursor))
      before = page.nextCursor
    } while (before !== null)
    expect(paged).toEqual(all.entries.map(({ cursor }) => cursor))
    expect(new Set(paged).size).toBe(paged.length)

    const [, second, third, fourth] = moments as [Date, Date, Date, Date]
    const part = await changeFeed(fixture.store, { after: second, asOf: fourth, limit: 1000 })
    expect(new Set(part.entries.map(({ observedAt }) => observedAt))).toEqual(
      new Set([third, fourth].map((moment) => moment.toISOString())),
    )
    await expect(changeFeed(fixture.store, { before: 'nonsense' })).rejects.toThrow('is not a cursor')
  })

  it('groups what changed about an RFQ at one moment, and never splits a group between pages', async () => {
    const fixture = await openChannelFixture()
    await sixRounds(fixture, async () => {})
    const { entries } = await changeFeed(fixture.store, { limit: 1000 })
    const all = await changeGroups(fixture.store, { limit: 1000 })
    const keyOf = ({ observedAt, rfqId }: { observedAt: string; rfqId: string }) => `${observedAt} ${rfqId}`
    expect(all.groups.map(keyOf)).toEqual([...new Set(entries.map(keyOf))])
    expect(all.groups.flatMap((group) => group.entries.map(({ cursor }) => cursor)).sort()).toEqual(
      entries.map(({ cursor }) => cursor).sort(),
    )
    const paged: typeof all.groups = []
    let before: string | null | undefined
    do {
      const page = await changeGroups(fixture.store, { limit: 2, ...(before && { before }) })
      expect(page.groups.length).toBeLessThanOrEqual(2)
      paged.push(...page.groups)
      before = page.nextCursor
    } while (before !== null)
    expect(paged).toEqual(all.groups)
    for (const kind of REVISION_KINDS) {
      const some = await changeFeed(fixture.store, { kinds: [kind], limit: 1000 })
      expect(some.entries).toEqual(entries.filter(({ entity }) => entity === kind))
    }
  })

  it('has awards, their withdrawal, and who closed an RFQ, as of each moment', async () => {
    const fixture = await openAwardedRfq()
    await fixture.award([fixture.cheap])
    fixture.advanceSeconds(3600)
    const [award] = await fixture.store.awards({ standing: true })
    const withdrawn = { award: award?.id ?? 0, at: fixture.now().toISOString(), by: 'ben', because: 'No budget' }
    await fixture.store.withdrawAward({ ...withdrawn, programVersion: 'test' })
    const read = async (asOf?: Date) =>
      (await changeFeed(fixture.store, { kinds: ['award'], ...(asOf && { asOf }) })).entries.map(
        ({ messages }) => messages,
      )
    const [withdrawal, recorded] = await read()
    expect(withdrawal).toEqual([expect.stringMatching(/^Withdrawn by ben: .+ · .+, because “No budget”\.$/)])
    expect(recorded).toEqual([
      expect.stringMatching(/^Recorded by ana: .+ · .+, 2,000 t at 9\.00 USD\/t, 18,000 USD\. As recommended\.$/),
    ])
    expect(await read(new Date(fixture.now().getTime() - 1))).toEqual([recorded])

    fixture.setTime('2027-07-01T12:00:00.000Z')
    await fixture.pollRfqs()
    await fixture.closeExpired()
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    const { entries } = await changeFeed(fixture.store, { kinds: ['rfq'] })
    expect(entries[0]?.messages).toEqual(['Closed by Quotekeeper.'])
  })
})
