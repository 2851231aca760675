import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/marketplace/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'

const ALWAYS = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'

/** A channel with one RFQ past due and one response, as a marketplace in good order sends them. */
async function openPastDue() {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
  fixture.sandbox.world.addResponse(id)
  const detail = (await fixture.session().readRfq(id)).value.text
  const [response] = (JSON.parse(detail) as { responses: { id: string }[] }).responses
  const answer = (await fixture.session().readResponse(id, response?.id ?? '')).value.text
  return { fixture, id, detail, answer }
}

/** From now on, the operation is answered with this text. */
const answerWith = (fixture: ChannelFixture, operation: Operation, text: string) =>
  fixture.sandbox.faults.add({
    operation,
    times: ALWAYS,
    effect: { kind: 'text', text, contentType: 'application/json' },
  })

const withTwoDueDates = (text: string) =>
  text.replace('"responseDueDate":', '"responseDueDate":"2027-01-31","responseDueDate":')

/** Six rounds over a day, each after a poll; the third after a restart, the fourth after a replay of all stored documents. */
async function runDay(fixture: ChannelFixture): Promise<void> {
  for (let round = 0; round < 6; round++) {
    if (round === 2) await fixture.reopenStore()
    if (round === 3)
      expect(await fixture.store.revalidate(fixture.now())).toMatchObject({ nowValid: 0, problemsGone: 0 })
    if (round !== 3) await fixture.pollRfqs({ full: true })
    await fixture.closeExpired()
    fixture.advanceSeconds(5 * 3600)
  }
}

async function problemsOf(fixture: ChannelFixture) {
  const problems = await fixture.store.problems({ channel: KEY })
  return problems.map(({ kind, code, path }) => `${kind} ${code} ${path}`)
}

describe('an RFQ past due whose text another reader may understand differently', () => {
  it.each<[string, (text: string) => string, string]>([
    ['two due dates', withTwoDueDates, 'rfq duplicate responseDueDate'],
    [
      'two due dates, one with an escaped name',
      (text) => text.replace('{', '{"responseDueDat\\u0065":"2027-01-31",'),
      'rfq duplicate responseDueDate',
    ],
    ['two titles', (text) => text.replace('{', '{"title":"another",'), 'rfq duplicate title'],
    ['an escaped state', (text) => text.replace('"state":"open"', '"state":"op\\u0065n"'), 'rfq encoding state'],
  ])('(%s) is never closed, over a day, a restart and a replay', async (_title, change, problem) => {
    for (const start of ['at first', 'later']) {
      const { fixture, detail } = await openPastDue()
      if (start === 'later') await fixture.pollRfqs()
      expect(change(detail)).not.toBe(detail)
      answerWith(fixture, 'readRfq', change(detail))
      await runDay(fixture)
      expect(fixture.posts(), start).toEqual([])
      expect(await problemsOf(fixture)).toEqual([problem])
      const decisions = await fixture.store.decisions({ channel: KEY })
      expect(decisions).toMatchObject([{ decision: 'keep', outcome: null, evidence: { codes: ['document'] } }])
    }
  })

  it('is never closed if only the read before the POST shows it, and the problem is recorded', async () => {
    const { fixture, detail } = await openPastDue()
    await fixture.pollRfqs()
    const text = withTwoDueDates(detail)
    const effect = { kind: 'text' as const, text, contentType: 'application/json' }
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 1, times: ALWAYS, effect })
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    expect(await problemsOf(fixture)).toEqual(['rfq duplicate responseDueDate'])
  })

  it('gets no second POST if the read after an inconclusive one shows it', async () => {
    const { fixture, detail } = await openPastDue()
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'closeRfq', times: ALWAYS, effect: { kind: 'status', status: 500 } })
    const effect = { kind: 'text' as const, text: withTwoDueDates(detail), contentType: 'application/json' }
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 2, times: ALWAYS, effect })
    await fixture.closeExpired()
    await runDay(fixture)
    expect(fixture.posts()).toHaveLength(1)
  })

  it('does not count as closed if the read after the POST has two states', async () => {
    const { fixture, detail } = await openPastDue()
    await fixture.pollRfqs()
    const text = detail.replace('"state":"open"', '"state":"open","state":"closed"')
    const effect = { kind: 'text' as const, text, contentType: 'application/json' }
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 2, times: ALWAYS, effect })
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    expect(await fixture.store.decisions({ channel: KEY })).toMatchObject([{ decision: 'close', outcome: 'failed' }])
  })

  it('is closed once the marketplace sends it in good order', async () => {
    const { fixture, detail } = await openPastDue()
    const fault = answerWith(fixture, 'readRfq', withTwoDueDates(detail))
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    fault.remove()
    fixture.advanceSeconds(60)
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is closed if that is only within a member, a number, or a response', async () => {
    const { fixture, detail, answer } = await openPastDue()
    const within = detail.replace(/"minVolume":[\d.]+/, '"minVolume":12345678901234567890,"extra":{"a":1,"a":2}')
    answerWith(fixture, 'readRfq', within)
    answerWith(fixture, 'readResponse', answer.replace('"status":', '"status":"rejected","status":'))
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })
})
