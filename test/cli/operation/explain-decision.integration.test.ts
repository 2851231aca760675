import { describe, expect, it } from 'vitest'
import { explainDecision } from '../../../src/tables/closings/explain-decision.js'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'

describe('explainDecision', () => {
  it('describes what was evaluated, sent and read', async () => {
    const fixture = await openChannelFixture()
    const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    await fixture.pollRfqs()
    const { decisions } = await fixture.closeExpired({ graceHours: 2, timeZone: 'Europe/Paris' })
    const [decision] = decisions
    if (!decision) throw new Error('no decision')
    const text = explainDecision(decision)
    for (const line of [
      `Closing      ${decision.id}: close, closed\n`,
      `RFQ          1001 of acme/forest, id ${id}\n`,
      'Due date     2026-11-20 (sent as "2026-11-20"); the date in Europe/Paris was 2026-11-21\n',
      'Grace        2 hours after the end of the due date\n',
      'Started by   the schedule; autoClose: on\n',
      'Because      its state is open; ',
      'Clocks       ours 2026-11-21T12:00:00.000Z',
      '; skew 0 s (limit 60 s)\n',
      `Evaluated    version 1, content hash ${String(decision.evidence.hash)}\n`,
      'Sent         POST …/rfqs/{id}/close, 1 request at 2026-11-21T12:00:00.000Z\n',
      'Response     200, ok: true\n',
      'closed, version 2, content hash',
      decision.hash,
    ]) {
      expect(text).toContain(line)
    }
  })

  it('explains why nothing was sent, and sanitizes text from the marketplace', async () => {
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
})
