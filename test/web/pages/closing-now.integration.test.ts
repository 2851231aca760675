import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JobStatus } from '../../../jobs/contract.js'
import { QueueUnavailableError } from '../../../jobs/errors.js'
import { stopFileOf } from '../../../src/closing/kill-switch.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { channelConfig } from '../../helpers/test-config.js'
import { notices, openPages, sendForm } from '../support/pages-fixture.js'

const page = (number: number | string) => `/rfqs/acme/forest/${number}/closing`

/** The newest decision, as a page shows it: `closed, closed`. */
const newestDecision = (body: string) => /<summary>[^<]*<strong>(.*?)<\/strong>/.exec(body)?.[1] ?? null

/** Two RFQs that are past due, 1042 and 1043. */
async function twoPastDue(): Promise<ChannelFixture & { ids: [string, string] }> {
  const fixture = await openChannelFixture()
  const [one, other] = [1042, 1043].map((number) =>
    fixture.sandbox.world.addRfq(CHANNEL, { number, responseDueDate: '2026-11-20' }),
  )
  await fixture.pollRfqs()
  return Object.assign(fixture, { ids: [one?.id ?? '', other?.id ?? ''] as [string, string] })
}

describe('closing now', () => {
  it('closes the RFQ whose number is typed and no other, says so, and names who asked', async () => {
    const fixture = await twoPastDue()
    const { app, log } = await openPages(fixture)
    const before = (await app.inject(page(1042))).body
    expect(before).toContain('its response due date 2026-11-20 has passed')
    expect(before).toContain('Type 1042 to confirm')
    const answer = await sendForm(app, page(1042), { confirm: ' 1042 ' })
    expect(answer.statusCode).toBe(303)
    const { location = '' } = answer.headers
    const shown = async () => notices((await app.inject(location)).body)
    await expect.poll(shown, { interval: 20 }).toEqual(['The closing round of acme/forest has ended. '])
    const after = await app.inject(location)
    expect([after.headers.refresh, newestDecision(after.body)]).toEqual([undefined, 'close, closed'])
    expect(after.body).not.toContain('to confirm')
    expect(after.body).toContain('a person, page local, for this RFQ only; autoClose: on')
    const again = await sendForm(app, page(1042), { confirm: '1042' })
    expect([again.statusCode, ...notices(again.body)]).toEqual([409, 'Nothing was closed. It is closed already.'])
    expect(fixture.posts().map(({ rfqId }) => rfqId)).toEqual([fixture.ids[0]])
    const decisions = await fixture.store.decisions({ channel: KEY })
    expect(decisions).toMatchObject([
      { rfqId: fixture.ids[0], outcome: 'closed', evidence: { startedBy: 'page local' } },
    ])
    expect(log.lines).toMatchObject([{ facts: { cause: 'page local', rfq: fixture.ids[0], outcome: 'complete' } }])
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ rfqId: fixture.ids[1], outcome: 'closed' }])
  })

  it('shows whether the job waits or runs, and reloads until it has ended', async () => {
    const fixture = await twoPastDue()
    const { app, runner } = await openPages(fixture)
    const shown = async (found: object | null | Error) => {
      runner.job = async () => {
        if (found instanceof Error) throw found
        const times = { addedAt: '2026-11-21T12:00:00.000Z', finishedAt: null }
        const payload = { channel: KEY, rfqId: fixture.ids[0], cause: '' }
        return (
          found &&
          ({ id: 'x', name: 'close-expired', payload, error: null, report: null, ...times, ...found } as JobStatus)
        )
      }
      const { statusCode, body, headers } = await app.inject(`${page(1042)}?job=x`)
      return [statusCode, headers.refresh, body.includes('Type 1042 to confirm'), ...notices(body)]
    }
    const again = 'This page reloads automatically.'
    for (const [state, text] of Object.entries({ waiting: 'is waiting for a worker', active: 'is running' }))
      expect(await shown({ state })).toEqual([200, '1', false, `The closing round of acme/forest ${text}. ${again}`])
    const unreachable = `The queue does not answer. ${again}`
    expect(await shown(new QueueUnavailableError('no response'))).toEqual([200, '1', false, unreachable])
    const ended = (message: string) => [200, undefined, true, expect.stringContaining(message)]
    expect(await shown({ state: 'failed', error: 'skipped: a pause' })).toEqual(ended('failed: skipped: a pause'))
    expect(await shown({ state: 'completed' })).toEqual(ended('The closing round of acme/forest has ended.'))
    expect(await shown(null)).toEqual(ended('The requested job is no longer in the queue.'))
    await runner.close(0)
    const answer = await sendForm(app, page(1042), { confirm: '1042' })
    expect([answer.statusCode, answer.body, fixture.posts()]).toEqual([
      503,
      expect.stringContaining('The queue does not answer; try again later.'),
      [],
    ])
  })

  it('never says that there is no decision when the round ends while the page is made', async () => {
    const fixture = await twoPastDue()
    const { app, runner } = await openPages(fixture)
    const { headers } = await sendForm(app, page(1042), { confirm: '1042' })
    const status = runner.job.bind(runner)
    // The queue answers when the round has ended.
    runner.job = async (job) => {
      await expect.poll(async () => (await status(job))?.state, { interval: 5 }).toBe('completed')
      return status(job)
    }
    expect(newestDecision((await app.inject(String(headers.location))).body)).toBe('close, closed')
  })

  it('answers what cannot be closed with the reason, and puts nothing on the queue', async () => {
    const fixture = await twoPastDue()
    const { world } = fixture.sandbox
    world.addRfq(CHANNEL, { number: 1044, responseDueDate: '2026-11-21' })
    await fixture.pollRfqs()
    const stopFile = stopFileOf(locationsOf(fixture.store))
    const channels = (autoClose: 'dry-run' | 'off') => [channelConfig(KEY, { autoClose })]
    const on = await openPages(fixture)
    const answer = async (number: number, fields: Record<string, string>, { app } = on, headers = {}) => {
      const { statusCode, body } = await sendForm(app, page(number), fields, headers)
      return `${statusCode} ${notices(body)[0] ?? body}`
    }
    expect(await answer(1042, { confirm: '1043' })).toBe(
      '400 Nothing was closed. "1043" was typed, but this is RFQ 1042.',
    )
    expect(await answer(1042, {})).toBe('400 Nothing was closed. Nothing was typed, but this is RFQ 1042.')
    expect(await answer(1044, { confirm: '1044' })).toMatch(
      /^409 Nothing was closed\. Its response due date 2026-11-21 has not passed/,
    )
    expect(await answer(7, { confirm: '7' })).toMatch(/^404 /)
    writeFileSync(stopFile, '')
    expect(await answer(1042, { confirm: '1042' })).toMatch(
      /^409 .*Closing is stopped, so nothing is closed: stop file .*closing\.stop exists/,
    )
    expect((await on.app.inject(page(1042))).body).not.toContain('to confirm')
    const held = 'Closing is stopped, so nothing is closed: stop file '
    const rfqPage = async (name: number) => (await on.app.inject(`/rfqs/acme/forest/${name}`)).body
    expect([(await rfqPage(1042)).includes(held), (await rfqPage(1044)).includes(held)]).toEqual([true, false])
    expect((await on.app.inject('/')).body).toContain(held)
    rmSync(stopFile)
    expect(await rfqPage(1042)).not.toContain(held)
    for (const mode of ['dry-run', 'off'] as const) {
      const pages = await openPages(fixture, { channels: channels(mode) })
      expect((await pages.app.inject(page(1042))).body).toContain(mode === 'off' ? 'Closing is off' : 'set to dry-run')
      expect(await answer(1042, { confirm: '1042' }, pages)).toMatch(/^409 .*needs autoClose: on\.$/)
    }
    expect([on.log.lines, fixture.posts()]).toEqual([[], []])
  })

  it('never closes another RFQ than the one named: not by an id, a number or a reference that several have', async () => {
    const fixture = await openChannelFixture()
    const add = (terms: object) =>
      fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20', ...terms } as never)
    const numbered = add({ number: 42, reference: 'A' })
    const identified = add({ id: '42', number: 7, reference: 'B' })
    const referenced = add({ number: 8, reference: '42' })
    const other = add({ number: 1042, reference: 'C' })
    await fixture.pollRfqs()
    const { app } = await openPages(fixture)
    for (const confirm of ['42', numbered.id, 'id:42', '']) {
      const refused = await sendForm(app, page(42), { confirm })
      expect(refused.statusCode).toBe(409)
      expect(refused.body).toContain('matches 3 RFQs; write id:…, number:… or reference:…')
    }
    const form = async (name: string) => {
      const { body } = await app.inject(page(name))
      return [/<form method="post" action="([^"]*)"/.exec(body)?.[1], /Type (.*?) to confirm/.exec(body)?.[1]]
    }
    expect(await form('number:42')).toEqual([page(`id:${numbered.id}`), `id:${numbered.id}`])
    expect(await form('reference:42')).toEqual([page(`id:${referenced.id}`), '8'])
    // What is typed must be the name of the RFQ of the form.
    for (const confirm of ['42', '7', other.id])
      expect((await sendForm(app, page(`id:${numbered.id}`), { confirm })).statusCode).toBe(400)
    // Another RFQ has got the number since the page was shown.
    const [action = ''] = await form('1042')
    add({ number: 1042 })
    fixture.advanceSeconds(600)
    await fixture.pollRfqs()
    expect((await sendForm(app, page(1042), { confirm: '1042' })).statusCode).toBe(409)
    expect((await sendForm(app, action, { confirm: '1042' })).statusCode).toBe(400)
    expect(fixture.posts()).toEqual([])
    const { headers } = await sendForm(app, page('number:42'), { confirm: `id:${numbered.id}` })
    const shown = async () => newestDecision((await app.inject(String(headers.location))).body)
    await expect.poll(shown, { interval: 20 }).toBe('close, closed')
    expect(fixture.posts().map(({ rfqId }) => rfqId)).toEqual([numbered.id])
    expect(fixture.sandbox.world.rfq(identified.id).state).toBe('open')
  })
})
