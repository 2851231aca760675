import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'

const RESPONSE_COUNTS = 'select distinct (select count(*) from offers where rfq_id = rfqs.id) as responses from rfqs'

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
  expect(await fixture.run('sync', '--only', 'rfqs')).toMatchObject({ status: 0 })
  expect(fixture.sql("select outcome from runs where kind = 'rfqs' order by id")).toEqual([
    { outcome: 'interrupted' },
    { outcome: 'complete' },
  ])
})
