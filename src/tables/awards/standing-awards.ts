import type { AwardRecord } from '../../core/decision/award-record.js'
import { type AwardBrief, awardInBrief } from '../../recommendations/awards/award-in-brief.js'
import { readDocuments, rfqStateOf } from '../../recommendations/rfq-state.js'
import { createDayStarts, createRulesLookup } from '../channels/channel-rules.js'
import type { ViewSource } from '../source.js'

/** RFQs whose documents are read at once. */
const BATCH = 50

/** An award that stands, with what the marketplace shows of it. */
export interface StandingAward {
  award: AwardRecord
  state: AwardBrief
}

type AwardSource = Pick<ViewSource, 'store' | 'channels' | 'settings'>

interface AwardMoment {
  channel: string
  now: Date
}

/**
 * The standing awards of RFQs of a channel, by channel and id with a tab between, with what the marketplace shows of them.
 * @param moment.ids the RFQs; default: all
 */
export async function standingAwards(
  source: AwardSource,
  { ids, ...moment }: AwardMoment & { ids?: readonly string[] | undefined },
): Promise<Map<string, StandingAward>> {
  const filter = { channel: moment.channel, standing: true, ...(ids && { rfqIds: ids }) }
  return withStates(source, await source.store.awards(filter), moment)
}

/**
 * The same for awards of a channel that were read. What the marketplace shows is recorded, and computed for RFQs that changed since;
 * awards of RFQs that are not stored are left out.
 */
export async function withStates(
  source: AwardSource,
  awards: readonly AwardRecord[],
  moment: AwardMoment,
): Promise<Map<string, StandingAward>> {
  const rfqIds = awards.map(({ rfqId }) => rfqId)
  const recorded = await recordedStates(source, rfqIds, moment)
  const others = awards.filter(({ rfqId }) => !recorded.has(rfqId))
  const computed = await computedStates(source, others, moment)
  return new Map(
    awards.flatMap((award) => {
      const state = recorded.get(award.rfqId) ?? computed.get(award.rfqId)
      return state === undefined ? [] : [[`${moment.channel}\t${award.rfqId}`, { award, state }]]
    }),
  )
}

/** The states that are recorded for today, by RFQ. */
async function recordedStates({ store, channels }: AwardSource, rfqIds: readonly string[], moment: AwardMoment) {
  const start = createDayStarts(channels, moment.now)(moment.channel)
  const states = await store.awardStates(moment.channel, rfqIds)
  return new Map(
    states.flatMap(({ rfqId, award, computedAt }) =>
      computedAt < start ? [] : [[rfqId, JSON.parse(award) as AwardBrief]],
    ),
  )
}

async function computedStates(
  { store, channels, settings }: AwardSource,
  awards: readonly AwardRecord[],
  { channel, now }: AwardMoment,
): Promise<Map<string, AwardBrief>> {
  const { timeZone } = createRulesLookup(channels)(channel)
  const states = new Map<string, AwardBrief>()
  for (let start = 0; start < awards.length; start += BATCH) {
    const byRfq = new Map(awards.slice(start, start + BATCH).map((award) => [award.rfqId, award]))
    const found = await readDocuments(store, { channel, ids: [...byRfq.keys()] })
    for (const each of found) {
      const award = byRfq.get(each.rfq.id)
      if (award === undefined) continue
      const state = await rfqStateOf(store, each, { timeZone, at: now, settings })
      states.set(each.rfq.id, awardInBrief(award, state))
    }
  }
  return states
}
