import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { openProcessFixture } from '../helpers/process-fixture.js'
import { fault } from './fault-test.js'
import { manyItems } from './memory-exhausting-body.js'

const RUNS = 'select kind, outcome from runs order by id'
const WHOLE = 'select distinct (select count(*) from offers where rfq_id = rfqs.id) as responses from rfqs'
const CLOSED = "select count(*) as n from close_decisions where outcome = 'closed'"
const sync = ['sync', '--only', 'rfqs']

fault(39, 'of sync ends it with what it had read whole; the next one reads the rest', async () => {
  const fixture = await openProcessFixture({ rfqs: 12 })
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'call', call: () => running.signal('SIGTERM') },
  })
  const running = fixture.start(sync)
  const began = performance.now()
  expect(await running.ended).toBe('exit 1')
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(fixture.sql(RUNS)).toEqual([{ kind: 'rfqs', outcome: 'partial' }])
  expect(fixture.sql(WHOLE)).toEqual([{ responses: 2 }])
  expect(await fixture.start(sync).ended).toBe('exit 0')
  expect(fixture.sql(`select count(*) as n from rfqs`)).toEqual([{ n: 12 }])
  expect(fixture.sql(WHOLE)).toEqual([{ responses: 2 }])
})

fault(39, 'of a close before its answer was proven: the next round settles it by reading', async () => {
  const fixture = await openProcessFixture({ rfqs: 1 })
  fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 500, apply: true } })
  const running = fixture.start(['close-expired'])
  // After an unknown answer the program waits five seconds before it reads.
  await eventually(() => expect(fixture.posts()[0]?.answeredAt).toBeTruthy())
  running.signal('SIGTERM')
  expect(await running.ended).toBe('exit 1')
  expect(fixture.sql(CLOSED)).toEqual([{ n: 0 }])
  expect(await fixture.start(['close-expired']).ended).toBe('exit 0')
  expect(fixture.sql(CLOSED)).toEqual([{ n: 1 }])
  expect(fixture.posts()).toHaveLength(1)
})

fault(
  39,
  'of the service while a poll hangs, and again: it ends at once, and the poll is found interrupted',
  async () => {
    const fixture = await openProcessFixture({ more: 'web: { port: 0 }\n' })
    fixture.sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'hang' } })
    const service = fixture.start(['start'])
    await fixture.waitForRows('select count(*) as n from rfqs', [{ n: 2 }])
    service.signal('SIGTERM')
    await eventually(() => expect(service.out).toContain('quotekeeper stopping'))
    await wait(400) // Sooner, it counts as the same one: from a terminal they come in pairs.
    const began = performance.now()
    service.signal('SIGTERM')
    expect(await service.ended).toBe('exit 143')
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(fixture.sql(WHOLE)).toEqual([{ responses: 2 }])
    expect(await fixture.start(sync).ended).toBe('exit 0')
    expect(fixture.sql("select outcome from runs where kind = 'rfqs' order by id")).toEqual([
      { outcome: 'interrupted' },
      { outcome: 'complete' },
    ])
  },
)

fault(33, 'of sync leaves whole RFQs, and the next one says so and reads the rest', async () => {
  const fixture = await openProcessFixture({ rfqs: 12 })
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'call', call: () => running.signal('SIGKILL') },
  })
  const running = fixture.start(sync)
  expect(await running.ended).toBe('SIGKILL')
  expect(await fixture.start(sync).ended).toBe('exit 0')
  expect(fixture.sql(RUNS)).toEqual([
    { kind: 'rfqs', outcome: 'interrupted' },
    { kind: 'rfqs', outcome: 'complete' },
  ])
  expect(fixture.sql(WHOLE)).toEqual([{ responses: 2 }])
})

fault(33, 'of the service in a poll leaves whole RFQs, and the next start goes on', async () => {
  const fixture = await openProcessFixture({ rfqs: 12, more: 'web: { port: 0 }\n' })
  fixture.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'call', call: () => killed.signal('SIGKILL') },
  })
  const killed = fixture.start(['start'])
  expect(await killed.ended).toBe('SIGKILL')
  const service = fixture.start(['start'])
  await fixture.waitForRows("select outcome from runs where kind = 'rfqs' order by id", [
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
  expect(fixture.sql(WHOLE)).toEqual([{ responses: 2 }])
  service.signal('SIGTERM')
  expect(await service.ended).toBe('exit 0')
})

fault(40, 'of sync leaves what was known, and the next one works', async () => {
  const fixture = await openProcessFixture()
  expect(await fixture.start(sync).ended).toBe('exit 0')
  const known = fixture.sql('select * from versions')
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect: manyItems })
  const small = fixture.start(sync, { heap: 64 })
  expect(await small.ended).toBe('SIGABRT')
  expect(small.err).toContain('heap out of memory')
  expect(fixture.sql('select * from versions')).toEqual(known)
  expect(await fixture.start(sync).ended).toBe('exit 0')
  expect(fixture.sql('select outcome from runs order by id')).toEqual([
    { outcome: 'complete' },
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
})
