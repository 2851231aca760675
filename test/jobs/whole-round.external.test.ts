import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startService } from '../../jobs/service.js'
import { closeExpired } from '../../src/closing/closing-round.js'
import { closingKillSwitch } from '../../src/closing/kill-switch.js'
import type { Config } from '../../src/config/contract.js'
import { createMarketplace } from '../../src/marketplace/client.js'
import { createWorld, startSandbox } from '../../src/sandbox/index.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { pollListings } from '../../src/sync/poll-listings.js'
import { pollRfqs } from '../../src/sync/poll-rfqs.js'
import { healthRoutes } from '../../src/web/routes/health.js'
import { startWebServer } from '../../src/web/server.js'
import { eventually } from '../helpers/eventually.js'
import { recordingLog } from '../helpers/recording-log.js'
import { PrivateRedis, redisSkipReason } from '../helpers/servers/private-redis.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'

/** A service working on a sandbox marketplace with RFQs past due; only the reports are stubs. */
async function startTestService(queue: Config['queue']) {
  const world = createWorld({
    seed: 1,
    now: new Date(),
    still: true,
    channels: [{ org: 'acme', channel: 'forest', apiKey: 'key of acme', listings: 4, rfqs: 8, responsesPerRfq: 2 }],
  })
  const sandbox = await startSandbox({ world, now: () => new Date() })
  const config = testConfig({
    baseUrl: sandbox.url,
    queue,
    channels: [channelConfig('acme/forest')],
    schedule: { listings: '*/30 * * * *', rfqs: '*/5 * * * *', closeExpired: '* * * * * *', channelReport: null },
  })
  const now = () => new Date()
  const store = await openStore({ path: join(testFolder(), 'test.db'), clock: now })
  const marketplace = createMarketplace({ baseUrl: sandbox.url, limits: config.requests, version: 'test', now })
  const reports: string[] = []
  const log = recordingLog()
  const service = await startService({
    config,
    store,
    marketplace,
    now,
    log,
    pollListings,
    pollRfqs,
    closeExpired,
    killSwitch: closingKillSwitch(config, store),
    rfqReport: async (_channel, rfqId) => {
      reports.push(rfqId)
      return `/reports/${rfqId}.xlsx`
    },
    channelReport: async () => '/reports/channel.xlsx',
    work: true,
    schedule: true,
    serveWeb: (readiness) =>
      startWebServer({
        ...config.web,
        localUser: 'local',
        now: () => new Date(),
        plugins: [healthRoutes(readiness)],
        onError: () => undefined,
      }),
  })
  onTestFinished(async () => {
    await service.stop()
    await marketplace.close()
    await store.close()
    await sandbox.close()
  })
  return { sandbox, store, service, reports, log }
}

const queues = [
  { name: 'in-process queue', skip: null, queue: async (): Promise<Config['queue']> => ({ kind: 'in-process' }) },
  {
    name: 'queue on Redis',
    skip: redisSkipReason,
    queue: async (): Promise<Config['queue']> => {
      const redis = await PrivateRedis.start()
      onTestFinished(() => redis.remove())
      return { kind: 'redis', url: redis.url }
    },
  },
]

describe.each(queues)('service, $name', ({ skip, queue }) => {
  it.skipIf(skip !== null)('polls, closes each RFQ past due once, and enqueues its report', async () => {
    const { sandbox, store, service, reports, log } = await startTestService(await queue())
    await eventually(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200))
    expect(await store.rfqs({ channel: 'acme/forest' })).toHaveLength(8)
    const closedIds = async () =>
      (await store.decisions({})).filter(({ outcome }) => outcome === 'closed').map(({ rfqId }) => rfqId)
    await eventually(async () => {
      expect(log.at('info')).toContain('close of acme/forest: complete')
      expect(reports.length).toBeGreaterThan(1)
      expect(reports).toHaveLength((await closedIds()).length)
    })
    await service.stop()
    const posts = sandbox.requests.filter(({ operation }) => operation === 'closeRfq')
    const closed = await closedIds()
    expect(posts).toHaveLength(closed.length)
    expect(reports.sort()).toEqual(closed.sort())
    expect(new Set(reports).size).toBe(reports.length)
    expect(log.at('error')).toEqual([])
    expect(log.lines.filter(({ message }) => message === 'report written')).toHaveLength(reports.length)
    expect(JSON.stringify(log.lines)).not.toContain('key of acme')
  })
})
