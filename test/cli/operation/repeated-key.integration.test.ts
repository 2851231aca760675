import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 1, rfqs: 2, responsesPerRfq: 1 }]

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
