import { expect, it } from 'vitest'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { refuseEvent } from '../../helpers/store/refuse-event.js'
import { openPages } from '../support/pages-fixture.js'
import { notices, sendForm } from '../support/send-form.js'
import { as, TOKENS } from '../support/users.js'

it('/system › shows channels, the newest runs, targets and problems, and has all in files', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { number: 1042 })
  fixture.sandbox.world.changeRfq(id, { minVolume: 'many' as never })
  for (let round = 0; round < 21; round++) {
    fixture.sandbox.world.changeRfq(id, { title: `Round ${round}` })
    await fixture.pollRfqs()
    fixture.advanceSeconds(60)
  }
  await refuseEvent(fixture, ['crm', 'mail'])
  const { app } = await openPages(fixture)
  const { body } = await app.inject('/system')
  expect(body).toContain('21 in all')
  expect(body.match(/>complete</g)).toHaveLength(20)
  const rows = async (table: string) => (await app.inject(`/system?format=json&table=${table}`)).json()
  expect(await rows('runs')).toHaveLength(21)
  expect(await rows('channels')).toMatchObject([{ channel: KEY, open: 1, rfqsAt: '2026-11-21T12:20:00.000Z' }])
  const error = 'HTTP 422: a secret'
  expect(await rows('targets')).toMatchObject([{ target: 'crm', state: 'works', passedOver: 1, error }, {}])
  expect(await rows('problems')).toMatchObject([{ kind: 'rfq', path: expect.stringContaining('minVolume') }])
})

it('/system › polls a channel now, for operators, and says what became of the poll', async () => {
  const fixture = await openChannelFixture({ rfqs: 1 })
  const { app, runner } = await openPages(fixture, { tokens: TOKENS })
  const get = (url: string, name = 'omar') => app.inject({ url, headers: as(name) })
  const poll = (fields: Record<string, string>, name = 'omar') => sendForm(app, '/system', fields, as(name))
  const wanted = { channel: KEY, kind: 'rfqs' }
  expect((await get('/system', 'ana')).body).not.toContain('Poll RFQs')
  expect((await poll(wanted, 'ana')).statusCode).toBe(403)
  expect((await get('/system')).body).toContain('Poll RFQs')
  const { statusCode, headers } = await poll(wanted)
  expect(statusCode).toBe(303)
  const shown = async () => notices((await get(String(headers.location))).body)
  await expect.poll(shown, { interval: 10 }).toEqual(['The poll of RFQs of acme/forest has ended. '])
  expect(await fixture.store.rfqs({ channel: KEY })).toHaveLength(1)
  expect((await poll({ ...wanted, kind: 'offers' })).statusCode).toBe(400)
  expect((await poll({ ...wanted, channel: 'acme/peat' })).statusCode).toBe(404)

  runner.enqueue = async () => null
  const refused = await poll(wanted)
  expect([refused.statusCode, ...notices(refused.body)]).toEqual([
    409,
    'A poll of the RFQs of acme/forest waits or runs already.',
  ])
})
