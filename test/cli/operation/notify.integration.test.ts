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
    expect(out).toMatch(/crm +webhook +ok +sent/)
    expect(out).toMatch(/team +slack +FAILED +status 403: no team at \[secret\]/)
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
    expect(listed.out).toMatch(/1 +team +close\.refused +acme\/blue +dead letter +1 .*\n +Last error: status 500/)
    expect(listed.err).toContain('0 to be sent, 1 dead letter')
    const json = JSON.parse((await quotekeeper('notify', '--json')).out)
    expect(json.targets).toEqual([
      expect.objectContaining({ target: 'crm', failures: 0, dead: 0 }),
      expect.objectContaining({ target: 'team', failures: 1, dead: 1 }),
    ])
    const check = await quotekeeper('check')
    expect(check.out).toMatch(/notifications +warning/)
    expect(check.err).toContain('quotekeeper notify --retry all')
    expect((await quotekeeper('notify', '--retry', '7')).status).toBe(1)
    expect((await quotekeeper('notify', '--retry', 'x')).status).toBe(2)
    expect(await quotekeeper('notify', '--retry', 'all')).toMatchObject({
      status: 0,
      err: expect.stringContaining('1 notification'),
    })
    expect((await quotekeeper('notify')).out).toMatch(/to be sent/)
    expect((await quotekeeper('notify', '--from', '3')).err).toContain('0 notifications')
    expect((await quotekeeper('notify', '--from', '2', '--target', 'team')).err).toContain('1 notification will')
    for (const wrong of [
      ['--from', 'x'],
      ['--from', '1', '--retry', 'all'],
      ['--retry', '1', '--target', 'team'],
    ])
      expect((await quotekeeper('notify', ...wrong)).status).toBe(2)
  })

  it('shows what waits for a target that fails in one row, and when it is tried next', async () => {
    const { quotekeeper, folder } = await notifyFixture()
    await quotekeeper('sync', '--only', 'rfqs', '--channel', 'acme/blue')
    const store = await openStore({ path: join(folder, 'data/quotekeeper.db') })
    await store.setTargets(['crm', 'team'], NOW)
    for (const kind of ['close.refused', 'close.refused', 'close.blocked', 'close.blocked'] as const)
      await store.recordEvent({ kind, at: NOW, channel: 'acme/blue', data: {} })
    await store.routeEvents(({ kind }) => (kind === 'close.blocked' ? ['team'] : ['team', 'crm']), NOW)
    const failed = { kind: 'failed', retryAt: new Date(NOW.getTime() + 3_600_000), deadBefore: new Date(0) } as const
    for (const [because, status] of [
      ['message', 422],
      ['target', 503],
    ] as const) {
      const claim = await store.claimMessage({ target: 'team', holder: 'test', maxEvents: 1, now: NOW })
      if (claim === null) throw new Error('nothing to claim')
      await store.endAttempt(claim, { ...failed, because, status, error: `status ${status}` }, NOW)
    }
    await store.close()

    const { out, err } = await quotekeeper('notify')
    const rows = out
      .replace(/\n +Last error:/g, '')
      .split('\n')
      .slice(2, -1)
      .map((row) => row.replace(/ +/g, ' ').trim())
    expect(out).toMatch(/Next try \(UTC\)/)
    expect(rows).toHaveLength(4)
    expect(rows.filter((row) => / crm .*to be sent at once/.test(row))).toHaveLength(2)
    expect(rows).toContainEqual(
      expect.stringMatching(/ team close\.refused acme\/blue to be sent 2026-03-10 10:30 .*422/),
    )
    expect(rows).toContainEqual(expect.stringMatching(/ team several acme\/blue 3 to be sent 2026-03-10 10:30 .*503/))
    expect(err).toContain('6 to be sent')
    expect(JSON.parse((await quotekeeper('notify', '--json')).out).deliveries).toHaveLength(6)
  })
})
