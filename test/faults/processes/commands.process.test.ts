import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'

const RUNS = 'select kind, outcome from runs order by id'
const RESPONSE_COUNTS = 'select distinct (select count(*) from offers where rfq_id = rfqs.id) as responses from rfqs'
const SYNC = ['sync', '--only', 'rfqs']

it('SIGTERM during a run: `sync` keeps the RFQs it has read completely, and the next `sync` reads the rest', async () => {
  const fixture = await openProcessFixture({ rfqs: 12 })
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'call', call: () => running.signal('SIGTERM') },
  })
  const running = fixture.start(SYNC)
  expect(await running.ended).toBe('exit 1')
  expect(fixture.sql(RUNS)).toEqual([{ kind: 'rfqs', outcome: 'partial' }])
  expect(fixture.sql(RESPONSE_COUNTS)).toEqual([{ responses: 2 }])
  expect(await fixture.run(...SYNC)).toMatchObject({ status: 0 })
  expect(fixture.sql(`select count(*) as n from rfqs`)).toEqual([{ n: 12 }])
  expect(fixture.sql(RESPONSE_COUNTS)).toEqual([{ responses: 2 }])
})

it('SIGTERM during a run: a second SIGTERM ends the service at once, and its poll is recorded as interrupted', async () => {
  const fixture = await openProcessFixture({ more: 'web: { port: 0 }\n' })
  fixture.sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'hang' } })
  const service = fixture.start(['start'])
  await fixture.waitForRows('select count(*) as n from rfqs', [{ n: 2 }])
  service.signal('SIGTERM')
  await eventually(() => expect(service.out).toContain('quotekeeper stopping'))
  await wait(400) // An earlier signal would count as the same one, because terminals send them in pairs.
  service.signal('SIGTERM')
  expect(await service.ended).toBe('exit 143')
  expect(fixture.sql(RESPONSE_COUNTS)).toEqual([{ responses: 2 }])
  expect(await fixture.run(...SYNC)).toMatchObject({ status: 0 })
  expect(fixture.sql("select outcome from runs where kind = 'rfqs' order by id")).toEqual([
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
})

const responses = `${'{"id":"0"},'.repeat(99_999)}{"id":"0"}`
const entries = Array.from({ length: 24 }, (_, n) => `{"id":"${n}","responses":[${responses}]}`)

/** Within all limits, but far larger in memory than as text: of each entry, what the API description names is kept as objects. */
const memoryExhaustingReply = {
  kind: 'status',
  status: 200,
  text: `{"items":[${entries.join()}]}`,
} as const

it('a process out of memory: a `sync` out of memory changes nothing, and the next one succeeds', async () => {
  const fixture = await openProcessFixture()
  expect(await fixture.run(...SYNC)).toMatchObject({ status: 0 })
  const known = fixture.sql('select * from versions')
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect: memoryExhaustingReply })
  const small = fixture.start(SYNC, { heap: 64 })
  expect(await small.ended).toBe('SIGABRT')
  expect(small.err).toContain('heap out of memory')
  expect(fixture.sql('select * from versions')).toEqual(known)
  expect(await fixture.run(...SYNC)).toMatchObject({ status: 0 })
  expect(fixture.sql('select outcome from runs order by id')).toEqual([
    { outcome: 'complete' },
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
})
