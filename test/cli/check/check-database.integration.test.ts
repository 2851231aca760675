import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

interface Finding {
  what: string
  ok: boolean
  found: string
  remedy: string
}
const findingIn = (out: string, what: string) => (JSON.parse(out) as Finding[]).find((each) => each.what === what)

describe('check of a database path that is', () => {
  it('a folder: says so, as every command does', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./shared\nweb: { port: 0 }\n' })
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    const message = `${shared} is a folder, but a file is needed: choose another path`
    for (const command of ['rfqs', 'sync', 'start', 'check']) {
      const { status, out, err } = await quotekeeper(command)
      expect([command, status, (out + err).replaceAll(/\s+/g, ' ')]).toEqual([
        command,
        1,
        expect.stringContaining(message),
      ])
    }
    const { out } = await quotekeeper('check', '--json')
    expect(findingIn(out, 'database')).toMatchObject({ ok: false, found: message, remedy: '' })
  })

  it('another file: leaves it as it is', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./run.py\n' })
    const script = join(folder, 'run.py')
    writeFileSync(
      script,
      '#!/usr/bin/env python3\nprint("a script that is longer than the header of a database")\n'.repeat(9),
    )
    chmodSync(script, 0o755)
    const before = readFileSync(script, 'utf8')
    const { status, out } = await quotekeeper('check', '--json')
    expect(status).toBe(1)
    expect(findingIn(out, 'database')).toMatchObject({ ok: false, found: expect.stringContaining('not a SQLite file') })
    expect(readFileSync(script, 'utf8')).toBe(before)
    expect(statSync(script).mode & 0o777).toBe(0o755)
  })
})

const everythingIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

describe('check before there is a database', () => {
  const DATABASE = 'database: ./new/folders/quotekeeper.db\n'

  it('creates nothing and says what will be created; every other check is that of an empty database', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: DATABASE })
    const before = everythingIn(folder)
    const { status, out } = await quotekeeper('check', '--json')
    expect(everythingIn(folder)).toEqual(before)
    expect(status).toBe(0)
    const path = join(folder, 'new/folders/quotekeeper.db')
    const found = `${path}: new; \`quotekeeper sync\` or \`quotekeeper start\` creates it`
    expect(findingIn(out, 'database')).toEqual({ what: 'database', ok: true, found, remedy: '' })
    expect(findingIn(out, 'closing')).toMatchObject({ ok: true, found: 'nothing needs attention' })
    expect(findingIn(out, 'reports')).toMatchObject({ ok: true, found: expect.stringContaining('reports: new;') })
    expect((await quotekeeper('rfqs')).err).toContain(`There is no database at ${path}`)
    await quotekeeper('sync')
    expect(findingIn((await quotekeeper('check', '--json')).out, 'database')?.found).toMatch(/: ok, /)
  })

  it('leaves an empty file empty, and so does a command that only reads', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./empty.db\n' })
    writeFileSync(join(folder, 'empty.db'), '')
    const before = everythingIn(folder)
    const { status, out } = await quotekeeper('check', '--json')
    expect([status, findingIn(out, 'database')?.found]).toEqual([0, expect.stringContaining('empty.db: new;')])
    const rfqs = await quotekeeper('rfqs')
    expect([rfqs.status, rfqs.err]).toEqual([1, expect.stringMatching(/There is no database at .*empty\.db/)])
    expect([everythingIn(folder), statSync(join(folder, 'empty.db')).size]).toEqual([before, 0])
    expect((await quotekeeper('sync')).status).toBe(0)
  })
})
