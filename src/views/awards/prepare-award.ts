import { awardState, awardText } from '../../compare/decision/award-state.js'
import { compareOffers } from '../../compare/report/compare-offers.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { differingSettings } from '../../core/decision/settings.js'
import { checkAward } from '../../recommendations/awards/check-award.js'
import { offerIds } from '../../recommendations/awards/offer-names.js'
import type { Awards } from '../../store/contract.js'
import { gatherRfqInput, type ReportSource } from '../rfq/report-input.js'
import type { AwardOrder, PreparedAward } from './award-order.js'

export interface PrepareSource extends Pick<ReportSource, 'version'> {
  config: Pick<ReportSource['config'], 'reports'>
  store: ReportSource['store'] & Pick<Awards, 'awards'>
  timeZoneOf: (channel: string) => string
}

/**
 * Compares the offers, and checks an award of some of them.
 * @throws UnknownRfqError, StoreError
 */
export async function prepareAward(source: PrepareSource, order: AwardOrder): Promise<PreparedAward> {
  const { store } = source
  const { channel, rfqId, offers, because, by, asOf, now, settings } = order
  const report = await compare(source, order)
  const ids = 'ids' in offers ? offers.ids : offerIds(report.offers, offers.names)
  const inForce = (await store.settingsInForce(now)) ?? settings
  const differing = differingSettings(inForce, settings)
  const isPresent = asOf >= now && differing.length === 0
  const desk = isPresent ? report : await compare(source, { ...order, asOf: now, settings: inForce })
  const { award, refusals } = checkAward(
    report,
    { offerIds: ids, because, by, now },
    { report: desk, settings: differing },
  )
  const [newest] = await store.awards({ channel, rfqId, limit: 1 })
  return {
    state: award === null ? null : awardState(award, { offers: report.offers, settings }),
    refusals: [...refusalOf(newest, asOf), ...refusals],
    rfqNumber: report.rfq.number,
  }
}

async function compare(
  source: PrepareSource,
  order: Pick<AwardOrder, 'channel' | 'rfqId' | 'asOf' | 'now' | 'settings'>,
) {
  const { store, version, config, timeZoneOf } = source
  const { channel, rfqId, asOf, now, settings } = order
  const input = await gatherRfqInput(
    {
      ...{ store, version, asOf, now, rfqId },
      config: { reports: { ...config.reports, settings, settingsGiven: true } },
      channel: { key: channel, timeZone: timeZoneOf(channel) },
    },
    { withHistory: false },
  )
  return compareOffers(input)
}

/** Why the newest award of the RFQ keeps another one from being recorded. */
function refusalOf(newest: AwardRecord | undefined, asOf: Date): string[] {
  if (newest === undefined) return []
  if (newest.withdrawn === null) return [standingText(newest)]
  return new Date(newest.withdrawn.at) <= asOf
    ? []
    : [`Award ${newest.id} was withdrawn after that comparison, at ${newest.withdrawn.at}: compare again.`]
}

/** Why no other award can be recorded while one stands. */
export const standingText = (standing: AwardRecord): string =>
  `An award stands already: ${awardText(standing)} (award ${standing.id}, by ${standing.by}). Withdraw it first.`
