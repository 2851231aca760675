import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import { httpReceiver } from '../../helpers/servers/http-receiver.js'
import { refuseEvent } from '../../helpers/store/refuse-event.js'
import { SECRET } from '../../notify/feed-fixture.js'
import { createCliFixture, NOW } from '../cli-fixture.js'

const CONFIG = `notify:
  targets:
    crm: { type: webhook, url: { file: crm.url }, secret: { file: crm.key }, kinds: [offer.*], channels: [acme/forest] }
    team: { type: slack, url: { file: team.url } }
`

async function notifyFixture(status = 204) {
  const server = await httpReceiver(({ path }) => ({
    status: path === '/in' ? 204 : status,
    body: `no team at ${path}`,
  }))
  const fixture = await createCliFixture({ more: CONFIG, hasDatabase: false })
  writeFileSync(join(fixture.folder, 'crm.key'), SECRET)
  writeFileSync(join(fixture.folder, 'crm.url'), server.url)
  writeFileSync(join(fixture.folder, 'team.url'), `${server.url}/T0/hush-hush`)
  return { ...fixture, server }
}

describe('notify --test', () => {
  it('sends a test to each target, says what happened, and exits with 1 if one failed', async () => {
    const { quotekeeper, server } = await notifyFixture(403)
    const before = await quotekeeper('notify')
    expect(before.err).toContain('There is no database')
    await quotekeeper('sync', '--only', 'listings', '--channel', 'acme/blue')
    const { status, out, err } = await quotekeeper('notify', '--test')
    expect({ status, requests: server.requests.length }).toEqual({ status: 1, requests: 2 })
    expect(out).toContain('crm (webhook): sent')
    expect(out).toContain('team (slack): status 403: no team at [secret]')
    expect(out + err).not.toContain('hush-hush')
    const json = await quotekeeper('notify', '--test', 'team', '--json')
    expect(json.out + json.err).not.toContain('hush-hush')
    expect(JSON.parse(server.accepted[0]?.body ?? '')).toMatchObject({
      events: [{ type: 'notify.test', channel: null }],
    })
    expect((await quotekeeper('notify', '--test', 'crm')).status).toBe(0)
    const unknown = await quotekeeper('notify', '--test', 'tam')
    expect(unknown).toMatchObject({ status: 2, err: expect.stringContaining('did you mean team?') })
  })
})

describe('notify', () => {
  it('lists the targets with what they never got, and sets a position when asked', async () => {
    const { quotekeeper, folder } = await notifyFixture()
    await quotekeeper('sync', '--only', 'rfqs', '--channel', 'acme/blue')
    const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
    const sequence = await refuseEvent({ store, now: () => NOW }, ['team'])
    await store.close()

    expect((await quotekeeper('notify')).out).toMatch(/^team .* 1 .*HTTP 422/m)
    expect((await quotekeeper('today')).out).toMatch(/Notifications: 1 event could not be sent to team,/)
    expect(await quotekeeper('notify', '--target', 'team', '--from', `${sequence}`)).toMatchObject({
      status: 0,
      err: expect.stringContaining(`everything from event ${sequence} on`),
    })
    expect(JSON.parse((await quotekeeper('notify', '--json')).out)).toMatchObject([
      { target: 'team', position: sequence - 1, waiting: 1, passedOver: 0 },
    ])
    expect(await quotekeeper('notify', '--target', 'tem', '--from', '1')).toMatchObject({
      status: 1,
      err: expect.stringContaining('did you mean team?'),
    })
    for (const wrong of [
      ['--from', 'x', '--target', 'team'],
      ['--from', '1'],
      ['--from', '1', '--target', 'team', '--test'],
    ])
      expect((await quotekeeper('notify', ...wrong)).status).toBe(2)
  })
})
