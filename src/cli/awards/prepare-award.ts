import { awardState, awardText } from '../../compare/decision/award-state.js'
import { compareOffers } from '../../compare/report/compare-offers.js'
import type { AwardRecord } from '../../core/award-record.js'
import { checkAward } from '../../recommendations/awards/check-award.js'
import { offerIds } from '../../recommendations/awards/offer-names.js'
import { gatherRfqInput, type ReportSource } from '../../reporting/report-input.js'
import type { Awards } from '../../store/contract.js'
import type { AwardOrder, PreparedAward } from '../../views/award-order.js'

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
  const { store, version, config, timeZoneOf } = source
  const { channel, rfqId, offers, because, by, asOf, now, settings } = order
  const input = await gatherRfqInput(
    {
      ...{ store, version, asOf, now, rfqId },
      config: { reports: { ...config.reports, settings } },
      channel: { key: channel, timeZone: timeZoneOf(channel) },
    },
    { withHistory: false },
  )
  const report = compareOffers(input)
  const ids = 'ids' in offers ? offers.ids : offerIds(report.offers, offers.names)
  const { award, refusals } = checkAward(report, { offerIds: ids, because, by, now })
  const [standing] = await store.awards({ channel, rfqId, standing: true, limit: 1 })
  return {
    state: award === null ? null : awardState(award, { offers: report.offers, settings }),
    refusals: [...(standing === undefined ? [] : [standingText(standing)]), ...refusals],
    rfqNumber: report.rfq.number,
  }
}

/** Why no other award can be recorded while one stands. */
export const standingText = (standing: AwardRecord): string =>
  `An award stands already: ${awardText(standing)} (award ${standing.id}, by ${standing.by}). Withdraw it first.`
