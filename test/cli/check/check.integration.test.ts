import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exampleConfig } from '../../../src/config/example.js'
import { type CliFixture, createCliFixture, NOW } from '../cli-fixture.js'

interface Finding {
  what: string
  ok: boolean
  found: string
  remedy: string
}
const findingIn = (out: string, what: string) => (JSON.parse(out) as Finding[]).find((each) => each.what === what)
const failuresIn = (out: string) => (JSON.parse(out) as Finding[]).filter(({ ok }) => !ok)
const TERMINAL = { width: 120, stderrIsTerminal: true }
const HANGS = { times: Infinity, effect: { kind: 'hang' } } as const

describe('check', () => {
  it('rejects the example baseUrl that init writes, without connecting to it', async () => {
    const { quotekeeperWith, folder } = await createCliFixture()
    writeFileSync(join(folder, 'quotekeeper.yaml'), exampleConfig())
    const { status, out, err } = await quotekeeperWith(TERMINAL, 'check')
    expect(status).toBe(1)
    expect(out).toMatch(/^configuration +FAILED .*baseUrl is still the example address/m)
    expect(out).toMatch(/^acme\/\S+ listings +FAILED +not checked: see configuration/m)
    expect(err).toContain('set baseUrl to the address of your marketplace')
  })

  it('reports an unreachable address once', async () => {
    const { quotekeeperWith, sandbox } = await createCliFixture()
    await sandbox.close()
    const { status, out, err } = await quotekeeperWith(TERMINAL, 'check')
    expect(status).toBe(1)
    expect((out + err).split('ECONNREFUSED')).toHaveLength(2)
    expect(out).toMatch(/^acme\/blue RFQs +FAILED +not checked: see acme\/forest listings/m)
  })

  it('sends one request with its own deadline, whatever retries are configured', async () => {
    const { quotekeeperWith, sandbox } = await createCliFixture({ more: 'requests: { retries: 5, timeoutMs: 1000 }' })
    sandbox.faults.add(HANGS)
    const { status, out } = await quotekeeperWith(TERMINAL, 'check')
    expect(status).toBe(1)
    expect(out).toMatch(/^acme\/forest listings +FAILED/m)
    expect(sandbox.requests).toHaveLength(1)
  })

  it('prints each row on a terminal as soon as it is known, and stops on a signal', async () => {
    const { quotekeeperWith, sandbox } = await createCliFixture()
    sandbox.faults.add(HANGS)
    const controller = new AbortController()
    const shown: string[] = []
    const print = { out: (text: string) => void shown.push(text) }
    const checking = quotekeeperWith({ ...TERMINAL, ...print, stop: controller.signal }, 'check')
    await expect.poll(() => shown.join('')).toMatch(/^reports +ok/m)
    expect(shown.join('')).not.toContain('acme/')
    controller.abort(Object.assign(new Error('stopped by SIGTERM'), { name: 'FailedError' }))
    expect(await checking).toMatchObject({ status: 1, err: expect.stringContaining('stopped by SIGTERM') })
  })

  it('reports each failure with a remedy', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ more: 'queue: redis://127.0.0.1:1\n' })
    delete sandbox.keys.acme
    const [{ status, out, err }, work] = await Promise.all([quotekeeper('check', '--json'), quotekeeper('work')])
    expect(status).toBe(1)
    const ofMarketplace = ['acme/forest', 'acme/blue'].flatMap((key) => [`${key} listings`, `${key} RFQs`])
    expect(failuresIn(out).map(({ what }) => what)).toEqual(['queue', ...ofMarketplace])
    expect(err).toContain('queue: in-process')
    expect(err).toContain('The API key is not accepted: correct or renew it')
    expect(err).not.toContain('bug in Quotekeeper')
    expect(err).not.toContain('ECONNREFUSED"')
    expect(work).toMatchObject({ status: 1, err: expect.stringContaining('redis://127.0.0.1:1') })
    expect(work.err).not.toContain('    at ')
  })

  it('fails on clock skew where RFQs would be closed, as closing would', async () => {
    const ahead = { now: () => new Date(NOW.getTime() + 600_000) }
    for (const autoClose of ['on', 'dry-run', 'off']) {
      const { quotekeeperWith } = await createCliFixture({ autoClose })
      const { status, out } = await quotekeeperWith(ahead, 'check', '--json')
      const failures = failuresIn(out)
      expect([autoClose, status, failures.map(({ what }) => what)]).toEqual(
        autoClose === 'off' ? ['off', 0, []] : [autoClose, 1, ['acme/forest RFQs', 'acme/blue RFQs']],
      )
      expect(out).toMatch(/the marketplace's clock is 59\d s behind ours \(limit 60 s\)/)
    }
  })

  it.each<[what: string, prepare: (fixture: CliFixture) => unknown, finding: object]>([
    [
      'a folder of reports that is a file',
      ({ folder }) => writeFileSync(join(folder, 'data/reports'), ''),
      { what: 'reports', found: expect.stringContaining('is a file') },
    ],
    [
      'a stop file',
      ({ folder }) => writeFileSync(join(folder, 'data/closing.stop'), ''),
      { what: 'closing', found: expect.stringContaining('closing.stop exists') },
    ],
    [
      'a refused close',
      async ({ sandbox, quotekeeper }) => {
        sandbox.faults.add({ operation: 'closeRfq', times: Infinity, effect: { kind: 'status', status: 400 } })
        await quotekeeper('close-expired')
      },
      { what: 'closing', found: expect.stringMatching(/^closing of acme\/forest: needs attention: 1 close/) },
    ],
  ])('fails on %s', async (_what, prepare, finding) => {
    const fixture = await createCliFixture()
    expect((await fixture.quotekeeper('check')).status).toBe(0)
    await prepare(fixture)
    const { status, out } = await fixture.quotekeeper('check', '--json')
    expect(status).toBe(1)
    expect(failuresIn(out)).toMatchObject([finding])
  })
})

describe('check of a database path that is', () => {
  it('a folder: says so, as every command does', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./shared\nweb: { port: 0 }\n' })
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    const message = `${shared} is a folder, but a file is needed: choose another path`
    for (const command of ['rfqs', 'sync', 'start', 'check']) {
      const { status, out, err } = await quotekeeper(command)
      expect([command, status]).toEqual([command, 1])
      expect((out + err).replaceAll(/\s+/g, ' ')).toContain(message)
    }
    const { out } = await quotekeeper('check', '--json')
    expect(findingIn(out, 'database')).toMatchObject({ ok: false, found: message, remedy: '' })
  })

  it('another file: leaves it as it is', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./run.py\n' })
    const script = join(folder, 'run.py')
    const before = '#!/usr/bin/env python3\nprint("longer than the header of a database")\n'.repeat(9)
    writeFileSync(script, before, { mode: 0o755 })
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
