import { expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'

const count = (rows: unknown[] | null): number => (rows?.[0] as { n: number } | undefined)?.n ?? -1

it('a process that is killed while it writes figures loses none, round after round: the next command writes the rest', async () => {
  const fixture = await openProcessFixture({ rfqs: 40 })
  const { world } = fixture.sandbox
  const dirty = () => count(fixture.sql('select count(*) as n from documents where marks > 0'))
  const recordedSince = (at: string) =>
    count(fixture.sql(`select count(*) as n from figures where computed_at > '${at}'`))
  let interrupted = 0
  for (let round = 1; round <= ROUNDS; round++) {
    for (const id of fixture.rfqIds)
      for (const response of world.rfq(id).responses)
        world.changeResponse(response.id, { offer: { totalPrice: 1000 * round, totalVolume: 100 } })
    const before = new Date().toISOString()
    const killed = fixture.start(['sync'])
    // Sooner or later: while it polls, or after some are recorded.
    await eventually(() => expect(round % 2 === 0 ? dirty() : recordedSince(before)).toBeGreaterThan(0), 1)
    killed.signal('SIGKILL')
    await killed.ended
    if (dirty() > 0) interrupted++
    expect((await fixture.run('sync')).status).toBe(0)
    expect(dirty()).toBe(0)
    const outdated = `select count(*) as n from documents d left join figures r on r.channel = d.channel and r.rfq_id = d.id
      where d.kind = 'rfq' and r.version is distinct from d.version`
    expect(count(fixture.sql(outdated))).toBe(0)
    expect(count(fixture.sql('select count(*) as n from figures'))).toBe(fixture.rfqIds.length)
  }
  expect(interrupted).toBeGreaterThan(0)
})
