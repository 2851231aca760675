import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../src/sandbox/index.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'

const TWO_DUE_DATES: [string, string] = ['"responseDueDate":', '"responseDueDate":"2027-01-31","responseDueDate":']
const TWO_STATES: [string, string] = ['"state":"open"', '"state":"open","state":"closed"']

/** An RFQ past due with an offer; `answer` changes the text of its reads from then on, after some of them. */
async function openPastDue() {
  const fixture = await openClosingFixture()
  fixture.sandbox.world.addResponse(rfqId(1))
  const detail = (await fixture.session().readRfq(rfqId(1))).value.text
  return Object.assign(fixture, {
    answer: ([from, to]: [string, string], { skip = 0 } = {}) => {
      const text = detail.replace(from, to)
      expect(text).not.toBe(detail)
      const effect: Effect = { kind: 'status', status: 200, text }
      return fixture.always({ operation: 'readRfq', skip }, effect)
    },
    problems: async () =>
      (await fixture.store.problems({ channel: KEY })).map(({ kind, code, path }) => `${kind} ${code} ${path}`),
  })
}

describe('an RFQ past due whose text another reader may understand differently', () => {
  it('is never closed, over polls, a restart and a replay, until the marketplace sends it in good order', async () => {
    const fixture = await openPastDue()
    const fault = fixture.answer(TWO_DUE_DATES)
    for (let round = 0; round < 6; round++) {
      if (round === 2) await fixture.reopenStore()
      if (round === 3) expect(await fixture.store.revalidate(fixture.now())).toMatchObject({ changes: 0 })
      if (round > 3) await fixture.pollRfqs({ recheckClosedHours: 0 })
      await fixture.closeExpired()
      fixture.advanceSeconds(5 * 3600)
    }
    expect(fixture.posts()).toEqual([])
    expect(await fixture.problems()).toEqual(['rfq duplicate responseDueDate'])
    expect(await fixture.store.decisions({ channel: KEY })).toMatchObject([
      { decision: 'keep', outcome: null, evidence: { codes: ['document'] } },
    ])
    fault.remove()
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is never closed if only the read before the POST shows it, and the problem is recorded', async () => {
    const fixture = await openPastDue()
    fixture.answer(TWO_DUE_DATES, { skip: 1 })
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    expect(await fixture.problems()).toEqual(['rfq duplicate responseDueDate'])
  })

  it('gets no second POST if the read after an inconclusive one shows it', async () => {
    const fixture = await openPastDue()
    fixture.answerCloses(rfqId(1), 500)
    fixture.answer(TWO_DUE_DATES, { skip: 2 })
    for (let round = 0; round < 3; round++) {
      await fixture.closeExpired()
      fixture.advanceSeconds(5 * 3600)
    }
    expect(fixture.posts()).toHaveLength(1)
  })

  it('does not count as closed if the read after the POST has two states', async () => {
    const fixture = await openPastDue()
    fixture.answer(TWO_STATES, { skip: 2 })
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    expect(await fixture.store.decisions({ channel: KEY })).toMatchObject([{ decision: 'close', outcome: 'failed' }])
  })
})
