import type { ClockStop } from '../domain/clock-skew.js'
import { acceptedInWords } from '../domain/comparison/decision/accepted-award.js'
import { formatCount } from '../domain/comparison/number-format.js'
import { isExpired } from '../domain/expiry.js'
import type { DecisionRecord, HeldPlan, UnsettledClose } from '../domain/records.js'
import { quoteForShell } from '../quote-for-shell.js'
import { type ChannelRules, createRulesLookup } from './channel-rules.js'
import { closingPath, listPath } from './page-paths.js'
import type { RfqFigures } from './rfq-figures.js'
import type { RfqListRow } from './rfq-list.js'
import { listedWords } from './today-listed.js'
import { filterOf, keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-model.js'

/** Closes and closing rounds that need a person, and RFQs that nothing closed. */
export async function closingItems(context: TodayContext): Promise<TodayItem[]> {
  const filter = { ...filterOf(context), now: context.now }
  const [unsettled, held] = await Promise.all([
    context.source.store.unsettledCloses(filter),
    context.source.store.heldPlans(filter),
  ])
  const named = [
    ...unsettled.map(({ channel, rfqId }) => keyOf({ channel, id: rfqId })),
    ...held.flatMap(({ channel, rfqIds }) => rfqIds.map((id) => keyOf({ channel, id }))),
  ]
  const clockStop = createClockLookup(context)
  return [
    ...(await Promise.all(
      unsettled.map(async (close) => unsettledItem(close, context, await clockStop(close.channel))),
    )),
    ...(await Promise.all(held.map(async (plan) => heldItem(plan, await context.source.closingHold(plan.channel))))),
    ...(await overdueItems(context, new Set(named), clockStop)),
  ]
}

/** What stopped the newest closing round of a channel, if its clocks did and it is set to close; looked up once for each. */
function createClockLookup({ source }: TodayContext): (channel: string) => Promise<ClockStop | null> {
  const rulesOf = createRulesLookup(source.channels)
  const known = new Map<string, Promise<ClockStop | null>>()
  return (channel) => {
    const stop = known.get(channel) ?? (rulesOf(channel).autoClose === 'on' ? source.clockStop(channel) : NO_STOP)
    known.set(channel, stop)
    return stop
  }
}

const NO_STOP = Promise.resolve(null)

function unsettledItem(close: UnsettledClose, { byId }: TodayContext, clocks: ClockStop | null): TodayItem {
  const { channel, rfqId, rfqNumber, outcome, inProgress, since, reason } = close
  const row = byId.get(keyOf({ channel, id: rfqId }))
  const name = row?.name ?? rfqId
  const waits = outcome === 'open' && !inProgress && clocks !== null ? ` ${clockWords(clocks)}` : ''
  const facts = `${sentence(reason)} ${sentence(close.remedy)}${waits}`
  return {
    kind: outcome === 'open' ? 'unsettled' : outcome,
    severity: inProgress ? 'low' : outcome === 'open' ? 'medium' : 'high',
    ...rfqFields(channel, rfqId, row, rfqNumber),
    words: inProgress ? facts : `${UNSETTLED_WORDS[outcome]}: ${facts}`,
    since,
    action: { ...unsettledAction(close), path: closingPath(channel, name) },
  }
}

function unsettledAction({ channel, inProgress, decisionId }: UnsettledClose): { words: string; command: string } {
  if (inProgress)
    return { words: 'See whether the round has ended', command: `quotekeeper runs --kind close ${onChannel(channel)}` }
  return decisionId === null
    ? { words: 'Run a closing round', command: `quotekeeper close-expired ${onChannel(channel)}` }
    : { words: 'Look at the evidence', command: `quotekeeper decisions --explain ${decisionId}` }
}

const UNSETTLED_WORDS: Record<UnsettledClose['outcome'], string> = {
  refused: 'The marketplace refused to close it',
  unknown: 'It is not known whether the close had an effect',
  failed: 'The close had no effect',
  open: 'A close is not settled',
}

const sentence = (text: string) => {
  const trimmed = text.trim()
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}

function heldItem({ plan, channel, rfqIds, since, expiresAt }: HeldPlan, hold: string | null): TodayItem {
  return {
    kind: 'held',
    severity: 'high',
    ...NO_RFQ,
    channel,
    words: [
      `A closing round of ${formatCount(rfqIds.length, 'RFQ')} waits for approval until ${minuteOf(expiresAt)} UTC.`,
      ...(hold === null ? [] : [heldWords(hold)]),
    ].join(' '),
    since,
    action: {
      // An approved round would close nothing while closing is stopped.
      ...(hold === null
        ? {
            words: 'Approve the round',
            command: `quotekeeper close-expired ${onChannel(channel)} --approve ${quoteForShell(plan)}`,
          }
        : { words: 'See the round', command: `quotekeeper decisions ${onChannel(channel)}` }),
      path: listPath('decisions', channel),
    },
  }
}

const minuteOf = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ')

/** RFQs that are past due and open, unless an item about their close names them already. */
async function overdueItems(
  context: TodayContext,
  named: ReadonlySet<string>,
  clockStop: ReturnType<typeof createClockLookup>,
): Promise<TodayItem[]> {
  const overdue = context.rows.filter((row) => isOverdue(row) && !named.has(keyOf(row)))
  const rulesOf = createRulesLookup(context.source.channels)
  const figures = await context.source.rfqs.figures(overdue, { now: context.now })
  const reasons = new Map<string, string>()
  const holds = new Map<string, string | null>()
  for (const channel of new Set(overdue.map((row) => row.channel))) {
    const { calendar, graceHours } = rulesOf(channel)
    holds.set(channel, await context.source.closingHold(channel))
    for (const decision of await context.source.store.newestDecisions(channel)) {
      const { rfqId, dueDate, decidedAt, repeatedUntil } = decision
      // A decision made before the RFQ was past due says nothing about why it is open now.
      const wasPastDue =
        dueDate !== null && isExpired(dueDate, calendar, graceHours, new Date(repeatedUntil ?? decidedAt))
      if (decision.decision !== 'keep' || !wasPastDue) continue
      const reason = (await clockStop(channel)) === null ? decision.reason : reasonWithoutClock(decision)
      reasons.set(keyOf({ channel, id: rfqId }), reason)
    }
  }
  return Promise.all(
    overdue.map(async (row, at) => {
      const { autoClose } = rulesOf(row.channel)
      const hold = autoClose === 'on' ? (holds.get(row.channel) ?? null) : null
      const clocks = hold === null ? await clockStop(row.channel) : null
      const kept = reasons.get(keyOf(row))
      const isClosable = autoClose === 'on' && hold === null && clocks === null && row.valid && kept === undefined
      const why = !row.valid
        ? row.listed?.own === undefined
          ? 'Its document is not valid, so it is never closed.'
          : 'While the list contradicts it, it is not closed.'
        : kept
          ? `Kept open: ${sentence(kept)}`
          : ''
      return {
        kind: 'overdue',
        severity: isClosable ? 'medium' : 'high',
        ...rfqFields(row.channel, row.id, row),
        words: [
          `Past due since ${row.responseDueDate} and still open.`,
          listedWords(row),
          hold !== null ? heldWords(hold) : clocks !== null ? clockWords(clocks) : CLOSING_WORDS[autoClose],
          why,
          acceptedWords(figures[at]),
        ]
          .filter((words) => words !== '')
          .join(' '),
        since: null,
        action: {
          words: isClosable ? 'Close it now' : 'See why it is open',
          command: isClosable
            ? `quotekeeper close-expired ${onChannel(row.channel)}`
            : `quotekeeper decisions --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
          path: closingPath(row.channel, row.name),
        },
      }
    }),
  )
}

/** Empty if there is no other: what the clocks showed then may not be so any more. */
function reasonWithoutClock({ evidence: { codes, against }, reason }: DecisionRecord): string {
  if (!Array.isArray(codes) || !Array.isArray(against)) return reason
  return against.filter((_, at) => codes[at] !== 'clock').join('; ')
}

/** RFQs that were past due and open at a past moment. */
export async function pastOverdueItems({ rows, source, now, asOf }: TodayContext): Promise<TodayItem[]> {
  const overdue = rows.filter(isOverdue)
  const figures = await source.rfqs.figures(overdue, { now, ...(asOf && { asOf }) })
  return overdue.map((row, at) => ({
    kind: 'overdue',
    severity: 'high',
    ...rfqFields(row.channel, row.id, row),
    words: `Past due since ${row.responseDueDate} and open. ${acceptedWords(figures[at])}`.trim(),
    since: null,
    action: {
      words: 'See what was decided',
      command: `quotekeeper decisions --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
      path: closingPath(row.channel, row.name),
    },
  }))
}

/** Empty if no offer is accepted. */
const acceptedWords = (figures: RfqFigures | undefined): string =>
  figures?.accepted ? acceptedInWords(figures.accepted, figures.currency) : ''

const isOverdue = ({ overdue, missingSince }: RfqListRow) => overdue && missingSince === null

/** Why nothing is closed on a channel at the moment. */
export const heldWords = (hold: string) => `Closing is stopped, so nothing is closed: ${hold}.`

/** Why nothing is closed on a channel until its clocks agree; amounts are those of its newest closing round. */
export const clockWords = ({ problem, isCompared, at }: ClockStop) =>
  `${isCompared ? 'The clocks differ, so nothing is closed until they agree' : 'The clocks cannot be compared, so nothing is closed until they can'}: ` +
  `${problem}, at the closing round of ${minuteOf(at)} UTC. \`quotekeeper check\` compares them now.`

const CLOSING_WORDS: Record<ChannelRules['autoClose'], string> = {
  on: 'The next closing round evaluates it.',
  'dry-run': 'The channel is set to dry-run, so nothing closes it.',
  off: 'Closing is off for the channel, so nothing closes it.',
}
