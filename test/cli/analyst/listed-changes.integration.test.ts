import { describe, expect, it } from 'vitest'
import { createCliFixture, NOW } from '../cli-fixture.js'

/** One RFQ that always answers 500 since it was read; the list calls it closed, and no longer has one of its offers. */
async function openUnreadable() {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world, faults } = cli.sandbox
  const { id, number } = world.addRfq(channel, { responseDueDate: '2026-03-12', minVolume: 100, maxVolume: 1_000_000 })
  const offers = [1, 2].map(() => world.addResponse(id))
  const [gone] = offers as [(typeof offers)[number]]
  world.addRfq(channel, { responseDueDate: '2026-06-30' })
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  faults.add({
    rfqId: id,
    operation: 'readRfq',
    times: Number.POSITIVE_INFINITY,
    effect: { kind: 'status', status: 500 },
  })
  const json = async (...args: string[]) => JSON.parse((await cli.quotekeeper(...args, '--json')).out)
  return { cli, json, world, faults, id, number: String(number), gone }
}

const SENTENCE = 'The list of 2026-03-10 09:30 UTC says closed and no longer has 1 offer'

describe('what the list says of an RFQ that cannot be read', () => {
  it('is said by rfqs, compare, today and report, as text and as JSON, until the RFQ is read', async () => {
    const { cli, json, world, faults, id, number, gone } = await openUnreadable()
    const text = async (...args: string[]) => (await cli.quotekeeper(...args)).out.replaceAll(/\s+/g, ' ')
    const commands = [['rfqs'], ['compare', number], ['today'], ['report', number, '--json']]
    for (const args of commands) expect(await text(...args)).not.toMatch(/list of|List says|not listed/)
    world.closeRfq(id)
    world.removeResponse(gone.id)
    expect((await cli.quotekeeper('sync')).status).toBe(1)
    expect(await text('rfqs')).toMatch(/List says: closed, 1 offer gone /)
    for (const args of commands.slice(1)) expect(await text(...args)).toContain(SENTENCE)
    expect(await text('compare', number)).toContain('(not listed)')
    const listed = { state: 'closed', removedOffers: [{ id: gone.id, name: gone.projectDeveloperName }] }
    const [row, other] = await json('rfqs')
    expect([row, other.listed]).toMatchObject([
      { id, state: 'open', listed: { ...listed, message: expect.stringContaining(SENTENCE) } },
      null,
    ])
    const compared = await json('compare', number)
    expect(compared).toMatchObject({
      listed,
      decision: { banners: [{ code: 'rfq-list-differs', message: expect.stringContaining(SENTENCE) }] },
    })
    const marked = compared.offers.map((offer: { id: string; notListed: boolean }) => [
      offer.id === gone.id,
      offer.notListed,
    ])
    expect(marked.sort()).toEqual([
      [false, false],
      [true, true],
    ])
    faults.clear()
    expect((await cli.quotekeeper('sync')).status).toBe(0)
    for (const args of commands) expect(await text(...args)).not.toMatch(/list of|List says|not listed/)
  })

  it('is said as of a moment too', async () => {
    const { cli, world, id, number, gone } = await openUnreadable()
    world.closeRfq(id)
    world.removeResponse(gone.id)
    await cli.quotekeeper('sync')
    const later = { now: () => new Date(NOW.getTime() + 3_600_000) }
    const asOf = ['--as-of', '2026-03-10T10:00:00Z']
    for (const args of [
      ['compare', number],
      ['report', number, '--json'],
    ]) {
      const { out, status } = await cli.quotekeeperWith(later, ...args, ...asOf)
      expect([args, status]).toEqual([args, 0])
      const said = /list of 2026-03-10 09:30 UTC says closed and no longer has 1 offer/
      expect(out.replaceAll(/\s+/g, ' ')).toMatch(said)
      expect((await cli.quotekeeperWith(later, ...args)).out.replaceAll(/\s+/g, ' ')).toMatch(said)
    }
  })
})
