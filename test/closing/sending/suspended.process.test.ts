import { expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'

it('a close is not sent by a process that was suspended after its read', async () => {
  const fixture = await openProcessFixture({ rfqs: 1 })
  const [id = ''] = fixture.rfqIds
  const { world, faults } = fixture.sandbox
  // The poll reads the RFQ, then the round with all responses, then alone: that is what the close would go by.
  const suspended = faults.add({
    ...{ operation: 'readRfq', rfqId: id, skip: 2 },
    effect: { kind: 'call', call: () => round.signal('SIGSTOP') },
  })
  const round = fixture.start(['close-expired'])
  await eventually(() => expect(suspended.hits).toBe(1))
  world.changeRfq(id, { responseDueDate: '2099-12-31' })
  await new Promise((resolve) => setTimeout(resolve, 5500))
  round.signal('SIGCONT')
  expect(await round.ended).toBe('exit 0')
  expect(fixture.posts()).toEqual([])
  expect(fixture.sql('select decision, reason from close_decisions')).toMatchObject([
    { decision: 'keep', reason: expect.stringContaining('2099-12-31 has not passed') },
  ])
})
