import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run as runHere } from '../../../src/cli/program.js'
import { createWorld, type Sandbox, startSandbox } from '../../../src/sandbox/index.js'
import { eventually } from '../../helpers/eventually.js'
import { testFolder } from '../../helpers/test-folder.js'
import { testIo } from '../../helpers/test-io.js'

const root = join(import.meta.dirname, '../../..')
/** The program as built by `npm run build`. */
const main = join(root, 'dist/src/cli/main.js')

interface ExitResult {
  status: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

/** The program running as a child process. */
class Program {
  readonly child: ChildProcess
  out = ''
  err = ''
  readonly exited: Promise<ExitResult>
  constructor(args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env }
    this.child = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (text) => (this.out += text))
    this.child.stderr?.on('data', (text) => (this.err += text))
    this.exited = new Promise((resolve) =>
      this.child.once('close', (status, signal) => resolve({ status, signal, out: this.out, err: this.err })),
    )
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  /** Waits until its output contains a text. */
  async waitForOutput(message: RegExp | string): Promise<void> {
    await eventually(() => expect(this.out + this.err).toMatch(message), 20)
  }
}

interface Fixture {
  folder: string
  sandbox: Sandbox
  start(...args: string[]): Program
  run(...args: string[]): Promise<ExitResult>
  /** Runs a command in this process. */
  runHere(...args: string[]): Promise<{ status: number; out: string; err: string }>
}

async function createFixture(more = ''): Promise<Fixture> {
  const folder = testFolder()
  const channel = { org: 'acme', channel: 'forest', apiKey: 'key-of-acme', listings: 3, rfqs: 12, responsesPerRfq: 3 }
  const sandbox = await startSandbox({
    world: createWorld({ seed: 3, now: new Date(), still: true, channels: [channel] }),
  })
  onTestFinished(() => sandbox.close().catch(() => undefined))
  const config = `baseUrl: ${sandbox.url}
channels: [{ org: acme, channel: forest, apiKey: { env: KEY }, autoClose: on }]
requests: { concurrency: 2, perSecond: 1000, retries: 0 }
web: { port: 0 }
${more}`
  writeFileSync(join(folder, 'quotekeeper.yaml'), config)
  writeFileSync(join(folder, '.env'), 'KEY=key-of-acme\n')
  const start = (...args: string[]) => new Program(args, { cwd: folder })
  const runInProcess = async (...args: string[]) => {
    const { io, written } = testIo({ cwd: folder })
    return { status: await runHere(args, io), ...written }
  }
  return { folder, sandbox, start, run: (...args) => start(...args).exited, runHere: runInProcess }
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
    const { runHere, folder } = await createFixture()
    await runHere('sync')
    const { status, out } = await runHere('export')
    expect(status).toBe(0)
    expect(out.trimEnd().split('\n')).toHaveLength(3 + 12 + 12 + 36)
    const cut = spawnSync(
      'sh',
      ['-c', `{ "$0" "$1" export; echo "status $?" >&2; } | head -n 1`, process.execPath, main],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    expect(cut.stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(cut.stderr).toBe('status 0\n')
  })

  it('hands over all of its output to a reader that takes it after the work is done', async () => {
    const { runHere, folder } = await createFixture()
    await runHere('sync')
    const { out } = await runHere('rfqs')
    // The pipe is full before the program writes, and nothing is read before its last note is on stderr.
    const script = `{ head -c 65536 /dev/zero; "$0" "$1" rfqs; } | { read -r _ <&3; tail -c +65537; }`
    const pipeline = spawn('sh', ['-c', script, process.execPath, main], { cwd: folder, stdio: Array(4).fill('pipe') })
    await once(pipeline.stderr, 'data')
    ;(pipeline.stdio[3] as Writable).end('\n')
    expect(await text(pipeline.stdout)).toBe(out)
  })

  it.skipIf(!existsSync('/dev/full'))('fails if a file does not take its whole output', async () => {
    const { runHere, folder } = await createFixture()
    await runHere('sync')
    for (const command of ['rfqs --json', 'rfqs', 'export']) {
      const script = `"$0" "$1" ${command} > /dev/full`
      const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, main], { cwd: folder })
      expect({ command, status, stderr: String(stderr) }).toEqual({
        ...{ command, status: 1, stderr: expect.stringContaining('no space left on the disk') },
      })
    }
  })
})

describe('Ctrl-C', () => {
  it('stops a demo during its first round', async () => {
    const folder = testFolder()
    const demo = new Program(['demo'], { cwd: folder, env: { TMPDIR: folder } })
    await demo.waitForOutput('1. Polling')
    demo.child.kill('SIGINT')
    const { status, err } = await demo.exited
    expect({ status, err }).toEqual({ status: 0, err: expect.stringMatching(/^\n?Stopping\./m) })
  })
})

describe('start', () => {
  it.skipIf(!existsSync('/proc/self'))('ends, as sync does, for a database path that cannot be created', async () => {
    const { run, runHere } = await createFixture('database: /proc/quotekeeper/quotekeeper.db\n')
    for (const ended of [run('start'), runHere('sync')]) {
      const { status, out, err } = await ended
      expect(status).toBe(1)
      expect(out + err).toContain('the folder /proc/quotekeeper cannot be created there')
    }
  })

  it('logs its address, is ready after the first polls, and stops with 0', async () => {
    const { start } = await createFixture()
    const service = start('start')
    await service.waitForOutput('quotekeeper started')
    const url = /"url":"([^"]+)"/.exec(service.out)?.[1] as string
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await until(() => service.out.split(': complete').length > 2)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(service.out).not.toContain('key-of-acme')
    service.child.kill('SIGINT')
    expect((await service.exited).status).toBe(0)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })
})

describe('check', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s while the marketplace hangs', async (signal) => {
    const { sandbox, start } = await createFixture()
    sandbox.faults.add({ operation: 'listListings', times: Infinity, effect: { kind: 'delay', ms: 60_000 } })
    const program = start('check')
    await until(() => sandbox.requests.some(({ operation }) => operation === 'listListings'))
    program.child.kill(signal)
    const { status, err } = await program.exited
    expect(status).toBe(1)
    expect(err).toContain(`stopped by ${signal}`)
  })
})

describe('work', () => {
  it('rejects an in-process queue', async () => {
    const { runHere } = await createFixture()
    const { status, err } = await runHere('work')
    expect(status).toBe(2)
    expect(err).toContain('queue: in-process')
  })
})

const processesOf = (folder: string) => {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(folder))
}

const folderOf = (out: string) => /--config (\S+)\/quotekeeper\.yaml/.exec(out)?.[1] as string

describe('the demo', () => {
  it('keeps running until Ctrl-C, prints events, and lets other commands read its database', async () => {
    const folder = testFolder()
    const demo = new Program(['demo'], { cwd: folder, env: { TMPDIR: folder } })
    await demo.waitForOutput(/ quotekeeper +rfqs of \S+: complete, /)
    const config = join(folderOf(demo.out), 'quotekeeper.yaml')
    const rfqs = await new Program(['--config', config, 'rfqs', '--json'], { cwd: folder }).exited
    expect(JSON.parse(rfqs.out).length).toBeGreaterThan(20)
    const report = await new Program(['--config', config, 'report', '1004', '--channel', 'acme/forest'], {
      cwd: folder,
    }).exited
    expect(report.status).toBe(0)
    demo.child.kill('SIGINT')
    const { status, out } = await demo.exited
    expect(status).toBe(0)
    expect(out).toContain('delete it when you are done')
    await until(() => processesOf(folder).length === 0)
  })
})

describe('README commands', () => {
  /** In this checkout: `npm test` has just built it, so that building it again writes nothing that other tests read. */
  const npm = (args: string[], env: NodeJS.ProcessEnv) =>
    spawnSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', ...env },
      timeout: 240_000,
    })
  /** A PATH with what npm needs and without any Redis. */
  const bareBin = () => {
    const folder = testFolder()
    const npmPath = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim()
    for (const path of ['/bin/sh', '/bin/cat', process.execPath, npmPath]) {
      symlinkSync(path, join(folder, basename(path)))
    }
    return folder
  }
  const pathsIn = (out: string) => out.match(/\/\S+\.xlsx\b/g) ?? []

  it('npm run demo -- --once ends after one round', async () => {
    const temporary = testFolder()
    const { status, stdout } = npm(['run', '--silent', 'demo', '--', '--once'], {
      PATH: bareBin(),
      TMPDIR: temporary,
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/a read shows\s+state closed/)
    expect(pathsIn(stdout)).toHaveLength(1)
    expect(pathsIn(stdout).filter((path) => !existsSync(path))).toEqual([])
    expect(statSync(folderOf(stdout)).mode & 0o777).toBe(0o700)
    expect(readdirSync(temporary)).toHaveLength(1)
  })
})
