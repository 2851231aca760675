import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

describe('report --open', () => {
  it.skipIf(process.platform !== 'linux')('opens the file, or says why it could not', async () => {
    const { quotekeeperWith, folder } = await createCliFixture()
    await quotekeeperWith({}, 'sync')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > ${folder}/opened\n`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const args = ['report', '1001', '--channel', 'acme/blue', '--open'] as const
    const { status, out } = await quotekeeperWith({ env: { PATH: bin } }, ...args)
    expect({ status, opened: readFileSync(join(folder, 'opened'), 'utf8') }).toEqual({ status: 0, opened: out.trim() })
    const failed = await quotekeeperWith({ env: { PATH: '/nowhere' } }, ...args)
    expect(failed).toMatchObject({ status: 1, err: expect.stringContaining('but not opened: xdg-open could not be') })
  })
})
