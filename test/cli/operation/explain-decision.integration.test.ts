import { expect, it } from 'vitest'
import { explainDecision } from '../../../src/tables/closings/explain-decision.js'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'

it('explainDecision explains why nothing was sent, and sanitizes text from the marketplace', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
  await fixture.pollRfqs()
  const stopped = () => {
    fixture.sandbox.world.changeRfq(id, { responseDueDate: '2026-12-01' })
    return null
  }
  const [kept] = (await fixture.closeExpired({}, { stopped })).decisions
  expect(kept && explainDecision(kept)).toContain('Sent         nothing\n')
  expect(kept && explainDecision(kept)).toContain('Because      its response due date 2026-12-01 has not passed')
  const hostile = { ...kept, reason: 'red \u001b[31malert\nSent         everything' } as NonNullable<typeof kept>
  expect(explainDecision(hostile)).toContain('Because      red \ufffd[31malert Sent everything\n')
})
