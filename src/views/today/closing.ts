import type { ApprovalPlan, UnsettledClose } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import type { RfqFigures } from '../../recommendations/rfq-figures.js'
import { createRulesLookup } from '../channels/channel-rules.js'
import { blockedRoundMessage, keptReason, nextRoundPrediction, unsettledText } from '../closings/closing-outlook.js'
import { closingPath, listPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { listedText } from './listed.js'
import {
  filterOf,
  keyOf,
  NO_RFQ,
  onChannel,
  rfqFields,
  sentences,
  type TodayContext,
  type TodayItem,
} from './today-view.js'

/** Closes and closing rounds that need attention, and RFQs that nothing closed. */
export async function closingItems(context: TodayContext): Promise<TodayItem[]> {
  const filter = { ...filterOf(context), now: context.now }
  const [unsettled, plans] = await Promise.all([
    context.source.store.unsettledCloses(filter),
    context.source.store.pendingPlans(filter),
  ])
  const named = [
    ...unsettled.map(({ channel, rfqId }) => keyOf({ channel, id: rfqId })),
    ...plans.flatMap(({ channel, rfqIds }) => rfqIds.map((id) => keyOf({ channel, id }))),
  ]
  const findClockSkewBlock = createClockLookup(context)
  const rows = await context.rowsOf(unsettled)
  return [
    ...(await Promise.all(
      unsettled.map(async (close) => unsettledItem(close, rows, await findClockSkewBlock(close.channel))),
    )),
    ...(await Promise.all(
      plans.map(async (plan) =>
        blockedRoundItem(plan, await context.source.findClosingBlocker(plan.channel, context.now)),
      ),
    )),
    ...(await overdueItems(context, new Set(named), findClockSkewBlock)),
  ]
}

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
      message: 'See whether the round has ended',
      command: `quotekeeper runs --kind close ${onChannel(channel)}`,
    }
  return decisionId === null
    ? { message: 'Run a closing round', command: `quotekeeper close-expired ${onChannel(channel)}` }
    : { message: 'Look at the evidence', command: `quotekeeper closings --explain ${decisionId}` }
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
            message: 'Approve the round',
            command: `quotekeeper close-expired ${onChannel(channel)} --approve ${quoteForShell(plan)}`,
          }
        : { message: 'See the round', command: `quotekeeper closings ${onChannel(channel)}` }),
      path: listPath('closings', channel),
    },
  }
}

/** RFQs that are past due and open, unless an item about their close names them already. */
async function overdueItems(
  context: TodayContext,
  named: ReadonlySet<string>,
  findClockSkewBlock: ReturnType<typeof createClockLookup>,
): Promise<TodayItem[]> {
  const overdue = context.rows.filter((row) => isOverdue(row) && !named.has(keyOf(row)))
  const rulesOf = createRulesLookup(context.source.channels)
  const figures = await context.source.rfqs.figures(overdue, { now: context.now })
  const reasons = new Map<string, string>()
  const blockers = new Map<string, string | null>()
  for (const channel of new Set(overdue.map((row) => row.channel))) {
    const rules = rulesOf(channel)
    blockers.set(channel, await context.source.findClosingBlocker(channel, context.now))
    const ids = overdue.flatMap((row) => (row.channel === channel ? row.id : []))
    for (const decision of await context.source.store.newestDecisions(channel, ids)) {
      const reason = keptReason(decision, rules, await findClockSkewBlock(channel))
      if (reason !== undefined) reasons.set(keyOf({ channel, id: decision.rfqId }), reason)
    }
  }
  return Promise.all(
    overdue.map(async (row, at) => {
      const { autoClose } = rulesOf(row.channel)
      const blocker = autoClose === 'on' ? (blockers.get(row.channel) ?? null) : null
      const clocks = blocker === null ? await findClockSkewBlock(row.channel) : null
      const kept = reasons.get(keyOf(row))
      const { message, isClosable } = nextRoundPrediction(row, { autoClose, blocker, clocks, kept })
      return {
        kind: 'overdue',
        severity: isClosable ? 'medium' : 'high',
        ...rfqFields(row.channel, row.id, row),
        message: sentences(
          `Past due since ${row.responseDueDate} and still open.`,
          listedText(row),
          message,
          acceptedText(figures[at]),
        ),
        since: null,
        action: {
          message: isClosable ? 'Close it now' : 'See why it is open',
          command: isClosable
            ? `quotekeeper close-expired ${onChannel(row.channel)}`
            : `quotekeeper closings --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
          path: closingPath(row.channel, row.name),
        },
      }
    }),
  )
}

/** RFQs that were past due and open at a past moment. */
export async function pastOverdueItems({ rows, source, now, asOf }: TodayContext): Promise<TodayItem[]> {
  const overdue = rows.filter(isOverdue)
  const figures = await source.rfqs.figures(overdue, { now, ...(asOf && { asOf }) })
  return overdue.map((row, at) => ({
    kind: 'overdue',
    severity: 'high',
    ...rfqFields(row.channel, row.id, row),
    message: sentences(`Past due since ${row.responseDueDate} and open.`, listedText(row), acceptedText(figures[at])),
    since: null,
    action: {
      message: 'See what was decided',
      command: `quotekeeper closings --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
      path: closingPath(row.channel, row.name),
    },
  }))
}

/** Empty if no offer is accepted. */
const acceptedText = (figures: RfqFigures | undefined): string => figures?.accepted?.message ?? ''

const isOverdue = ({ overdue, missingSince }: RfqListRow) => overdue && missingSince === null
