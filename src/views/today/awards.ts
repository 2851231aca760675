import { type AwardFinding, awardText } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'
import { type AwardBrief, awardInBrief } from '../../recommendations/awards/award-in-brief.js'
import { rfqStateOf } from '../../recommendations/rfq-state.js'
import { createDayStarts, createRulesLookup } from '../channels/channel-rules.js'
import { rfqPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { keyOf, onChannel, rfqFields, sentences, type TodayContext, type TodayItem } from './today-view.js'

/** RFQs whose documents are read at once. */
const BATCH = 50

/**
 * Standing awards about which the marketplace shows something that a person has to know: that an offer expires soon, changed, or is not
 * open any more; or which offers it shows as accepted, which is told once.
 */
export async function awardItems(context: TodayContext): Promise<TodayItem[]> {
  const { asOf } = context
  const awards = [...context.awarded.values()]
  const recorded = asOf === undefined ? await recordedStates(context) : new Map<string, AwardBrief>()
  const computed = await computedStates(
    awards.filter((award) => !recorded.has(keyOf({ channel: award.channel, id: award.rfqId }))),
    context,
  )
  const reported = awards.flatMap((award) => {
    const key = keyOf({ channel: award.channel, id: award.rfqId })
    const state = recorded.get(key) ?? computed.get(key)
    const findings = state?.findings.filter((finding) => isReported(finding, context)) ?? []
    return state === undefined || findings.length === 0 ? [] : [{ award, state, findings }]
  })
  const rows = await context.rowsOf(reported.map(({ award }) => award))
  return reported.map((each) => toItem(each, rows.get(keyOf({ channel: each.award.channel, id: each.award.rfqId }))))
}

/** An acceptance is reported once. */
const isReported = ({ code, since }: AwardFinding, context: TodayContext): boolean =>
  code !== 'accepted' || (since !== null && new Date(since) > context.since)

/** The states that are recorded for today. */
async function recordedStates({ source, now, channel }: TodayContext): Promise<Map<string, AwardBrief>> {
  const startOf = createDayStarts(source.channels, now)
  const states = await source.store.awardStates(channel)
  return new Map(
    states.flatMap((state) =>
      state.computedAt < startOf(state.channel)
        ? []
        : [[keyOf({ channel: state.channel, id: state.rfqId }), JSON.parse(state.award) as AwardBrief]],
    ),
  )
}

async function computedStates(
  awards: readonly AwardRecord[],
  { source, now, asOf }: TodayContext,
): Promise<Map<string, AwardBrief>> {
  const { store, channels, settings } = source
  const rulesOf = createRulesLookup(channels)
  const states = new Map<string, AwardBrief>()
  for (const channel of new Set(awards.map((award) => award.channel))) {
    const own = awards.filter((award) => award.channel === channel)
    const { timeZone } = rulesOf(channel)
    for (let start = 0; start < own.length; start += BATCH) {
      const byRfq = new Map(own.slice(start, start + BATCH).map((award) => [award.rfqId, award]))
      const found = await store.rfqs({ channel, ids: [...byRfq.keys()], ...(asOf && { asOf }) })
      for (const each of found) {
        const award = byRfq.get(each.rfq.id)
        if (award === undefined) continue
        const state = await rfqStateOf(store, each, { timeZone, at: now, asOf, settings })
        states.set(keyOf(each.rfq), awardInBrief(award, state))
      }
    }
  }
  return states
}

interface ReportedAward {
  award: AwardRecord
  state: AwardBrief
  /** At least one, most severe first. */
  findings: readonly AwardFinding[]
}

function toItem({ award, state, findings }: ReportedAward, row: RfqListRow | undefined): TodayItem {
  const { channel, rfqId, rfqNumber } = award
  const name = row?.name ?? nameById(rfqId)
  return {
    kind: 'award',
    severity: findings[0]?.severity ?? 'low',
    ...rfqFields(channel, rfqId, row, rfqNumber),
    message: sentences(`Awarded: ${awardText(award)}.`, ...findings.map(({ message }) => message), state.next),
    since: findings[0]?.since ?? null,
    action: {
      message: state.status === 'differs' ? 'Decide again' : 'See the award',
      command: `quotekeeper award ${quoteForShell(name)} ${onChannel(channel)}${state.status === 'differs' ? ' --withdraw' : ''}`,
      path: rfqPath(channel, name),
    },
  }
}
