import { expect, it } from 'vitest'
import { createCliFixture } from './cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 2, rfqs: 0, responsesPerRfq: 0 }]

it('in every command, an id wins over a number, a number over a reference, a present name over a former one', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
  const { world } = sandbox
  const pastDue = { responseDueDate: '2026-03-01' }
  const numbered = world.addRfq(BLUE, { ...pastDue, number: 1042, reference: 'A' })
  const referenced = world.addRfq(BLUE, { ...pastDue, number: 2042, reference: '1042' })
  const identified = world.addRfq(BLUE, { ...pastDue, id: '2042', number: 3042, reference: 'C' })
  const renumbered = world.addRfq(BLUE, { ...pastDue, number: 4042, reference: 'D' })
  await quotekeeper('sync')
  world.changeRfq(renumbered.id, { number: 5042 })
  const successor = world.addRfq(BLUE, { ...pastDue, number: 9042, reference: '4042' })
  const expected: [name: string, id: string][] = [
    ['1042', numbered.id],
    ['2042', identified.id],
    [referenced.id, referenced.id],
    ['3042', identified.id],
    ['c', identified.id],
    ['4042', successor.id],
    ['d', renumbered.id],
  ]
  sandbox.faults.add({ operation: 'closeRfq', times: 99, effect: { kind: 'status', status: 400 } })
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 1 })
  for (const [name, id] of expected) {
    const decisions = JSON.parse((await quotekeeper('decisions', '--rfq', name, '--json')).out)
    expect(new Set(decisions.map(({ rfqId }: { rfqId: string }) => rfqId))).toEqual(new Set([id]))
    expect(JSON.parse((await quotekeeper('history', name, '--json')).out).rfqId).toBe(id)
    expect(await quotekeeper('offers', name)).toMatchObject({ status: 0 })
    const report = JSON.parse((await quotekeeper('report', name, '--json')).out)
    expect(report.rfq.id).toBe(id)
    if (name !== '1042') continue // Each closing round takes a second.
    const [retried] = JSON.parse((await quotekeeper('close-expired', '--retry', name, '--json')).out)
    expect(retried.decisions.filter(({ runId }: { runId: number }) => runId === retried.run.id)).toMatchObject([
      { rfqId: id },
    ])
  }
})

it('RFQs of the same number, or that had the name before, have to be told apart by id', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
  const twins = [sandbox.world.addRfq(BLUE, { number: 7 }), sandbox.world.addRfq(BLUE, { number: 7 })] as const
  await quotekeeper('sync')
  for (const { id } of twins) sandbox.world.changeRfq(id, { number: 8 })
  await quotekeeper('sync')
  for (const name of ['7', '8']) {
    const { status, err } = await quotekeeper('decisions', '--rfq', name)
    expect(status).toBe(2)
    expect(err).toContain(`"${name}" matches 2 RFQs; use an id instead`)
  }
  const [{ id }] = twins
  expect(JSON.parse((await quotekeeper('history', id, '--json')).out).rfqId).toBe(id)
})

it('a report contains the decisions about its own RFQ only', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
  sandbox.world.addRfq(BLUE, { number: 6042, responseDueDate: '2026-03-01' })
  sandbox.world.addRfq(BLUE, { id: '6042', number: 1 })
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 0 })
  const [all, named] = await Promise.all([
    quotekeeper('decisions', '--json'),
    quotekeeper('decisions', '--rfq', '6042', '--json'),
  ])
  expect(JSON.parse(all.out).map(({ rfqNumber }: { rfqNumber: number }) => rfqNumber)).toContain(6042)
  expect(JSON.parse(named.out).map(({ rfqNumber }: { rfqNumber: number }) => rfqNumber)).not.toContain(6042)
  const { out } = await quotekeeper('report', '6042', '--json')
  expect(JSON.parse(out).rfq.id).toBe('6042')
  expect(JSON.parse(out).decisions.map(({ outcome }: { outcome: string }) => outcome)).not.toContain('closed')
})
