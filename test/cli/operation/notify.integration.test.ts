import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import { httpReceiver, SECRET } from '../../notify/outbox-fixture.js'
import { createCliFixture, NOW } from '../cli-fixture.js'

const CONFIG = `notify:
  targets:
    crm: { type: webhook, url: { file: crm.url }, secret: { file: crm.key } }
    team: { type: slack, url: { file: team.url } }
  routes:
    - { kinds: [offer.*, channel.first-poll], channels: [acme/forest], to: [crm] }
    - { to: [team] }
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
    expect(JSON.parse(server.accepted[0]?.body ?? '')).toMatchObject({ type: 'notify.test', channel: null })
    expect((await quotekeeper('notify', '--test', 'crm')).status).toBe(0)
    const unknown = await quotekeeper('notify', '--test', 'tam')
    expect(unknown).toMatchObject({ status: 2, err: expect.stringContaining('did you mean team?') })
  })
})

describe('notify', () => {
  it('lists what was not sent with the reason, sends it again when asked, and check warns of dead letters', async () => {
    const { quotekeeper, folder } = await notifyFixture()
    await quotekeeper('sync', '--only', 'rfqs', '--channel', 'acme/blue')
    const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
    await store.setTargets(['crm', 'team'], NOW)
    await store.recordEvent({ kind: 'close.refused', at: NOW, channel: 'acme/blue', data: {} })
    await store.routeEvents(() => ['team'], NOW)
    const claim = await store.claimMessage({ target: 'team', holder: 'test', maxEvents: 1, now: NOW })
    if (claim === null) throw new Error('nothing to claim')
    const later = new Date(NOW.getTime() + 60_000)
    const end = {
      kind: 'failed',
      because: 'target',
      status: 500,
      error: 'status 500',
      retryAt: later,
      deadBefore: later,
    } as const
    await store.endAttempt(claim, end, NOW)
    await store.close()

    const listed = await quotekeeper('notify')
    expect(listed.out).toMatch(/^1 .* close\.refused +acme\/blue +team +dead +1 .*status 500/m)
    expect(JSON.parse((await quotekeeper('notify', '--state', 'pending', '--json')).out)).toEqual([])
    const check = await quotekeeper('check')
    expect(check.out).toMatch(/notifications +warning/)
    expect(check.err).toContain('quotekeeper notify --retry all')
    expect((await quotekeeper('notify', '--retry', '7')).status).toBe(1)
    expect((await quotekeeper('notify', '--retry', 'x')).status).toBe(2)
    expect(await quotekeeper('notify', '--retry', 'all')).toMatchObject({
      status: 0,
      err: expect.stringContaining('1 notification'),
    })
    expect((await quotekeeper('notify')).out).toMatch(/ pending /)
    expect((await quotekeeper('notify', '--from', '3')).err).toContain('0 notifications')
    expect((await quotekeeper('notify', '--from', '2', '--target', 'team')).err).toContain('1 notification will')
    for (const wrong of [
      ['--from', 'x'],
      ['--from', '1', '--retry', 'all'],
      ['--retry', '1', '--target', 'team'],
    ])
      expect((await quotekeeper('notify', ...wrong)).status).toBe(2)
  })
})
