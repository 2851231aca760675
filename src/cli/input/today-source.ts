import { createFindClockSkewBlock, createFindClosingBlocker } from '../../closing/closing-blockers.js'
import { createPollChecks } from '../../readiness/poll-checks.js'
import type { Store } from '../../store/contract.js'
import { createRfqList } from '../../views/rfqs/rfq-list.js'
import type { TodaySource } from '../../views/today/today-view.js'
import type { App } from '../app.js'

/** What the list of what needs attention is made from, with the rules of the configured channels. */
export function createTodaySource({ config }: Pick<App, 'config'>, store: Store): TodaySource {
  const { channels } = config
  return {
    store,
    channels,
    settings: config.reports.settings,
    rfqs: createRfqList({ store, channels, settings: config.reports.settings }),
    pollChecks: createPollChecks(config, store),
    findClosingBlocker: createFindClosingBlocker(config, store),
    findClockSkewBlock: createFindClockSkewBlock(store),
  }
}
