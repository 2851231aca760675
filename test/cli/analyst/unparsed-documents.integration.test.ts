import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createCliFixture, NOW } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 1, rfqs: 0, responsesPerRfq: 0 }]
const OFFERS = 3

/** RFQs with offers, polled once; every text that is stored of some of them can be made one that no program can parse. */
async function polledRfqs() {
  const fixture = await createCliFixture({ channels: CHANNELS, more: 'closing: { maxPerRun: 50 }\n' })
  const { world } = fixture.sandbox
  const add = (number: number, responseDueDate: string) => {
    const { id } = world.addRfq(BLUE, { number, responseDueDate })
    for (let at = 0; at < OFFERS; at++) world.addResponse(id)
    return id
  }
  return {
    ...fixture,
    add,
    damage(ids: readonly string[]) {
      const db = new Database(`${fixture.folder}/data/quotekeeper.db`)
      // The indexes read documents as they are written.
      db.exec('drop trigger versions_immutable; drop trigger decisions_immutable')
      db.exec('drop index versions_number; drop index versions_reference')
      const of = `in (select value from json_each('${JSON.stringify(ids)}'))`
      const damaged = [
        `update versions set body = 'not JSON', parsed_body = null where id ${of} or rfq_id ${of}`,
        `update close_decisions set evidence = 'not JSON' where rfq_id ${of}`,
      ].map((sql) => db.prepare(sql).run().changes)
      db.close()
      return damaged
    },
  }
}

it('close-expired --dry-run parses no document of an RFQ that is not past due, nor what was decided about one that is closed', async () => {
  const { quotekeeper, add, damage } = await polledRfqs()
  const closed = Array.from({ length: 12 }, (_, at) => add(at, '2026-03-01'))
  expect((await quotekeeper('close-expired')).err).toContain('12 closed')
  const later = Array.from({ length: 5 }, (_, at) => add(100 + at, '2027-03-01'))
  const due = [add(201, '2026-03-01'), add(202, '2026-03-02')]
  await quotekeeper('sync')
  const [documents = 0, decisions] = damage([...closed, ...later])
  expect([documents >= 17 * (1 + OFFERS), decisions]).toEqual([true, 12])
  const { status, out, err } = await quotekeeper('close-expired', '--dry-run', '--json')
  const [{ closings }] = JSON.parse(out)
  expect({ status, err }).toMatchObject({ status: 0 })
  expect(closings.map(({ rfqId, decision }: Record<string, string>) => [rfqId, decision])).toEqual(
    due.map((id) => [id, 'would-close']),
  )
})

it('changes parses no document that changed before the period, or so long before others that it is beyond the limit', async () => {
  const { quotekeeper, quotekeeperWith, add, damage } = await polledRfqs()
  const before = Array.from({ length: 12 }, (_, at) => add(at, '2026-03-20'))
  await quotekeeper('sync')
  const at = (days: number) => ({ now: () => new Date(NOW.getTime() + days * 86_400_000) })
  const first = Array.from({ length: 40 }, (_, index) => add(100 + index, '2026-03-20'))
  await quotekeeperWith(at(2), 'sync')
  const last = Array.from({ length: 60 }, (_, index) => add(200 + index, '2026-03-20'))
  await quotekeeperWith(at(2.1), 'sync')
  damage([...before, ...first])
  const changes = async (...args: string[]) => {
    const { status, out, err } = await quotekeeperWith(at(2.2), 'changes', '--json', ...args)
    expect({ status, err }).toMatchObject({ status: 0 })
    return (JSON.parse(out) as { rfqId: string }[]).map(({ rfqId }) => rfqId)
  }
  const newest = await changes()
  expect(newest).toHaveLength(100)
  expect(last).toEqual(expect.arrayContaining(newest))
  expect(await changes('--since', '2 hours ago')).toEqual([])
})
