import { expect, it } from 'vitest'
import { createCliFixture, createPolledFixture, NOW } from '../cli-fixture.js'

const CHANNELS = [
  { org: 'acme', channel: 'forest', theme: 'forest' as const, listings: 1, rfqs: 3, responsesPerRfq: 2 },
]

async function openFixture() {
  const fixture = await createPolledFixture({ channels: CHANNELS })
  const record = fixture.sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]
  const offer = record?.responses[0]?.id ?? ''
  fixture.sandbox.world.changeResponse(offer, { offer: { totalPrice: 123_456, scheduledDeliveries: [] } })
  const totalOf = (out: string) =>
    JSON.parse(out).offers.find(({ id }: { id: string }) => id === offer)?.terms.statedTotal
  // Ten minutes after the poll.
  const now = () => new Date(NOW.getTime() + 600_000)
  const quotekeeper = (...args: string[]) => fixture.quotekeeperWith({ now }, ...args)
  return { ...fixture, quotekeeper, number: String(record?.terms.number), offer, totalOf }
}

it('report --fresh shows what the marketplace shows now, and records it in a run', async () => {
  const { quotekeeper, number, totalOf } = await openFixture()
  expect(totalOf((await quotekeeper('report', number, '--json')).out)).not.toBe(123_456)
  const fresh = await quotekeeper('report', number, '--fresh', '--json')
  expect({ status: fresh.status, err: fresh.err }).toEqual({ status: 0, err: '' })
  expect(totalOf(fresh.out)).toBe(123_456)
  const [run] = JSON.parse((await quotekeeper('runs', '--json')).out)
  expect(run).toMatchObject({ kind: 'rfqs', outcome: 'partial', changed: 2, error: expect.stringMatching(/^only RFQ/) })
})

it('report --fresh fails if the marketplace cannot be read, and reports on what is recorded only with --or-stored', async () => {
  const { sandbox, quotekeeper, number, totalOf } = await openFixture()
  await sandbox.close()
  const failed = await quotekeeper('report', number, '--fresh', '--json')
  expect({ status: failed.status, out: failed.out }).toEqual({ status: 1, out: '' })
  expect(failed.err).toMatch(
    /could not be read from the marketplace: .*(refused|reach).*as of 09:30 UTC.*--or-stored\n$/,
  )
  const stored = await quotekeeper('report', number, '--fresh', '--or-stored', '--json')
  expect(stored.status).toBe(0)
  expect(stored.err).toMatch(/The report shows what is recorded \(as of 09:30 UTC.*could not be read/)
  expect(totalOf(stored.out)).toEqual(expect.any(Number))
})

it('report --fresh fails if one offer cannot be read, and reports on what was read only with --or-stored', async () => {
  const { sandbox, quotekeeper, number, offer, totalOf } = await openFixture()
  sandbox.faults.add({ responseId: offer, times: Infinity, effect: { kind: 'status', status: 500 } })
  const failed = await quotekeeper('report', number, '--fresh', '--json')
  expect({ status: failed.status, out: failed.out }).toEqual({ status: 1, out: '' })
  expect(failed.err).toMatch(/could not be read from the marketplace: GET .*responses.*--or-stored\n$/)
  const stored = await quotekeeper('report', number, '--fresh', '--or-stored', '--json')
  expect(stored.status).toBe(0)
  expect(stored.err).toMatch(/The report shows what is recorded .*because .*responses/)
  expect(totalOf(stored.out)).not.toBe(123_456)
})

it('report --fresh says since when an RFQ is no longer listed', async () => {
  const { sandbox, quotekeeper, number } = await openFixture()
  const id = sandbox.world.channel({ org: 'acme', channel: 'forest' })?.rfqs[0]?.terms.id ?? ''
  sandbox.world.removeRfq(id)
  const failed = await quotekeeper('report', number, '--fresh', '--json')
  expect({ status: failed.status, err: failed.err }).toEqual({
    status: 1,
    err: expect.stringMatching(/: it is no longer listed since 2026-\S+Z\. To report on what is recorded/),
  })
  const stored = await quotekeeper('report', number, '--fresh', '--or-stored', '--json')
  expect(stored.status).toBe(0)
  expect(stored.err).toMatch(/because .*: it is no longer listed since 2026-/)
})

it.each([
  [['report', '--fresh'], /--fresh reads one RFQ/],
  [['report', '1001', '--fresh', '--as-of', 'yesterday'], /use one of them/],
  [['report', '1001', '--or-stored'], /use both/],
])('rejects %s', async (args, message) => {
  const { quotekeeper } = await createCliFixture({ channels: CHANNELS })
  const { status, err } = await quotekeeper(...args)
  expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(message) })
})
