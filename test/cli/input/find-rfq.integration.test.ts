import { expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 2, rfqs: 0, responsesPerRfq: 0 }]

it('every command finds an RFQ by each of its names, and none if several have the name', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
  const { world } = sandbox
  const pastDue = { responseDueDate: '2026-03-01' }
  const numbered = world.addRfq(BLUE, { ...pastDue, number: 2042, reference: 'A' })
  const identified = world.addRfq(BLUE, { ...pastDue, id: '2042', number: 3042, reference: 'C' })
  world.addRfq(BLUE, { ...pastDue, number: 4042, reference: '2042' })
  await quotekeeper('sync')
  sandbox.faults.add({ operation: 'closeRfq', times: 99, effect: { kind: 'status', status: 400 } })
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 1 })
  const found = async (name: string) => {
    const [changes, decisions, compared, report] = await Promise.all(
      [
        ['changes', '--rfq', name],
        ['closings', '--rfq', name],
        ['compare', name],
        ['report', name],
      ].map(async (args) => {
        const { status, out, err } = await quotekeeper(...args, '--json')
        return status === 0 ? JSON.parse(out) : `${status} ${err}`
      }),
    )
    return [
      changes[0].rfqId ?? changes,
      decisions[0].rfqId ?? decisions,
      compared.rfq?.id ?? compared,
      report.rfq?.id ?? report,
    ]
  }
  const expected: [name: string, id: string][] = [
    [numbered.id, numbered.id],
    ['number:2042', numbered.id],
    ['id:2042', identified.id],
    ['3042', identified.id],
    ['reference:c', identified.id],
  ]
  for (const [name, id] of expected) expect([name, await found(name)]).toEqual([name, Array(4).fill(id)])
  const ambiguous = expect.stringMatching(
    /^2 quotekeeper: "2042" matches 3 RFQs; write id:…, .*\n {2}acme\/blue, number 3042, id:2042, /,
  )
  expect(await found('2042')).toEqual(Array(4).fill(ambiguous))
  expect(await quotekeeper('close-expired', '--retry', '2042')).toMatchObject({
    status: 2,
    err: expect.stringContaining('"2042" matches 3 RFQs'),
  })
  const posts = () => sandbox.requests.filter(({ method }) => method === 'POST').map(({ rfqId }) => rfqId)
  const before = posts().length
  for (const [name, id] of [
    ['number:2042', numbered.id],
    ['id:2042', identified.id],
  ] as const) {
    await quotekeeper('close-expired', '--retry', name)
    expect(posts().slice(before).at(-1)).toBe(id)
  }
  expect(posts()).toHaveLength(before + 2)
})

it('a former name is an error that says whose name it was; as of a moment, the names of then count', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
  const rfq = sandbox.world.addRfq(BLUE, { number: 7 })
  await quotekeeper('sync')
  sandbox.world.changeRfq(rfq.id, { number: 8 })
  await quotekeeper('sync')
  const { status, err } = await quotekeeper('closings', '--rfq', '7')
  expect(status).toBe(2)
  expect(err).toContain(
    `no RFQ matches "7"; at another time it was the name of:\n  acme/blue, number 8, id:${rfq.id}, `,
  )
})
