import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCliFixture } from './cli-fixture.js'

interface Finding {
  what: string
  ok: boolean
  found: string
  remedy: string
}
const findingIn = (out: string, what: string) => (JSON.parse(out) as Finding[]).find((each) => each.what === what)

describe('check of a database path that is', () => {
  it('a folder: says so, as every command does, and advises nothing about its permissions', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./shared\nweb: { port: 0 }\n' })
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o777)
    const message = `${shared} is a folder, but a file is needed: choose another path`
    for (const command of ['rfqs', 'sync', 'start', 'check']) {
      const { status, out, err } = await quotekeeper(command)
      expect([command, status, (out + err).replaceAll(/\s+/g, ' ')]).toEqual([
        command,
        1,
        expect.stringContaining(message),
      ])
    }
    const { out, err } = await quotekeeper('check', '--json')
    expect(findingIn(out, 'database')).toMatchObject({ ok: false, found: message, remedy: '' })
    expect(out + err).not.toContain(`chmod 600 ${shared}`)
    expect(statSync(shared).mode & 0o777).toBe(0o777)
  })

  it('another file: advises nothing about its permissions and leaves it as it is', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./run.py\n' })
    const script = join(folder, 'run.py')
    writeFileSync(
      script,
      '#!/usr/bin/env python3\nprint("a script that is longer than the header of a database")\n'.repeat(9),
    )
    chmodSync(script, 0o755)
    const before = readFileSync(script, 'utf8')
    const { status, out, err } = await quotekeeper('check', '--json')
    expect(status).toBe(1)
    expect(findingIn(out, 'database')).toMatchObject({ ok: false, found: expect.stringContaining('not a SQLite file') })
    expect(out + err).not.toContain(`chmod 600 ${script}`)
    expect(readFileSync(script, 'utf8')).toBe(before)
    expect(statSync(script).mode & 0o777).toBe(0o755)
  })
})
