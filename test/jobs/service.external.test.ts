import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Service, type ServiceOptions, startService } from '../../jobs/service.js'
import type { Config } from '../../src/config.js'
import type { RunKind } from '../../src/domain/records.js'
import type { ChannelSession } from '../../src/marketplace/contract.js'
import type { Store } from '../../src/store/contract.js'
import { openStore } from '../../src/store/store.js'
import { startHealthServer } from '../../src/web/health.js'
import { freePort, PrivateRedis, redisSkipReason } from '../helpers/private-redis.js'
import { recordingLog } from '../helpers/recording-log.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

const eventually = <T>(ask: () => T) => vi.waitFor(ask, { timeout: 15_000, interval: 20 })
const schedule: Config['schedule'] = {
  listings: '*/30 * * * *',
  rfqs: '*/5 * * * *',
  closeExpired: null,
  channelReport: null,
}
const COUNTS = { requests: 1, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }

async function poll(store: Store, kind: RunKind) {
  const run = await store.beginRun({ channel: 'acme/forest', kind, now: new Date() })
  return {
    run: await run.finish({ ...COUNTS, outcome: 'complete', error: null }, new Date()),
    failures: [],
    changes: [],
  }
}

async function options(
  changes: Partial<ServiceOptions> = {},
): Promise<ServiceOptions & { log: ReturnType<typeof recordingLog> }> {
  const store = await openStore({ path: join(testFolder(), 'desk.db') })
  const config = changes.config ?? testConfig({ schedule })
  const serveWeb: ServiceOptions['serveWeb'] = (readiness) =>
    startHealthServer({ ...config.web, readiness, onError: () => undefined })
  onTestFinished(() => store.close())
  return {
    config,
    store,
    marketplace: { session: (channel) => ({ channel }) as unknown as ChannelSession, close: async () => undefined },
    now: () => new Date(),
    pollListings: () => poll(store, 'listings'),
    pollRfqs: () => poll(store, 'rfqs'),
    closeExpired: async () => ({ ...(await poll(store, 'close')), decisions: [], approvalPlan: null }),
    killSwitch: () => null,
    rfqReport: async () => '/a.xlsx',
    channelReport: async () => '/b.xlsx',
    work: true,
    schedule: true,
    serveWeb,
    log: recordingLog(),
    ...changes,
  } as ServiceOptions & { log: ReturnType<typeof recordingLog> }
}

async function start(changes: Partial<ServiceOptions> = {}) {
  const made = await options(changes)
  const service = await startService(made)
  onTestFinished(() => service.stop())
  return { service, log: made.log, store: made.store }
}
const status = (service: Service, path: string) => fetch(`${service.url}${path}`).then((answer) => answer.status)

describe('a service in this process', () => {
  it('polls at once, is ready after, and stops', async () => {
    const { service, log } = await start()
    await eventually(() =>
      expect(log.at('info').sort()).toEqual(['listings of acme/forest: complete', 'rfqs of acme/forest: complete']),
    )
    expect(await status(service, '/healthz')).toBe(200)
    await eventually(async () => expect(await status(service, '/readyz')).toBe(200))
    await service.stop()
    await service.stop()
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow()
    await expect(service.enqueue('poll-rfqs', { channel: 'acme/forest', cause: 'web' }, 'x')).rejects.toThrow(
      'shutting down',
    )
  })

  it('lives, but is not ready, while it finishes what is under way', async () => {
    let go: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    let begun = false
    const { service, store } = await start({
      pollRfqs: async () => {
        begun = true
        await gate
        return poll(store, 'rfqs')
      },
    })
    await eventually(() => expect(begun).toBe(true))
    const stopped = service.stop()
    expect(await status(service, '/healthz')).toBe(200)
    expect(await status(service, '/readyz')).toBe(503)
    go()
    await stopped
    expect(await store.newestRun({ channel: 'acme/forest', kind: 'rfqs' })).toMatchObject({ outcome: 'complete' })
  })

  it('stops within ten seconds although a job does not let go', async () => {
    let begun = false
    const { service } = await start({
      pollRfqs: () => {
        begun = true
        return new Promise(() => undefined)
      },
    })
    await eventually(() => expect(begun).toBe(true))
    const began = performance.now()
    await service.stop()
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('only works, or only schedules, where it is told so', async () => {
    const { service, log } = await start({ schedule: false, serveWeb: null })
    expect(service.url).toBeNull()
    expect(await service.enqueue('poll-rfqs', { channel: 'acme/forest', cause: 'test' }, 'by-hand')).toBe(true)
    await eventually(() => expect(log.at('info')).toEqual(['rfqs of acme/forest: complete']))
  })

  it('does not start on a port in use, and leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await eventually(() => expect(other.address()).not.toBeNull())
    const { port } = other.address() as { port: number }
    const config = testConfig({ schedule, web: { host: '127.0.0.1', port, token: null } })
    const made = await options({ config })
    await expect(startService(made)).rejects.toThrow(`port ${port} of 127.0.0.1 is in use`)
    expect(made.log.lines).toEqual([])
  })
})

// The faults of Redis under a service are in test/faults/service.external.test.ts.
describe.skipIf(redisSkipReason !== null)(
  `a service on Redis${redisSkipReason ? ` (skipped: ${redisSkipReason})` : ''}`,
  () => {
    const onRedis = async (redis: PrivateRedis, changes: Partial<ServiceOptions> = {}) =>
      start({ config: testConfig({ schedule, queue: { kind: 'redis', url: redis.url } }), ...changes })

    it('stops within ten seconds although Redis hangs and a job does not let go', async () => {
      const redis = await PrivateRedis.start()
      onTestFinished(() => redis.remove())
      let begun = false
      const { service } = await onRedis(redis, {
        pollRfqs: () => {
          begun = true
          return new Promise(() => undefined)
        },
      })
      await eventually(() => expect(begun).toBe(true))
      redis.signal('SIGSTOP')
      const began = performance.now()
      await service.stop()
      expect(performance.now() - began).toBeLessThan(10_000)
      redis.signal('SIGCONT')
      await new Promise((resolve) => setTimeout(resolve, 1_000)) // Long enough for a connection left behind to show.
      const connections = await redis.withClient((client) => client.client('LIST'))
      expect(String(connections).trim().split('\n')).toHaveLength(1)
    })

    it('does not start without Redis: one sentence, within seconds', async () => {
      const url = `redis://127.0.0.1:${await freePort()}`
      const made = await options({ config: testConfig({ schedule, queue: { kind: 'redis', url } }) })
      const began = performance.now()
      await expect(startService(made)).rejects.toThrow(`the queue at ${url} does not answer`)
      expect(performance.now() - began).toBeLessThan(8_000)
    })
  },
)
