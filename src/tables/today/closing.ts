import type { ApprovalPlan, UnsettledClose } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import { createRulesLookup } from '../channels/channel-rules.js'
import {
  blockedRoundMessage,
  type ClosingOutlook,
  keptReason,
  nextRoundPrediction,
  unsettledText,
} from '../closings/closing-outlook.js'
import { closingPath, closingsPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { filterOf, keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-view.js'

/** What becomes of an RFQ that is past due and open; `isPrevented`: closing rounds would close it, but for a reason. */
export interface OverdueOutlook extends ClosingOutlook {
  isPrevented: boolean
}

/** Closings that need attention. */
export interface Closings {
  items: TodayItem[]
  /** `keyOf` the RFQs that they are about. */
  named: ReadonlySet<string>
  /** What becomes of RFQs that are past due and open, by `keyOf`, except of those that are named. */
  outlooks: (rows: readonly RfqListRow[]) => Promise<ReadonlyMap<string, OverdueOutlook>>
}

/** Closes and closing rounds that need attention. */
export async function readClosings(context: TodayContext): Promise<Closings> {
  const { source, now } = context
  const findClockSkewBlock = createClockLookup(context)
  const filter = { ...filterOf(context), now }
  const [unsettled, plans] = await Promise.all([
    source.store.unsettledCloses(filter),
    source.store.pendingPlans(filter),
  ])
  const named = new Set([
    ...unsettled.map(({ channel, rfqId }) => keyOf({ channel, id: rfqId })),
    ...plans.flatMap(({ channel, rfqIds }) => rfqIds.map((id) => keyOf({ channel, id }))),
  ])
  const rows = new Map<string, RfqListRow>()
  for (const channel of new Set(unsettled.map((close) => close.channel))) {
    const ids = unsettled.flatMap((close) => (close.channel === channel ? close.rfqId : []))
    for (const row of await source.rfqs.rows({ now, channel, ids })) rows.set(keyOf(row), row)
  }
  const items = await Promise.all([
    ...unsettled.map(async (close) => unsettledItem(close, rows, await findClockSkewBlock(close.channel))),
    ...plans.map(async (plan) => blockedRoundItem(plan, await source.findClosingBlocker(plan.channel, now))),
  ])
  return {
    items: items.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
    named,
    outlooks: (wanted) =>
      outlooksOf(
        context,
        wanted.filter((row) => !named.has(keyOf(row))),
        findClockSkewBlock,
      ),
  }
}

const SEVERITIES = ['high', 'medium', 'low']

/** What stopped the newest closing round of a channel, if its clocks did and it is set to close; looked up once for each. */
function createClockLookup({ source }: TodayContext): (channel: string) => Promise<ClockSkewBlock | null> {
  const rulesOf = createRulesLookup(source.channels)
  const known = new Map<string, Promise<ClockSkewBlock | null>>()
  return (channel) => {
    const stop =
      known.get(channel) ?? (rulesOf(channel).autoClose === 'on' ? source.findClockSkewBlock(channel) : NO_STOP)
    known.set(channel, stop)
    return stop
  }
}

const NO_STOP = Promise.resolve(null)

function unsettledItem(
  close: UnsettledClose,
  rows: ReadonlyMap<string, RfqListRow>,
  clocks: ClockSkewBlock | null,
): TodayItem {
  const { channel, rfqId, rfqNumber, outcome, inProgress, since } = close
  const row = rows.get(keyOf({ channel, id: rfqId }))
  const name = row?.name ?? nameById(rfqId)
  return {
    kind: outcome === 'open' ? 'unsettled' : outcome,
    severity: inProgress ? 'low' : outcome === 'open' ? 'medium' : 'high',
    ...rfqFields(channel, rfqId, row, rfqNumber),
    message: unsettledText(close, clocks),
    since,
    action: { ...unsettledAction(close), path: closingPath(channel, name) },
  }
}

function unsettledAction({ channel, inProgress, decisionId }: UnsettledClose): { message: string; command: string } {
  if (inProgress)
    return {
      message: 'See the round',
      command: `quotekeeper runs --kind close ${onChannel(channel)}`,
    }
  return decisionId === null
    ? { message: 'See why', command: `quotekeeper close-expired ${onChannel(channel)}` }
    : { message: 'See the evidence', command: `quotekeeper closings --explain ${decisionId}` }
}

function blockedRoundItem(approvalPlan: ApprovalPlan, blocker: string | null): TodayItem {
  const { plan, channel, since } = approvalPlan
  return {
    kind: 'blocked',
    severity: 'high',
    ...NO_RFQ,
    channel,
    message: blockedRoundMessage(approvalPlan, blocker),
    since,
    action: {
      // An approved round would close nothing while closing is stopped.
      ...(blocker === null
        ? {
            message: 'See the round',
            command: `quotekeeper close-expired ${onChannel(channel)} --approve ${quoteForShell(plan)}`,
          }
        : { message: 'See the round', command: `quotekeeper closings ${onChannel(channel)}` }),
      path: closingsPath(channel),
    },
  }
}

/** What becomes of RFQs that are past due and open, by `keyOf`. */
async function outlooksOf(
  { source, now }: TodayContext,
  rows: readonly RfqListRow[],
  findClockSkewBlock: ReturnType<typeof createClockLookup>,
): Promise<Map<string, OverdueOutlook>> {
  const rulesOf = createRulesLookup(source.channels)
  const outlooks = new Map<string, OverdueOutlook>()
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const own = rows.filter((row) => row.channel === channel)
    const rules = rulesOf(channel)
    const { autoClose } = rules
    const blocker = autoClose === 'on' ? await source.findClosingBlocker(channel, now) : null
    const skew = await findClockSkewBlock(channel)
    const decisions = await source.store.newestDecisions(
      channel,
      own.map(({ id }) => id),
    )
    const reasons = new Map(decisions.map((decision) => [decision.rfqId, keptReason(decision, rules, skew)]))
    const clocks = blocker === null ? skew : null
    for (const row of own) {
      const outlook = nextRoundPrediction(row, { autoClose, blocker, clocks, kept: reasons.get(row.id) })
      outlooks.set(keyOf(row), { ...outlook, isPrevented: autoClose === 'on' && !outlook.isClosable })
    }
  }
  return outlooks
}
