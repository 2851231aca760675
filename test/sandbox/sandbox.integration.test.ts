import { afterEach, describe, expect, it } from 'vitest'
import {
  createWorld,
  describeWorld,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  type WorldEvent,
} from '../../src/sandbox/index.js'
import { eventually } from '../helpers/eventually.js'
import { createGate } from '../helpers/recording-handlers.js'
import { requestJson } from './request-json.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const HOUR = 3_600_000
const rfqs = '/v1/orgs/acme/channels/forest/rfqs'

const running: Sandbox[] = []
const start = async (options: SandboxOptions = {}) => {
  const sandbox = await startSandbox({ now: () => now, ...options })
  running.push(sandbox)
  return sandbox
}
const read = async (sandbox: Sandbox) => (await requestJson(sandbox, rfqs)).body

afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.close()
})

describe('a sandbox', () => {
  it('serves the same world for the same seed', async () => {
    const [one, same, other] = [await start({ seed: 5 }), await start({ seed: 5 }), await start({ seed: 6 })]
    expect(await read(same)).toEqual(await read(one))
    expect(await read(other)).not.toEqual(await read(one))
    expect(same.keys).toEqual(one.keys)
  })

  it('reports that a port is in use', async () => {
    const { port } = await start()
    await expect(start({ port })).rejects.toThrow(`127.0.0.1:${port}: the port is in use`)
  })

  it('closes at once despite requests in progress, and only once', async () => {
    const sandbox = await start()
    sandbox.faults.add({ effect: { kind: 'hang' } })
    const hanging = expect(read(sandbox)).rejects.toThrow()
    await eventually(() => expect(sandbox.log.inFlight).toBe(1))
    await Promise.all([sandbox.close(), sandbox.close()])
    await hanging
    await eventually(() => expect(sandbox.log.inFlight).toBe(0))
  })

  it('accepts given API keys', async () => {
    const sandbox = await start({ keys: { acme: 'mine' } })
    expect(sandbox.keys).toEqual({ acme: 'mine', meridian: expect.stringMatching(/^sandbox-/) })
    expect((await requestJson(sandbox, rfqs, { key: 'mine' })).status).toBe(200)
  })

  it('replies 500 for a document that cannot be serialized, and keeps serving', async () => {
    const sandbox = await start()
    const { id } = sandbox.world.addRfq({ org: 'acme', channel: 'forest' })
    const response = sandbox.world.addResponse(id)
    sandbox.world.changeResponse(response.id, (document) => ({ ...document, offer: undefined as never }))
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).body.responses).toEqual([
      expect.not.objectContaining({ totalPrice: 1 }),
    ])
    sandbox.world.changeRfq(id, (document) => ({ ...document, number: 1n as never }))
    expect((await requestJson(sandbox, `${rfqs}/${id}`)).status).toBe(500)
    sandbox.world.removeRfq(id)
    expect((await requestJson(sandbox, rfqs)).status).toBe(200)
  })

  it('keeps as many requests as configured', async () => {
    const sandbox = await start({ keepRequests: 4 })
    for (let sent = 0; sent < 9; sent++) await requestJson(sandbox, `${rfqs}?n=${sent}`)
    expect(sandbox.requests.length).toBeLessThanOrEqual(4)
    expect(sandbox.requests.at(-1)?.path).toContain('n=8')
    expect(sandbox.log.total).toBe(9)
    const silent = await start({ keepRequests: 0 })
    await requestJson(silent, rfqs)
    expect([silent.requests, silent.log.total]).toEqual([[], 1])
  })

  it('counts the peak of concurrent requests', async () => {
    const sandbox = await start()
    let arrived = 0
    const all = createGate()
    const call = () => {
      if (++arrived === 3) all.open()
      return all.passed
    }
    sandbox.faults.add({ times: 3, effect: { kind: 'call', call } })
    await Promise.all([read(sandbox), read(sandbox), read(sandbox)])
    await read(sandbox)
    expect(sandbox.log.peak).toBe(3)
  })
})

describe('sandbox clock', () => {
  const date = async (sandbox: Sandbox) => (await requestJson(sandbox, rfqs)).headers.get('date')

  it('is real time by default', async () => {
    const sandbox = await startSandbox()
    running.push(sandbox)
    const seconds = (time: number) => Math.floor(time / 1000)
    const before = seconds(Date.now())
    const told = seconds(Date.parse((await date(sandbox)) ?? ''))
    expect(told).toBeGreaterThanOrEqual(before)
    expect(told).toBeLessThanOrEqual(seconds(Date.now()))
  })

  it('can be stopped, advanced and resumed; closes use its time', async () => {
    let real = now
    const sandbox = await start({ now: () => real })
    sandbox.setClock(later(HOUR))
    real = later(10)
    expect(sandbox.now()).toEqual(later(HOUR))
    sandbox.setClock(null)
    real = later(1010)
    expect(sandbox.now()).toEqual(later(HOUR + 1000))
    sandbox.advance(later(5 * HOUR))
    expect(await date(sandbox)).toBe(later(5 * HOUR).toUTCString())
    const { id } = sandbox.world.addRfq({ org: 'acme', channel: 'forest' })
    await requestJson(sandbox, `${rfqs}/${id}/close`, { method: 'POST' })
    expect(sandbox.world.rfq(id).closedAt).toBe(later(5 * HOUR).toISOString())
    sandbox.advance(later(HOUR))
    expect(sandbox.now()).toEqual(later(5 * HOUR))
    sandbox.setClock(() => later(7))
    expect(sandbox.now()).toEqual(later(7))
  })

  it('triggers world events in live mode', async () => {
    const events: WorldEvent[] = []
    const live = { everyMs: 5, stepMs: 6 * HOUR }
    const sandbox = await start({ live, onEvent: (happening) => events.push(happening) })
    await eventually(() => expect(events.length).toBeGreaterThan(5))
    expect(sandbox.now() > later(5 * HOUR)).toBe(true)
    expect(sandbox.world.simulatedUntil).toEqual(sandbox.now())
  })
})

it('describeWorld › summarizes each channel on one line', () => {
  const world = createWorld({
    seed: 2,
    now,
    channels: [{ org: 'acme', channel: 'forest', apiKey: 'k', listings: 3, rfqs: 5, responsesPerRfq: 2 }],
  })
  expect(describeWorld(world)).toBe(
    'Marketplace with seed 2, 2025-06-11 09:30 UTC\n' +
      '  acme/forest: 3 listings; 4 RFQs open (1 past due, 1 due today), 1 closed; 10 offers (1 accepted, 1 rejected)',
  )
})
