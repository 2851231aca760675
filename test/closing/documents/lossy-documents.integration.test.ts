import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/marketplace/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'

const ALWAYS = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'
const HUGE = '12345678901234567890'

/** A channel with one RFQ past due and one response, as a marketplace in good order sends them. */
async function openPastDue() {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
  fixture.sandbox.world.addResponse(id)
  const detail = JSON.stringify((await fixture.session().readRfq(id)).value.body)
  const [entry] = (await fixture.session().listRfqs()).value
  const [response] = (JSON.parse(detail) as { responses: { id: string }[] }).responses
  const answer = JSON.stringify((await fixture.session().readResponse(id, response?.id ?? '')).value.body)
  return { fixture, id, detail, entry: JSON.stringify(entry?.body), answer }
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
const withHugeVolume = (text: string) => text.replace(/"minVolume":[\d.]+/, `"minVolume":${HUGE}`)
const withHugeExtra = (text: string) => text.replace('{', `{"extra":${HUGE},`)

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

async function problemsOf(fixture: ChannelFixture, codes: string[]) {
  const problems = await fixture.store.problems({ channel: KEY })
  return problems.filter(({ code }) => codes.includes(code)).map(({ kind, code, path }) => `${kind} ${code} ${path}`)
}
const LOSSES = ['duplicate-key', 'precision']

describe('an RFQ past due of which parsing loses something', () => {
  it('is closed by one POST without that', async () => {
    const { fixture } = await openPastDue()
    await runDay(fixture)
    expect(fixture.posts()).toHaveLength(1)
  })

  it.each<[string, (text: string) => string, string]>([
    ['two due dates', withTwoDueDates, 'rfq duplicate-key responseDueDate'],
    ['a volume that no double holds', withHugeVolume, 'rfq precision minVolume'],
  ])('(%s) is never closed, over a day, a restart and a replay', async (_title, change, problem) => {
    for (const start of ['at first', 'later']) {
      const { fixture, detail } = await openPastDue()
      if (start === 'later') await fixture.pollRfqs()
      expect(change(detail)).not.toBe(detail)
      answerWith(fixture, 'readRfq', change(detail))
      await runDay(fixture)
      expect(fixture.posts(), start).toEqual([])
      expect(await problemsOf(fixture, LOSSES)).toEqual([problem])
      expect(await fixture.store.rfqs({ channel: KEY })).toMatchObject([{ rfq: { valid: false } }])
    }
  })

  it('is never closed if only the fresh read shows it', async () => {
    const { fixture, detail } = await openPastDue()
    await fixture.pollRfqs()
    answerWith(fixture, 'readRfq', withTwoDueDates(detail))
    for (let round = 0; round < 6; round++) {
      await fixture.closeExpired()
      await fixture.reopenStore()
      fixture.advanceSeconds(4 * 3600)
    }
    expect(fixture.posts()).toEqual([])
    expect(await problemsOf(fixture, LOSSES)).toEqual(['rfq duplicate-key responseDueDate'])
    expect(await fixture.store.rfqs({ channel: KEY })).toMatchObject([{ rfq: { valid: false, version: 2 } }])
  })

  it('gets no second POST if the read after an inconclusive one shows it', async () => {
    const { fixture, detail } = await openPastDue()
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'closeRfq', times: ALWAYS, effect: { kind: 'status', status: 500 } })
    fixture.sandbox.faults.add({
      operation: 'readRfq',
      skip: 2,
      times: ALWAYS,
      effect: { kind: 'text', text: withTwoDueDates(detail), contentType: 'application/json' },
    })
    await fixture.closeExpired()
    await runDay(fixture)
    expect(fixture.posts()).toHaveLength(1)
  })

  it('is never closed if its list entry shows it', async () => {
    const { fixture, entry } = await openPastDue()
    answerWith(fixture, 'listRfqs', `{"items":[${withTwoDueDates(entry)}]}`)
    await runDay(fixture)
    expect(fixture.posts()).toEqual([])
    expect(await problemsOf(fixture, LOSSES)).toEqual(['rfq duplicate-key responseDueDate'])
  })

  it('is closed once the marketplace sends it in good order', async () => {
    const { fixture, detail } = await openPastDue()
    const fault = answerWith(fixture, 'readRfq', withTwoDueDates(detail))
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    fault.remove()
    fixture.advanceSeconds(60)
    await fixture.pollRfqs()
    expect(await fixture.store.rfqs({ channel: KEY })).toMatchObject([{ rfq: { valid: true, version: 2 } }])
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })

  it.each<[string, Operation, string]>([
    ['in a field that the API description does not have', 'readRfq', 'rfq precision extra'],
    ['in a response', 'readResponse', 'response duplicate-key status'],
  ])('%s is closed, with the problem recorded', async (_title, operation, problem) => {
    const { fixture, detail, answer } = await openPastDue()
    const lossy = answer.replace('"status":', '"status":"rejected","status":')
    const fault = answerWith(fixture, operation, operation === 'readRfq' ? withHugeExtra(detail) : lossy)
    await fixture.pollRfqs()
    expect(await problemsOf(fixture, LOSSES)).toEqual([problem])
    expect(await fixture.store.rfqs({ channel: KEY })).toMatchObject([
      { rfq: { valid: true }, responses: [{ valid: operation === 'readRfq' }] },
    ])
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    fault.remove()
  })
})
