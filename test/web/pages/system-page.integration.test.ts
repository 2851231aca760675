import { expect, it } from 'vitest'
import { KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { notices, openPages, sendForm } from '../support/pages-fixture.js'
import { as, TOKENS } from '../support/web-server.js'

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
