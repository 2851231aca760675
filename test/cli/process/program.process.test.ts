import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { openProcessFixture } from '../../helpers/servers/process-fixture.js'
import { testFolder } from '../../helpers/test-folder.js'

const root = join(import.meta.dirname, '../../..')
/** The program as built by `npm run build`. */
const main = join(root, 'dist/src/cli/main.js')

/** A polled channel, and shell scripts in which `"$0" "$1"` is the program. */
async function polledFixture() {
  const fixture = await openProcessFixture({ rfqs: 12 })
  expect(await fixture.run('sync')).toMatchObject({ status: 0 })
  const shell = (script: string) => ['-c', script, process.execPath, main]
  const options = { cwd: fixture.folder }
  return { ...fixture, shell, options }
}

const until = (condition: () => boolean) => eventually(() => expect(condition()).toBe(true), 20)

describe('the program as a process', () => {
  it.each(['--help', '--version'])('prints %s without loading any package but commander', (flag) => {
    const coverage = testFolder()
    const { status } = spawnSync(process.execPath, [main, flag], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
    })
    expect(status).toBe(0)
    const [file] = readdirSync(coverage) as [string]
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }
    const loaded = result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
    const packages = loaded.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
    expect([...new Set(packages)]).toEqual(['commander'])
    expect(loaded.length).toBeLessThan(40)
  })

  it('exits with 0 when the reader closes the pipe', async () => {
    const { run, shell, options } = await polledFixture()
    const { status, out } = await run('export')
    expect(status).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(3 + 12 + 12 + 24)
    const script = `{ "$0" "$1" export; echo "status $?" >&2; } | head -n 1`
    const cut = spawnSync('sh', shell(script), { ...options, encoding: 'utf8' })
    expect(cut.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(cut.stderr).toBe('status 0\n')
  })

  it('hands over all of its output to a reader that takes it after the work is done', async () => {
    const { run, shell, options } = await polledFixture()
    const { out } = await run('rfqs')
    // The pipe is full before the program writes, and nothing is read before its last note is on stderr.
    const script = `{ head -c 65536 /dev/zero; "$0" "$1" rfqs; } | { read -r _ <&3; tail -c +65537; }`
    const pipeline = spawn('sh', shell(script), { ...options, stdio: Array(4).fill('pipe') })
    await once(pipeline.stderr, 'data')
    ;(pipeline.stdio[3] as Writable).end('\n')
    expect(await text(pipeline.stdout)).toBe(out)
  })

  it.skipIf(!existsSync('/dev/full'))('fails if a file does not take its whole output', async () => {
    const { shell, options } = await polledFixture()
    for (const command of ['rfqs --json', 'rfqs', 'export']) {
      const { status, stderr } = spawnSync('sh', shell(`"$0" "$1" ${command} > /dev/full`), options)
      expect({ command, status, stderr: String(stderr) }).toEqual({
        ...{ command, status: 1, stderr: expect.stringContaining('no space left on the disk') },
      })
    }
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s while the marketplace hangs', async (signal) => {
    const { sandbox, start } = await openProcessFixture()
    sandbox.faults.add({ operation: 'listListings', times: Infinity, effect: { kind: 'delay', ms: 60_000 } })
    const check = start(['check'])
    await until(() => sandbox.requests.some(({ operation }) => operation === 'listListings'))
    check.signal(signal)
    expect(await check.ended).toBe('exit 1')
    expect(check.err).toContain(`stopped by ${signal}`)
  })
})

const processesOf = (folder: string) => {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(folder))
}

const folderOf = (out: string) => /--config (\S+)\/quotekeeper\.yaml/.exec(out)?.[1] as string

describe('the demo', () => {
  it('keeps running until Ctrl-C, prints events, and lets other commands read its database', async () => {
    const { folder, start } = await openProcessFixture()
    const demo = start(['demo'], { TMPDIR: folder })
    await eventually(() => expect(demo.out).toMatch(/ quotekeeper +rfqs of \S+: complete, /), 20)
    const options = { cwd: folderOf(demo.out), encoding: 'utf8' } as const
    const rfqs = spawnSync(process.execPath, [main, 'rfqs', '--json'], options)
    expect(JSON.parse(rfqs.stdout).length).toBeGreaterThan(20)
    const report = spawnSync(process.execPath, [main, 'report', '1004', '--channel', 'acme/forest'], options)
    expect(report.status).toBe(0)
    demo.signal('SIGINT')
    expect(await demo.ended).toBe('exit 0')
    expect(demo.out).toContain('delete it when you are done')
    await until(() => processesOf(folder).length === 0)
  })
})

it('npm run demo -- --once ends after one round, on a PATH without any Redis', () => {
  const [temporary, bin] = [testFolder(), testFolder()]
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim()
  for (const path of ['/bin/sh', '/bin/cat', process.execPath, npm]) symlinkSync(path, join(bin, basename(path)))
  // In this checkout: `npm test` has just built it, so that building it again writes nothing that other tests read.
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'demo', '--', '--once'], {
    ...{ cwd: root, encoding: 'utf8', timeout: 240_000 },
    env: { ...process.env, NO_COLOR: '1', PATH: bin, TMPDIR: temporary },
  })
  expect(status).toBe(0)
  expect(stdout).toMatch(/a read shows\s+state closed/)
  const workbooks = stdout.match(/\/\S+\.xlsx\b/g) ?? []
  expect(workbooks.map((path) => existsSync(path))).toEqual([true])
  expect(statSync(folderOf(stdout)).mode & 0o777).toBe(0o700)
  expect(readdirSync(temporary)).toHaveLength(1)
})
