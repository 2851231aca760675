import type { HandlerDeps } from '../../jobs/handlers.js'
import type { ChannelConfig } from '../config.js'
import type { Clock } from '../domain/clock.js'
import type { Readiness } from '../domain/readiness.js'
import type { House } from './compose.js'
import { reportOrder } from './report-request.js'

/** What the jobs of the service work with: the rooms, opened and put together. */
export async function serviceDeps(house: House, now: Clock): Promise<Omit<HandlerDeps, 'enqueue'>> {
  const { config, log } = house
  const [{ pollListings }, { pollRfqs }, { closeExpired }, { closingKillSwitch }] = await Promise.all([
    import('../sync/poll-listings.js'),
    import('../sync/poll-rfqs.js'),
    import('../closing/closing-round.js'),
    import('../closing/kill-switch.js'),
  ])
  const store = await house.store()
  const marketplace = await house.marketplace()
  const work = {
    pollListings,
    pollRfqs,
    closeExpired,
    stopped: closingKillSwitch(config),
    ...reporters(house, now),
  }
  return { config, store, marketplace, now, log, ...work }
}

function reporters(house: House, now: Clock): Pick<HandlerDeps, 'rfqReport' | 'channelReport'> {
  const order = ({ key }: ChannelConfig) => reportOrder(house.config, { channel: key, asOf: now(), now: now() })
  return {
    rfqReport: async (channel, rfqId, signal) =>
      (await house.makeReport({ ...order(channel), rfqId }, { signal })).path,
    channelReport: async (channel, signal) => (await house.makeReport(order(channel), { signal })).path,
  }
}

/** Starts the web server of the service. */
export const webServer =
  ({ config, log }: Pick<House, 'config' | 'log'>) =>
  async (readiness: Readiness) => {
    const { createHealthServer } = await import('../web/health.js')
    const onError = (error: unknown) => log.error({ err: error }, 'HTTP request failed')
    return createHealthServer({ ...config.web, readiness, onError })
  }
