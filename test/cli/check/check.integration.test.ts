import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run } from '../../../src/cli/program.js'
import { exampleConfig } from '../../../src/config/example.js'
import { testFolder } from '../../helpers/test-folder.js'
import { testIo } from '../../helpers/test-io.js'
import { type CliFixture, createCliFixture, NOW } from '../cli-fixture.js'

interface Finding {
  what: string
  ok: boolean
  found: string
  remedy: string
}
const failuresIn = (out: string) => (JSON.parse(out) as Finding[]).filter(({ ok }) => !ok)
const occurrences = (text: string, part: string) => text.split(part).length - 1

/** Runs `check` in a folder of its own; by default on a terminal. */
async function checkWith(config: string, { terminal = true, stop = new AbortController().signal } = {}) {
  const folder = testFolder()
  writeFileSync(join(folder, 'quotekeeper.yaml'), config)
  const { io, written } = testIo({
    cwd: folder,
    env: { ACME_API_KEY: 'key-of-acme' },
    stop,
    ...(terminal ? { width: 120, stderrIsTerminal: true } : {}),
  })
  const status = run(['check'], io)
  return { written, ended: async () => ({ status: await status, ...written }) }
}

const configFor = (baseUrl: string, more = '') => `baseUrl: ${baseUrl}
channels:
  - { org: acme, channel: forest, apiKey: { env: ACME_API_KEY }, autoClose: on }
  - { org: acme, channel: blue, apiKey: { env: ACME_API_KEY }, autoClose: on }
web: { port: 0 }
${more}`

/** A server that accepts connections and never answers. */
async function silentServer() {
  let requests = 0
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => void requests++))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}

describe('check', () => {
  it('rejects the example baseUrl that init writes, without connecting to it', async () => {
    const { status, out, err } = await (await checkWith(exampleConfig())).ended()
    expect(status).toBe(1)
    expect(out).toMatch(/^configuration +FAILED .*baseUrl is still the example address/m)
    expect(out).toMatch(/^acme\/\S+ listings +FAILED +not checked: see configuration/m)
    expect(err).toContain('set baseUrl to the address of your marketplace')
  })

  it('reports an unreachable address once', async () => {
    const { status, out, err } = await (await checkWith(configFor('http://127.0.0.1:1'))).ended()
    expect(status).toBe(1)
    expect(occurrences(out + err, 'ECONNREFUSED')).toBe(1)
    expect(out).toMatch(/^acme\/blue RFQs +FAILED +not checked: see acme\/forest listings/m)
  })

  it('sends one request with its own deadline, whatever retries are configured', async () => {
    const { url, requests } = await silentServer()
    const more = 'requests: { retries: 5, timeoutMs: 1000 }\n'
    const { status, out } = await (await checkWith(configFor(url, more))).ended()
    expect(status).toBe(1)
    expect(out).toMatch(/^acme\/forest listings +FAILED/m)
    expect(out).toMatch(/^acme\/forest RFQs +FAILED +not checked: see acme\/forest listings/m)
    expect(out).toMatch(/^acme\/blue listings +FAILED +not checked: see acme\/forest listings/m)
    expect(requests()).toBe(1)
  })

  it('prints each row on a terminal as soon as it is known, and stops on a signal', async () => {
    const { url } = await silentServer()
    const controller = new AbortController()
    const { written, ended } = await checkWith(configFor(url), { stop: controller.signal })
    await expect.poll(() => written.out).toMatch(/^reports +ok/m)
    expect(written.out).not.toContain('acme/')
    controller.abort(Object.assign(new Error('stopped by SIGTERM'), { name: 'FailedError' }))
    expect((await ended()).status).toBe(1)
    expect(written.err).toContain('stopped by SIGTERM')
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
      { what: 'closing', found: expect.stringMatching(/^\d closes? needs? attention$/) },
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
