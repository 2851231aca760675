import { expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'

const count = (rows: unknown[] | null): number => (rows?.[0] as { n: number } | undefined)?.n ?? -1

it('figures are never older than the offers, also if a process is killed while it records, round after round', async () => {
  const fixture = await openProcessFixture({ rfqs: 40 })
  const { world } = fixture.sandbox
  const recordedSince = (at: string) =>
    count(fixture.sql(`select count(*) as n from figures where computed_at > '${at}'`))
  const older = `select count(*) as n from documents o join figures f on f.channel = o.channel and f.rfq_id = o.rfq_id
    where o.kind = 'response' and o.changed_at > f.computed_at`
  let interrupted = 0
  for (let round = 1; round <= ROUNDS; round++) {
    for (const id of fixture.rfqIds)
      for (const response of world.rfq(id).responses)
        world.changeResponse(response.id, { offer: { totalPrice: 1000 * round, totalVolume: 100 } })
    const before = new Date().toISOString()
    const killed = fixture.start(['sync'])
    await eventually(() => expect(recordedSince(before)).toBeGreaterThan(0), 1)
    killed.signal('SIGKILL')
    await killed.ended
    if (recordedSince(before) < fixture.rfqIds.length) interrupted++
    expect(count(fixture.sql(older))).toBe(0)
    expect((await fixture.run('sync')).status).toBe(0)
    expect(count(fixture.sql(older))).toBe(0)
    expect(recordedSince(before)).toBe(fixture.rfqIds.length)
  }
  expect(interrupted).toBeGreaterThan(0)
})
