import { awardState, awardText } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { differingSettings } from '../../core/decision/settings.js'
import { reasonProblem } from '../../core/text/clean-text.js'
import { checkAward } from '../../recommendations/awards/check-award.js'
import { offerIds } from '../../recommendations/awards/offer-names.js'
import type { Awards, RecommendationQueries } from '../../store/contract.js'
import type { ViewSource } from '../source.js'
import type { AwardOrder, PreparedAward } from './award-order.js'

export interface PrepareSource {
  store: Pick<Awards, 'awards'> & Pick<RecommendationQueries, 'settingsInForce'>
  compare: ViewSource['compare']
}

/**
 * Compares the offers, and checks an award of some of them.
 * @throws UnknownRfqError, StoreError
 */
export async function prepareAward({ store, compare }: PrepareSource, order: AwardOrder): Promise<PreparedAward> {
  const { channel, rfqId, offers, because, by, asOf, now, settings } = order
  const rfq = { channel, id: rfqId }
  const report = await compare(rfq, { now, asOf }, settings)
  const ids = 'ids' in offers ? offers.ids : offerIds(report.offers, offers.names)
  const inForce = (await store.settingsInForce(now)) ?? settings
  const differing = differingSettings(inForce, settings)
  const isPresent = asOf >= now && differing.length === 0
  const desk = isPresent ? report : await compare(rfq, { now }, inForce)
  const { award, refusals } = checkAward(
    report,
    { offerIds: ids, because, by, now },
    { report: desk, settings: differing },
  )
  const [newest] = await store.awards({ channel, rfqId, limit: 1 })
  return {
    state: award === null ? null : awardState(award, report.offers),
    refusals: [...refusalOf(newest, asOf), ...reasonRefusal(because), ...refusals],
    rfqNumber: report.rfq.number,
  }
}

/** A reason must be one that can be read. */
function reasonRefusal(because: string | null): string[] {
  const problem = because === null ? null : reasonProblem(because)
  return problem === null ? [] : [`The reason ${problem}.`]
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
