import { expect, it } from 'vitest'
import { createPolledFixture, NOW } from '../cli-fixture.js'

const CHANNELS = [
  { org: 'acme', channel: 'forest', theme: 'forest' as const, listings: 1, rfqs: 3, responsesPerRfq: 2 },
]

/** A polled channel; the first offer of its first RFQ has another total since. Commands run ten minutes later. */
async function openFixture() {
  const fixture = await createPolledFixture({ channels: CHANNELS })
  const record = fixture.sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]
  const [id = '', number, offer = ''] = [record?.terms.id, String(record?.terms.number), record?.responses[0]?.id]
  fixture.sandbox.world.changeResponse(offer, { offer: { totalPrice: 123_456, scheduledDeliveries: [] } })
  const now = () => new Date(NOW.getTime() + 600_000)
  const quotekeeper = (...args: string[]) => fixture.quotekeeperWith({ now }, ...args)
  const total = async () => {
    const { out } = await quotekeeper('export', '--kind', 'response')
    const documents = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return documents.find((each) => each.id === offer)?.body.offer.totalPrice
  }
  return { ...fixture, quotekeeper, id, number, offer, total }
}

it('report --fresh reads the RFQ with its offers, and records them in a run', async () => {
  const { quotekeeper, number, total } = await openFixture()
  expect(await total()).not.toBe(123_456)
  expect(await quotekeeper('report', number, '--fresh')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/xlsx\n$/),
  })
  expect(await total()).toBe(123_456)
  const [run] = JSON.parse((await quotekeeper('runs', '--json')).out)
  expect(run).toMatchObject({ kind: 'rfqs', outcome: 'partial', error: 'Only one RFQ was read, as requested.' })
})

it('report --fresh writes nothing if the RFQ cannot be read whole, and says why', async () => {
  const { sandbox, quotekeeper, id, number, offer } = await openFixture()
  const fails = async (why: RegExp) => {
    const { status, out, err } = await quotekeeper('report', number, '--fresh')
    expect({ status, out, err }).toEqual({ status: 1, out: '', err: expect.stringMatching(why) })
    expect(err).toMatch(/To report on what is recorded, leave out --fresh/)
  }
  const fault = sandbox.faults.add({ responseId: offer, times: Infinity, effect: { kind: 'status', status: 500 } })
  await fails(/could not be read from the marketplace: GET .*responses/)
  fault.remove()
  sandbox.world.removeRfq(id)
  await fails(/it is no longer listed since 2026-/)
  await sandbox.close()
  await fails(/could not be read from the marketplace: .*ECONNREFUSED/)
})

it.each([
  ['report', '--fresh'],
  ['report', '1001', '--fresh', '--as-of', 'yesterday'],
])('rejects %s %s %s', async (...args) => {
  const { quotekeeper } = await openFixture()
  expect((await quotekeeper(...args)).status).toBe(2)
})
