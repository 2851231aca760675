import { expect, it } from 'vitest'
import { QueueUnavailableError } from '../../../jobs/errors.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { openPages } from '../support/pages-fixture.js'
import { notices, sendForm } from '../support/send-form.js'

const PAGE = `/channels/${KEY}`

it('a channel is polled from its page, for operators, and the page says when the poll has ended', async () => {
  const fixture = await openChannelFixture()
  const tokens = (['viewer', 'operator'] as const).map((role) => ({ name: role, role, token: `token of ${role}` }))
  const as = (name: string) => ({ authorization: `Bearer token of ${name}` })
  const { app, log, runner } = await openPages(fixture, { tokens })
  const get = (url: string, name = 'operator') => app.inject({ url, headers: as(name) })
  expect((await get(PAGE, 'viewer')).body).not.toContain('Poll the')
  expect((await sendForm(app, PAGE, { kind: 'rfqs' }, as('viewer'))).statusCode).toBe(403)
  expect((await get(PAGE)).body).toContain('Poll the RFQs now')
  for (let round = 0; round < ROUNDS; round++) {
    fixture.sandbox.world.addRfq(CHANNEL, { number: 2000 + round })
    fixture.advanceSeconds(60)
    const { statusCode, headers } = await sendForm(app, PAGE, { kind: 'rfqs' }, as('operator'))
    expect([statusCode, headers.location]).toEqual([303, expect.stringMatching(/^\/channels\/acme\/forest\?job=/)])
    const shown = async () => notices((await get(String(headers.location))).body)
    const ended = 'The poll of RFQs has ended; its result is in the list of runs.'
    await expect.poll(shown, { interval: 10 }).toEqual([ended])
    expect(await fixture.store.rfqs({ channel: KEY })).toHaveLength(round + 1)
  }
  expect(log.lines.at(-1)).toMatchObject({ facts: { channel: KEY, outcome: 'complete' } })
  expect((await sendForm(app, PAGE, { kind: 'offers' }, as('operator'))).statusCode).toBe(400)
  expect((await sendForm(app, '/channels/acme/peat', { kind: 'rfqs' }, as('operator'))).statusCode).toBe(404)

  const job = { id: 'x', name: 'poll-listings', payload: { channel: KEY, cause: '' }, error: null, result: null }
  const status = async (changes: object | null | Error) => {
    runner.job = async () => {
      if (changes instanceof Error) throw changes
      return changes && ({ ...job, addedAt: '', finishedAt: null, ...changes } as never)
    }
    const { headers, body } = await get(`${PAGE}?job=x`)
    return [headers.refresh, body.includes('Poll the'), ...notices(body)]
  }
  const again = 'This page reloads automatically.'
  expect(await status({ state: 'waiting' })).toEqual([
    '1',
    false,
    `The poll of listings is waiting for a worker. ${again}`,
  ])
  expect(await status({ state: 'active' })).toEqual(['1', false, `The poll of listings is running. ${again}`])
  const failed = { state: 'failed', error: 'skipped: another process polls' }
  expect(await status(failed)).toEqual([undefined, true, 'The poll of listings failed: skipped: another process polls'])
  expect(await status(null)).toEqual([undefined, true, 'The requested poll is no longer in the queue.'])
  expect((await status(new QueueUnavailableError('x')))[2]).toMatch(/^The queue does not answer/)
  for (const other of [{ name: 'close-expired' }, { payload: { channel: 'acme/peat', cause: '' } }])
    expect(await status({ state: 'active', ...other })).toEqual([undefined, true])
  runner.enqueue = async () => false
  const refused = await sendForm(app, PAGE, { kind: 'listings' }, as('operator'))
  expect([refused.statusCode, ...notices(refused.body)]).toEqual([
    409,
    'A poll of the listings waits already; it does what this one would.',
  ])
})
