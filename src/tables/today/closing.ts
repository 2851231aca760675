import type { ApprovalPlan, UnsettledClose } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'
import { createRulesLookup } from '../channels/channel-rules.js'
import { closeText, closingOutlook, outlookText, sentence } from '../closings/closing-outlook.js'
import { closingPath, closingsPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { filterOf, keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-view.js'

/** What becomes of an RFQ that is past due and open; `isPrevented`: closing rounds would close it, but for a reason. */
export interface OverdueOutlook {
  message: string
  /** The next closing round may close it, without a person. */
  isClosable: boolean
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
    ...unsettled.map((close) => unsettledItem(close, rows)),
    ...plans.map(async (plan) => blockedRoundItem(plan, await source.findClosingBlocker(plan.channel, now))),
  ])
  return {
    items: items.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
    named,
    outlooks: (wanted) =>
      outlooksOf(
        context,
        wanted.filter((row) => !named.has(keyOf(row))),
      ),
  }
}

const SEVERITIES = ['high', 'medium', 'low']

function unsettledItem(close: UnsettledClose, rows: ReadonlyMap<string, RfqListRow>): TodayItem {
  const { channel, rfqId, rfqNumber, outcome, inProgress, since } = close
  const row = rows.get(keyOf({ channel, id: rfqId }))
  const name = row?.name ?? nameById(rfqId)
  return {
    kind: outcome === 'open' ? 'unsettled' : outcome,
    severity: inProgress ? 'low' : outcome === 'open' ? 'medium' : 'high',
    ...rfqFields(channel, rfqId, row, rfqNumber),
    message: `${closeText(close)} ${sentence(close.remedy)}`,
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
  const { plan, channel, since, rfqIds, expiresAt } = approvalPlan
  return {
    kind: 'blocked',
    severity: 'high',
    ...NO_RFQ,
    channel,
    message: `A closing round of ${formatCount(rfqIds.length, 'RFQ')} waits for approval until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.${blocker === null ? '' : ` Closing is stopped, so nothing is closed: ${blocker}.`}`,
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
async function outlooksOf({ source, now }: TodayContext, rows: readonly RfqListRow[]) {
  const rulesOf = createRulesLookup(source.channels)
  const outlooks = new Map<string, OverdueOutlook>()
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const own = rows.filter((row) => row.channel === channel)
    const found = await closingOutlook(source, { channel, ids: own.map(({ id }) => id) }, now)
    for (const row of own) {
      const isClosable = found.stop === null && found.rfqs.get(row.id)?.why === null
      const isPrevented = rulesOf(channel).autoClose === 'on' && !isClosable
      outlooks.set(keyOf(row), { message: outlookText(found, row.id), isClosable, isPrevented })
    }
  }
  return outlooks
}
