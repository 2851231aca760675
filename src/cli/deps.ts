import type { HandlerDeps } from '../../jobs/handlers.js'
import type { ChannelConfig } from '../config.js'
import type { Clock } from '../domain/clock.js'
import type { House } from './compose.js'

/** What the jobs of the service work with: the rooms, opened and put together. */
export async function serviceDeps(house: House, now: Clock): Promise<Omit<HandlerDeps, 'enqueue'>> {
  const { config, log } = house
  const [listings, rfqs, closing, killSwitch, rfqReport, reports] = await Promise.all([
    import('../sync/listings.js'),
    import('../sync/rfqs.js'),
    import('../closing/round.js'),
    import('../../jobs/kill-switch.js'),
    import('../../jobs/rfq-report.js'),
    import('./reports.js'),
  ])
  const store = await house.store()
  const source = ({ key: channel }: ChannelConfig) =>
    reports.reportSource({ store, config }, { channel, asOf: now(), now: now() })
  return {
    config,
    store,
    marketplace: await house.marketplace(),
    now,
    log,
    pollListings: listings.pollListings,
    pollRfqs: rfqs.pollRfqs,
    closeExpired: closing.closeExpired,
    stopped: killSwitch.closingSwitch(config),
    rfqReport: async (channel, rfqId, signal) =>
      (await rfqReport.makeRfqReport({ ...source(channel), rfqId, signal })).path,
    channelReport: (channel) => reports.writeChannelReport(source(channel)),
  }
}
