import { describe, expect, it } from 'vitest'
import { openChannelFixture } from '../../helpers/channel-fixture.js'
import { giveUp } from '../support/dead-letters.js'
import { openPages } from '../support/pages-fixture.js'

const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
const csrfOf = (body: string) => /name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''

describe('/notifications', () => {
  it('lists targets and what was not delivered, without secrets, and sends it again, one or all of a target', async () => {
    const fixture = await openChannelFixture()
    const [crm, mail] = await giveUp(fixture, ['crm', 'mail'])
    const { app } = await openPages(fixture)
    const today = (await app.inject('/')).body
    expect(today).toContain('2 notifications could not be sent and will not be tried again: 1 for crm, 1 for mail.')
    expect(today).toContain('href="/notifications?state=dead"')
    expect(today).toMatch(/>Notifications<span class="count"[^>]*><span [^>]*>, <\/span>2<span [^>]*> not sent</)
    const page = (await app.inject('/notifications')).body
    expect(page).toContain('HTTP 500: [secret]')
    expect(page).not.toContain('a secret')
    const rows = async (query: string) => (await app.inject(`/notifications?format=json&${query}`)).json()
    expect(await rows('state=dead')).toMatchObject([
      { id: mail, target: 'mail', state: 'dead', status: 500 },
      { id: crm, target: 'crm', kind: 'rfq.new', error: 'HTTP 500: [secret]' },
    ])
    expect(await rows('table=targets')).toMatchObject([{ target: 'crm', state: 'failing', dead: 1, pending: 0 }, {}])
    expect((await app.inject('/notifications?format=csv')).body).toContain('id,target,kind,')
    const send = async (fields: Record<string, string>) => {
      const payload = new URLSearchParams({ _csrf: csrfOf(page), ...fields }).toString()
      return app.inject({ method: 'POST', url: '/notifications', payload, headers: FORM })
    }
    expect((await send({ delivery: String(crm), _csrf: 'x' })).statusCode).toBe(403)
    expect(await rows('state=pending')).toEqual([])
    const answer = await send({ delivery: String(crm) })
    expect(answer).toMatchObject({ statusCode: 303, headers: { location: '/notifications?again=1' } })
    expect((await app.inject('/notifications?again=1')).body).toContain('1 notification will be sent again')
    expect(await rows('state=pending')).toMatchObject([{ id: crm, nextAt: null }])
    expect((await send({ target: 'mail' })).statusCode).toBe(303)
    expect(await rows('state=dead')).toEqual([])
    expect(page).toContain('Send everything again to')
    expect(await send({ target: 'crm', from: '1' })).toMatchObject({ headers: { location: '/notifications?again=1' } })
    for (const [fields, status] of [
      [{ delivery: '4711' }, 404],
      [{ target: 'nobody' }, 404],
      [{ delivery: '1 or 1' }, 400],
      [{ target: 'crm', from: '2' }, 404],
      [{ target: 'crm', from: 'x' }, 400],
      [{ delivery: '1', target: 'crm' }, 400],
      [{}, 400],
    ] as const)
      expect([fields, (await send(fields as Record<string, string>)).statusCode]).toEqual([fields, status])
    expect((await app.inject('/notifications?state=deda')).json().error).toMatch(/did you mean dead\?/)
    expect((await app.inject('/notifications?target=crn')).json().error).toMatch(/did you mean crm\?/)
  })

  it('has no buttons for viewers, nor for a target that is not configured any more', async () => {
    const fixture = await openChannelFixture()
    const [id = 0] = await giveUp(fixture, ['crm'])
    const tokens = [{ name: 'ana', role: 'viewer' as const, token: 'token of ana' }]
    const headers = { authorization: 'Bearer token of ana' }
    const { app } = await openPages(fixture, { tokens })
    expect((await app.inject({ url: '/notifications', headers })).body).not.toContain('Send again')
    const refused = await app.inject({
      method: 'POST',
      url: '/notifications',
      headers,
      payload: { delivery: String(id) },
    })
    expect(refused.statusCode).toBe(403)
    await fixture.store.setTargets([], fixture.now())
    const operator = (await openPages(fixture)).app
    const { body } = await operator.inject('/notifications')
    expect(body).not.toContain('Send again')
    expect(body).toContain('crm is not configured any more')
    // Nothing would send it, and the page would say that it is sent within seconds.
    for (const which of [{ ids: [id] }, { target: 'crm' }, {}, { from: 1 }])
      expect(await fixture.store.retryDeliveries(which, fixture.now())).toEqual([])
    expect(await fixture.store.deliveries({})).toMatchObject([{ id, state: 'dead' }])
  })
})
