import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROUNDS } from '../../helpers/long-tests.js'
import { createCliFixture, NOW } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 1, rfqs: 2, responsesPerRfq: 1 }]
const HOUR_MS = 3_600_000

describe('a marketplace that repeats the API key in its documents', () => {
  it('leaves no trace of it in the database, in any form, at any poll; the change is stored once', async () => {
    const fixture = await createCliFixture({ channels: CHANNELS })
    const { sandbox, quotekeeper, folder } = fixture
    const key = sandbox.keys.acme ?? ''
    expect(key.length).toBeGreaterThanOrEqual(16)
    const [first] = sandbox.world.channel(BLUE)?.rfqs ?? []
    const id = first?.terms.id ?? ''
    const [listing] = sandbox.world.channel(BLUE)?.listings ?? []
    const base64 = Buffer.from(`user:${key}`).toString('base64')
    sandbox.world.changeRfq(id, {
      title: `Key ${key}`,
      buyerDescription: `Basic ${base64}`,
      [`member ${key}`]: 1,
    } as never)
    sandbox.world.changeListing(listing?.id ?? '', { projectName: encodeURIComponent(`=${key}`).toLowerCase() })
    for (let round = 0; round < ROUNDS; round++) {
      sandbox.setClock(new Date(NOW.getTime() + round * HOUR_MS))
      expect(await quotekeeper('sync')).toMatchObject({ status: 0 })
    }
    const files = readdirSync(join(folder, 'data')).map((name) =>
      readFileSync(join(folder, 'data', name), 'latin1').toLowerCase(),
    )
    for (const form of [key, base64.slice(8, -4), key.slice(4)])
      for (const file of files) expect(file).not.toContain(form.toLowerCase())

    const { out } = await quotekeeper('changes', '--rfq', '1001', '--json')
    expect(JSON.parse(out).filter((change: { entity: string }) => change.entity === 'rfq')).toHaveLength(1)
    expect(out).toContain('Key [API key removed]')
    const problems = JSON.parse((await quotekeeper('problems', '--json')).out) as { code: string; kind: string }[]
    const kinds = problems.filter(({ code }) => code === 'api-key').map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['listing', 'rfq'])
    await quotekeeper('problems', '--replay')
    expect((await quotekeeper('problems', '--json')).out).toContain('api-key')
  })
})

it('a key written into the configuration is refused by every command that reads it, and not shown', async () => {
  const { quotekeeper, folder } = await createCliFixture({ channels: CHANNELS })
  const file = join(folder, 'quotekeeper.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('{ env: ACME_API_KEY }', 'sk_live_0123456789'))
  const commands = [
    'rfqs',
    'compare 1001',
    'listings --json',
    'changes --rfq 1001',
    'report 1001',
    'runs',
    'closings --verify',
    'problems',
    'export',
    'backup copy.db',
    'restore copy.db',
    'prune',
    'check',
    'sync',
    'close-expired',
    'start',
    'work',
  ]
  for (const command of commands) {
    const { status, out, err } = await quotekeeper(...command.split(' '))
    expect({ command, status, out }).toEqual({ command, status: 2, out: '' })
    expect(err, command).toContain('channels[0].apiKey (acme/blue)')
    expect(err, command).not.toContain('0123456789')
  }
})
