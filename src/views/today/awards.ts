import type { AwardRecord } from '../../core/decision/award-record.js'
import { type AwardBrief, awardInBrief } from '../../recommendations/awards/award-in-brief.js'
import { rfqStateOf } from '../../recommendations/rfq-state.js'
import { createDayStarts, createRulesLookup } from '../channels/channel-rules.js'
import { keyOf, type TodayContext } from './today-view.js'

/** RFQs whose documents are read at once. */
const BATCH = 50

/** An award that stands, with what the marketplace shows of it. */
export interface StandingAward {
  award: AwardRecord
  state: AwardBrief
}

/**
 * The standing awards of RFQs, by `keyOf`, with what the marketplace shows of them.
 * @param ids the RFQs of a channel; of a past moment, undefined for all
 */
export async function standingAwards(
  context: TodayContext,
  channel: string,
  ids: readonly string[] | undefined,
): Promise<Map<string, StandingAward>> {
  const { source, asOf } = context
  const filter = { channel, standing: true, ...(ids && { rfqIds: ids }), ...(asOf && { asOf }) }
  const awards = await source.store.awards(filter)
  const rfqIds = awards.map(({ rfqId }) => rfqId)
  const recorded = asOf === undefined ? await recordedStates(context, channel, rfqIds) : new Map<string, AwardBrief>()
  const others = awards.filter(({ rfqId }) => !recorded.has(rfqId))
  const computed = await computedStates(others, channel, context)
  return new Map(
    awards.flatMap((award) => {
      const state = recorded.get(award.rfqId) ?? computed.get(award.rfqId)
      return state === undefined ? [] : [[keyOf({ channel, id: award.rfqId }), { award, state }]]
    }),
  )
}

/** The states that are recorded for today, by RFQ. */
async function recordedStates({ source, now }: TodayContext, channel: string, rfqIds: readonly string[]) {
  const start = createDayStarts(source.channels, now)(channel)
  const states = await source.store.awardStates(channel, rfqIds)
  return new Map(
    states.flatMap(({ rfqId, award, computedAt }) =>
      computedAt < start ? [] : [[rfqId, JSON.parse(award) as AwardBrief]],
    ),
  )
}

async function computedStates(
  awards: readonly AwardRecord[],
  channel: string,
  { source, now, asOf }: TodayContext,
): Promise<Map<string, AwardBrief>> {
  const { store, channels, settings } = source
  const { timeZone } = createRulesLookup(channels)(channel)
  const states = new Map<string, AwardBrief>()
  for (let start = 0; start < awards.length; start += BATCH) {
    const byRfq = new Map(awards.slice(start, start + BATCH).map((award) => [award.rfqId, award]))
    const found = await store.rfqs({ channel, ids: [...byRfq.keys()], ...(asOf && { asOf }) })
    for (const each of found) {
      const award = byRfq.get(each.rfq.id)
      if (award === undefined) continue
      const state = await rfqStateOf(store, each, { timeZone, at: now, asOf, settings })
      states.set(each.rfq.id, awardInBrief(award, state))
    }
  }
  return states
}
