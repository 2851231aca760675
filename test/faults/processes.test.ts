import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { soon } from '../helpers/eventually.js'
import { openSite } from '../helpers/process-fixture.js'
import { fault } from './fault-test.js'
import { manyItems } from './memory-exhausting-body.js'

const RUNS = 'select kind, outcome from runs order by id'
const WHOLE = 'select distinct (select count(*) from offers where rfq_id = rfqs.id) as responses from rfqs'
const CLOSED = "select count(*) as n from close_decisions where outcome = 'closed'"
const sync = ['sync', '--only', 'rfqs']

fault(39, 'of sync ends it with what it had read whole; the next one reads the rest', async () => {
  const site = await openSite({ rfqs: 12 })
  site.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'act', act: () => running.signal('SIGTERM') },
  })
  const running = site.start(sync)
  const began = performance.now()
  expect(await running.ended).toBe('exit 1')
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(site.sql(RUNS)).toEqual([{ kind: 'rfqs', outcome: 'partial' }])
  expect(site.sql(WHOLE)).toEqual([{ responses: 2 }])
  expect(await site.start(sync).ended).toBe('exit 0')
  expect(site.sql(`select count(*) as n from rfqs`)).toEqual([{ n: 12 }])
  expect(site.sql(WHOLE)).toEqual([{ responses: 2 }])
})

fault(39, 'of a close before its answer was proven: the next round settles it by reading', async () => {
  const site = await openSite({ rfqs: 1 })
  site.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 500, apply: true } })
  const running = site.start(['close-expired'])
  // After an unknown answer the program waits five seconds before it reads.
  await soon(() => expect(site.posts()[0]?.answeredAt).toBeTruthy())
  running.signal('SIGTERM')
  expect(await running.ended).toBe('exit 1')
  expect(site.sql(CLOSED)).toEqual([{ n: 0 }])
  expect(await site.start(['close-expired']).ended).toBe('exit 0')
  expect(site.sql(CLOSED)).toEqual([{ n: 1 }])
  expect(site.posts()).toHaveLength(1)
})

fault(
  39,
  'of the service while a poll hangs, and again: it ends at once, and the poll is found interrupted',
  async () => {
    const site = await openSite({ more: 'web: { port: 0 }\n' })
    site.sandbox.faults.add({ operation: 'readRfq', effect: { kind: 'hang' } })
    const service = site.start(['start'])
    await site.shows('select count(*) as n from rfqs', [{ n: 2 }])
    service.signal('SIGTERM')
    await soon(() => expect(service.out).toContain('quotekeeper is stopping'))
    await wait(400) // Sooner, it counts as the same one: from a terminal they come in pairs.
    const began = performance.now()
    service.signal('SIGTERM')
    expect(await service.ended).toBe('exit 143')
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(site.sql(WHOLE)).toEqual([{ responses: 2 }])
    expect(await site.start(sync).ended).toBe('exit 0')
    expect(site.sql("select outcome from runs where kind = 'rfqs' order by id")).toEqual([
      { outcome: 'interrupted' },
      { outcome: 'complete' },
    ])
  },
)

fault(33, 'of sync leaves whole RFQs, and the next one says so and reads the rest', async () => {
  const site = await openSite({ rfqs: 12 })
  site.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'act', act: () => running.signal('SIGKILL') },
  })
  const running = site.start(sync)
  expect(await running.ended).toBe('SIGKILL')
  expect(await site.start(sync).ended).toBe('exit 0')
  expect(site.sql(RUNS)).toEqual([
    { kind: 'rfqs', outcome: 'interrupted' },
    { kind: 'rfqs', outcome: 'complete' },
  ])
  expect(site.sql(WHOLE)).toEqual([{ responses: 2 }])
})

fault(33, 'of the service in a poll leaves whole RFQs, and the next start goes on', async () => {
  const site = await openSite({ rfqs: 12, more: 'web: { port: 0 }\n' })
  site.sandbox.faults.add({
    operation: 'readRfq',
    skip: 6,
    effect: { kind: 'act', act: () => killed.signal('SIGKILL') },
  })
  const killed = site.start(['start'])
  expect(await killed.ended).toBe('SIGKILL')
  const service = site.start(['start'])
  await site.shows("select outcome from runs where kind = 'rfqs' order by id", [
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
  expect(site.sql(WHOLE)).toEqual([{ responses: 2 }])
  service.signal('SIGTERM')
  expect(await service.ended).toBe('exit 0')
})

fault(40, 'of sync leaves what was known, and the next one works', async () => {
  const site = await openSite()
  expect(await site.start(sync).ended).toBe('exit 0')
  const known = site.sql('select * from versions')
  site.sandbox.faults.add({ operation: 'listRfqs', effect: manyItems })
  const small = site.start(sync, { heap: 64 })
  expect(await small.ended).toBe('SIGABRT')
  expect(small.err).toContain('heap out of memory')
  expect(site.sql('select * from versions')).toEqual(known)
  expect(await site.start(sync).ended).toBe('exit 0')
  expect(site.sql('select outcome from runs order by id')).toEqual([
    { outcome: 'complete' },
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
})
