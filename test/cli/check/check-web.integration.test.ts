import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { type CliFixture, createCliFixture } from '../cli-fixture.js'

interface Finding {
  what: string
  ok: boolean
  found: string
  remedy: string
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function webFinding({ quotekeeper }: Pick<CliFixture, 'quotekeeper'>) {
  const { status, out } = await quotekeeper('check', '--json')
  return { status, ...(JSON.parse(out) as Finding[]).find(({ what }) => what === 'web') }
}

/** Runs `start` until the test ends, or until it is stopped. */
async function startService({ quotekeeperWith }: CliFixture) {
  const controller = new AbortController()
  let log = ''
  const out = (text: string) => {
    log += text
  }
  const ended = quotekeeperWith({ stop: controller.signal, out }, 'start')
  const stop = async () => {
    controller.abort(new Error('stopped'))
    return (await ended).status
  }
  onTestFinished(async () => void (await stop()))
  await eventually(() => expect(log).toContain('quotekeeper started'))
  return { stop }
}

describe('check of the web server', () => {
  it('passes if the port is free, and leaves it free', async () => {
    const port = await freePort()
    const fixture = await createCliFixture({ more: `web: { port: ${port} }\n` })
    for (let round = 0; round < 2; round++)
      expect(await webFinding(fixture)).toMatchObject({ status: 0, found: `port ${port} of 127.0.0.1 is free` })
    const { stop } = await startService(fixture)
    expect(await stop()).toBe(0)
  })

  it.each([
    ['closes every connection', () => createServer((socket) => socket.destroy())],
    ['answers like a service of no database', () => createHttpServer((_, reply) => reply.end('{"status":"ok"}\n'))],
  ])('fails with the message of start if the port is used by a program that %s', async (_what, create) => {
    const port = await listen(create() as Server)
    const fixture = await createCliFixture({ more: `web: { port: ${port} }\n` })
    const found = `port ${port} of 127.0.0.1 is in use; stop the other program, or choose another port (for start: web.port in the configuration; for work: --port)`
    expect(await webFinding(fixture)).toEqual({ status: 1, what: 'web', ok: false, found, remedy: '' })
    expect((await fixture.quotekeeper('start')).err).toContain(found)
  })

  it('fails if the host is not an address of this machine, as start does', async () => {
    const fixture = await createCliFixture({ more: 'web: { host: 203.0.113.7, token: { file: token } }\n' })
    writeFileSync(`${fixture.folder}/token`, 'a token for tests', { mode: 0o600 })
    const found = '203.0.113.7 is not an address of this machine; correct web.host in the configuration'
    expect(await webFinding(fixture)).toMatchObject({ status: 1, ok: false, found })
    expect((await fixture.quotekeeper('start')).err).toContain(found)
  })

  it.each(['127.0.0.1', '0.0.0.0'])('passes if the service of this database listens on %s', async (host) => {
    const port = await freePort()
    const more = `web: { host: ${host}, port: ${port}, token: { file: token } }\n`
    const [own, other] = [
      await createCliFixture({ more, hasDatabase: false }),
      await createCliFixture({ more, hasDatabase: false }),
    ]
    for (const { folder } of [own, other]) writeFileSync(`${folder}/token`, 'a token for tests', { mode: 0o600 })
    const { stop } = await startService(own)
    const found = `port ${port} of ${host}: the service of this database is running there`
    expect(await webFinding(own)).toMatchObject({ status: 0, ok: true, found })
    await other.quotekeeper('sync')
    expect(await webFinding(other)).toMatchObject({ status: 1, ok: false, found: expect.stringContaining('is in use') })
    expect(await stop()).toBe(0)
    expect(await webFinding(own)).toMatchObject({ status: 0, found: expect.stringContaining('is free') })
  })
})
