import { describe, expect, it, onTestFinished } from 'vitest'
import { type Service, type ServiceOptions, startService } from '../../jobs/service.js'
import type { Config } from '../../src/config/contract.js'
import type { RunKind } from '../../src/core/records.js'
import type { ChannelSession } from '../../src/marketplace/contract.js'
import type { Store } from '../../src/store/contract.js'
import { eventually } from '../helpers/eventually.js'
import { createGate } from '../helpers/recording-handlers.js'
import { recordingLog } from '../helpers/recording-log.js'
import { holdingRun, runEnd } from '../helpers/store/holding-run.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { testConfig } from '../helpers/test-config.js'
import { webhook } from '../notify/feed-fixture.js'
import { serveWeb } from '../web/support/web-server.js'

const schedule: Config['schedule'] = {
  listings: '*/30 * * * *',
  rfqs: '*/5 * * * *',
  closeExpired: null,
  channelReport: null,
}

async function poll(store: Store, kind: RunKind) {
  const run = await holdingRun(store, { channel: 'acme/forest', kind, now: new Date() })
  return { run: await run.finish(runEnd(), new Date()), failures: [], changes: [] }
}

async function options(changes: Partial<ServiceOptions> = {}) {
  const store = await openNewStore()
  return {
    ...{ config: testConfig({ schedule }), store, now: () => new Date(), log: recordingLog() },
    marketplace: { session: (channel) => ({ channel }) as unknown as ChannelSession, close: async () => undefined },
    pollListings: () => poll(store, 'listings'),
    pollRfqs: () => poll(store, 'rfqs'),
    closeExpired: () => expect.unreachable('nothing is closed'),
    killSwitch: async () => null,
    schedule: true,
    maintenance: [],
    send: async () => ({ kind: 'delivered' }),
    serveWeb: (readiness) => serveWeb({}, readiness),
    ...changes,
  } as ServiceOptions & { log: ReturnType<typeof recordingLog> }
}

async function start(changes: Partial<ServiceOptions> = {}) {
  const serviceOptions = await options(changes)
  const service = await startService(serviceOptions)
  onTestFinished(() => service.stop())
  return { service, log: serviceOptions.log, store: serviceOptions.store }
}
const status = (service: Service, path: string) => fetch(`${service.url}${path}`).then((response) => response.status)

it('notifications that waited are sent when the service starts', async () => {
  const config = testConfig({ schedule, notify: { targets: [webhook('http://127.0.0.1:1/')], dueSoonDays: 3 } })
  const sent: string[] = []
  const send: ServiceOptions['send'] = async ({ name }, events) => {
    sent.push(`${name} ${events[0].kind}`)
    return { kind: 'delivered' }
  }
  const prepared = await options({ config, send })
  await prepared.store.setTargets(config.notify.targets)
  await prepared.store.recordEvents([
    { kind: 'offer.new', at: new Date().toISOString(), channel: 'acme/forest', data: {} },
  ])
  const service = await startService(prepared)
  onTestFinished(() => service.stop())
  await eventually(() => expect(sent).toEqual(['crm offer.new']))
})

describe('service with an in-process queue', () => {
  it('stays live but is not ready while it finishes running jobs', async () => {
    const gate = createGate()
    let begun = false
    const { service, store } = await start({
      pollRfqs: async () => {
        begun = true
        await gate.passed
        return poll(store, 'rfqs')
      },
    })
    await eventually(() => expect(begun).toBe(true))
    const stopped = service.stop()
    expect(await status(service, '/healthz')).toBe(200)
    expect(await status(service, '/readyz')).toBe(503)
    gate.open()
    await stopped
    expect(await store.newestRun({ channel: 'acme/forest', kind: 'rfqs' })).toMatchObject({ outcome: 'complete' })
  })

  it('runs jobs without scheduling any, and without a web server, if configured so', async () => {
    const { service, log } = await start({ schedule: false, serveWeb: null })
    expect(service.url).toBeNull()
    expect(await service.enqueue('poll-rfqs', { channel: 'acme/forest', cause: 'test' })).not.toBeNull()
    await eventually(() => expect(log.at('info')).toEqual(['rfqs of acme/forest: complete']))
  })
})
