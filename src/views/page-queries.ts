import { createFindClockSkewBlock, createFindClosingBlocker } from '../closing/closing-blockers.js'
import { previewClose } from '../closing/preview.js'
import type { Settings } from '../core/decision/settings.js'
import type { KnownDocument } from '../core/records.js'
import { createPollChecks } from '../readiness/poll-freshness.js'
import { factsOf } from '../recommendations/rfq-facts.js'
import type { Monitoring, Reader } from '../store/contract.js'
import { VERSION } from '../version.js'
import type { ApiConfig } from './api-queries.js'
import { prepareAward } from './awards/prepare-award.js'
import { changeFeed } from './changes/change-feed.js'
import { createRulesLookup } from './channels/channel-rules.js'
import { channelPageModel } from './channels/channel-view.js'
import { closingOutlook } from './closings/closing-outlook.js'
import { explainDecision } from './closings/explain-decision.js'
import { createIncompleteAt } from './complete-polls.js'
import { listingRow } from './document-rows.js'
import { findRfq, problemText, shortestName } from './find-rfq.js'
import { offerPageModel } from './offer/offer-detail.js'
import type { NotFound, PageQueries, RfqAddress } from './page-contract.js'
import { createInteractiveComparison } from './rfq/interactive-comparison.js'
import { momentsOf, priceHistoryOf } from './rfq/moments.js'
import { rfqView } from './rfq/rfq-view.js'
import { channelDates, dueOf, type RfqList } from './rfqs/rfq-list.js'
import { searchRfqs } from './rfqs/rfq-search.js'
import { today } from './today/today.js'

/** The part of the store that pages read. */
type PageStore = Omit<Reader, 'close' | keyof Monitoring>

interface NamedRfq {
  rfq: KnownDocument
  /** The shortest that leads to it. */
  name: string
}

interface PageSource {
  store: PageStore
  config: ApiConfig
  /** Shared with the API, so that documents are in memory once. */
  rfqs: RfqList
}

/** Offers whose prices over time are charted. */
const MAX_PRICE_LINES = 8

/** Closings of one RFQ that are explained, newest first. */
const MAX_EXPLAINED = 100

/** What pages show, read from an open store. */
export function createPageQueries({ store, config, rfqs }: PageSource): PageQueries {
  const { channels } = config
  const findClosingBlocker = createFindClosingBlocker(config, store)
  const findClockSkewBlock = createFindClockSkewBlock(store)
  const { settings } = config.reports
  const source = {
    store,
    channels,
    settings,
    rfqs,
    pollChecks: createPollChecks(config, store),
    findClosingBlocker,
    findClockSkewBlock,
  }
  const compare = createInteractiveComparison()
  const completeAt = async (channel: string, kind: 'rfqs' | 'listings') =>
    (await store.newestCompleteRun({ channel, kind }))?.finishedAt ?? null
  const rulesOf = createRulesLookup(channels)

  /** An RFQ without its responses, with the name that pages show. */
  async function findNamed({ channel, name, asOf }: RfqAddress): Promise<NamedRfq | NotFound> {
    const search = { channel, name, asOf, withoutResponses: true }
    const lookup = await findRfq(store, search)
    if ('problem' in lookup) {
      const { problem } = lookup
      return { notFound: problemText(problem), isAmbiguous: problem.reason === 'ambiguous' }
    }
    return { rfq: lookup.found.rfq, name: await shortestName(store, lookup.found, search) }
  }

  async function reportOf({ channel, now, asOf = now }: RfqAddress, rfqId: string, settings?: Settings) {
    const report = await compare({
      store,
      config: { reports: { ...config.reports, ...(settings && { settings, settingsGiven: true }) } },
      channel: { key: channel, timeZone: rulesOf(channel).timeZone },
      ...{ asOf, now, version: VERSION, rfqId },
    })
    return { report, asOf }
  }

  return {
    freshness: () =>
      Promise.all(
        channels.map(async ({ key: channel }) => ({
          channel,
          rfqsAt: await completeAt(channel, 'rfqs'),
          listingsAt: await completeAt(channel, 'listings'),
        })),
      ),
    incompleteAt: createIncompleteAt(store, channels),
    async pulse() {
      const runs = await store.runs({ limit: 20 })
      return runs.map(({ id, finishedAt, changed, inserted }) => `${id} ${finishedAt} ${inserted} ${changed}`).join()
    },
    firstPollAt: (filter) => store.firstPollAt(filter),
    today: (options) => today(source, options),
    rfqs: (search) => searchRfqs(rfqs, search),
    async rfq({ settings, ...address }) {
      const found = await findNamed(address)
      if ('notFound' in found) return found
      const { channel } = address
      const { rfq, name } = found
      const { id: rfqId } = rfq
      const { report, asOf } = await reportOf(address, rfqId, settings)
      const view = rfqView(report)
      const offerIds = view.offers.slice(0, MAX_PRICE_LINES).map(({ id }) => id)
      const prices = await priceHistoryOf(store, { channel, rfqId, offerIds, asOf })
      const outlook = asOf >= address.now ? await closingOutlook(source, rfq, address.now) : null
      return {
        id: rfqId,
        name,
        view,
        prices,
        outlook,
        moments: await momentsOf(store, { channel, rfqId }),
      }
    },
    async rfqName(address) {
      const found = await findNamed(address)
      return 'notFound' in found ? found : { id: found.rfq.id, name: found.name }
    },
    async listings(filter) {
      return (await store.listings(filter)).map(listingRow)
    },
    async offer({ offerId, ...address }) {
      const found = await findNamed(address)
      if ('notFound' in found) return found
      const { id: rfqId } = found.rfq
      const { report, asOf } = await reportOf(address, rfqId)
      const history = await store.rfqHistory(address.channel, rfqId, asOf)
      // As of a past moment, later reads would change it.
      const states = asOf < address.now ? [] : await store.responseStates(address.channel, [rfqId])
      const readAt = states.find(({ id }) => id === offerId)?.readAt ?? null
      const model = offerPageModel(report, offerId, { history, readAt })
      return model === null
        ? { notFound: `RFQ ${found.name} of ${address.channel} has no offer ${offerId} at this moment` }
        : { model, name: found.name }
    },
    changes: (filter) => changeFeed(store, filter),
    async channel({ channel, now }) {
      const rules = channels.find(({ key }) => key === channel)
      if (rules === undefined) return { notFound: `${channel} is not a configured channel` }
      return channelPageModel({ store, rfqs }, rules, now)
    },
    async closing(address) {
      const found = await findNamed(address)
      if ('notFound' in found) return found
      const { channel, now } = address
      const { name, rfq } = found
      const { id } = rfq
      const facts = factsOf(rfq)
      const { title, state, responseDueDate: dueDate } = facts
      const closings = await store.decisions({ channel, rfqId: id, limit: MAX_EXPLAINED })
      const rules = rulesOf(channel)
      const { timeZone, graceHours, autoClose } = rules
      const { overdue } = dueOf(facts, channelDates(rules, now))
      const clocks = overdue && autoClose === 'on' ? await findClockSkewBlock(channel) : null
      return {
        ...{ channel, id, name, title, state, dueDate, timeZone, graceHours, autoClose, clockSkewBlock: clocks },
        closings: closings.map((record) => ({ record, explanation: explainDecision(record) })),
      }
    },
    async closingReasons({ channel, rfqId, now }) {
      const { timeZone, graceHours } = rulesOf(channel)
      const { maxPerRun } = config.closing
      const preview = await previewClose(store, { channel, rfqId, timeZone, graceHours, maxPerRun }, now)
      return preview ?? { for: [], against: ['it is not stored'], remedies: [], unsettled: null }
    },
    runs: (filter) => store.runs(filter),
    closings: (listing) => store.listDecisions(listing),
    problems: (filter) => store.problems(filter),
    awards: (rfq) => store.awards(rfq),
    awardFile: (id) => store.awardFile(id),
    prepareAward: (order) =>
      prepareAward({ store, config, version: VERSION, timeZoneOf: (key) => rulesOf(key).timeZone }, order),
    targetStates: () => store.targetStates(),
    deliveries: (filter) => store.deliveries(filter),
  }
}
