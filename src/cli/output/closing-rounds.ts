import type { ClosingResult } from '../../closing/contract.js'
import type { DecisionRecord } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import { formatMinute } from '../../core/time/clock.js'
import type { Store } from '../../store/contract.js'
import { type Column, column } from '../../tables/column.js'
import type { Cli } from '../cli-context.js'
import type { SharedOptions } from '../input/options.js'
import { printJson, printNote, printTable } from './output.js'

/** The closing round of one channel. */
export interface ChannelRound {
  channel: string
  result: ClosingResult | null
  closings: DecisionRecord[]
  failures: string[]
}

/**
 * What a round closed, would close or found blocked, and what earlier rounds left unsettled. A decision that has not
 * changed is not recorded again, so the newest decision per RFQ is shown.
 */
export async function closingsToShow(
  store: Pick<Store, 'unclosedRfqs' | 'newestDecisions' | 'decisions'>,
  { run, decisions, unsettled }: ClosingResult,
): Promise<DecisionRecord[]> {
  const unclosed = await store.unclosedRfqs({ channel: run.channel })
  const isOfRound = ({ runId, repeatedUntil }: DecisionRecord) =>
    runId === run.id || (repeatedUntil !== null && repeatedUntil >= run.startedAt)
  const waiting = (await store.newestDecisions(run.channel, unclosed)).filter(
    (each) => ['would-close', 'blocked'].includes(each.decision) && isOfRound(each),
  )
  const ofRound = [...new Map(decisions.map((each) => [each.rfqId, each])).values()]
  const sent = ofRound.filter(({ decision }) => decision === 'close')
  const newest = [...waiting, ...sent].sort((a, b) => a.id - b.id)
  const left = unsettled
    .flatMap(({ decisionId }) => decisionId ?? [])
    .filter((id) => !newest.some((each) => each.id === id))
  const standing = await Promise.all(left.map((id) => store.decisions({ id })))
  return [...standing.flat(), ...newest]
}

/** Whether a round left something that needs attention. */
export const needsAttention = (result: ClosingResult | null): boolean =>
  result !== null && (result.unsettled.length > 0 || result.counts.blocked > 0)

/** What a round could not do, and what needs attention. */
export function failuresOf(result: ClosingResult): string[] {
  const { run, failures, stopReason, unsettled } = result
  const failed = failures.map(({ id, message }) => `${id}: ${message}`)
  const stopped = stopReason === null || failures.some(({ message }) => message === stopReason) ? [] : [stopReason]
  const left = unsettled.map(
    ({ rfqNumber, rfqId, outcome, since, remedy }) =>
      `RFQ ${rfqNumber ?? rfqId}: ${UNSETTLED[outcome]} since ${formatMinute(since)} UTC; ${remedy}`,
  )
  const lines = [...failed, ...stopped, ...left]
  return lines.length > 0 || run.outcome === 'complete' ? lines : [run.error ?? `the closing round is ${run.outcome}`]
}

const UNSETTLED = {
  refused: 'refused by the marketplace',
  unknown: 'close with unknown effect',
  failed: 'close without effect',
  open: 'close not settled',
}

/** `4 closed, 2 refused, 1 unknown, 1 blocked`: of all channels, RFQs that earlier rounds left unsettled included. */
function totals(rounds: readonly ChannelRound[]): string {
  const results = rounds.flatMap(({ result }) => result ?? [])
  const sum = (count: (result: ClosingResult) => number) => results.reduce((total, result) => total + count(result), 0)
  const unsettled = (outcome: keyof typeof UNSETTLED) =>
    sum((result) => result.unsettled.filter((each) => each.outcome === outcome).length)
  const counts: [number, string][] = [
    [sum(({ counts }) => counts.alreadyClosed), 'already closed'],
    [sum(({ counts }) => counts.wouldClose), 'would be closed'],
    [unsettled('refused'), 'refused'],
    [unsettled('unknown'), 'unknown'],
    [unsettled('failed'), 'failed'],
    [unsettled('open'), 'not settled'],
    [sum(({ counts }) => counts.blocked), 'blocked'],
  ]
  const others = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return [`${sum(({ counts }) => counts.closed)} closed`, ...others].join(', ')
}

const toJson = ({ result, ...round }: ChannelRound) => ({
  ...round,
  run: result?.run ?? null,
  approvalPlan: result?.approvalPlan ?? null,
  unsettled: result?.unsettled ?? [],
})

function emptyText(rounds: readonly ChannelRound[]): string {
  if (rounds.length === 0) return 'No RFQs were evaluated.'
  const results = rounds.flatMap(({ result }) => result ?? [])
  if (results.some(({ counts }) => counts.alreadyClosed > 0))
    return 'What was past due is closed already, by another process or person; `quotekeeper closings` lists it.'
  return results.some(({ run }) => run.seen > 0)
    ? 'No RFQ is to be closed; `quotekeeper closings` says why.'
    : 'No RFQs are past due.'
}

/** Prints the closings of all rounds as a table or JSON; what failed, and the totals, on stderr. */
export function printRounds(cli: Cli, { json }: Pick<SharedOptions, 'json'>, rounds: readonly ChannelRound[]): void {
  const { io } = cli
  const closings = rounds.flatMap((round) => round.closings)
  if (json) printJson(io, rounds.map(toJson))
  else if (closings.length > 0) printTable(io, COLUMNS, closings)
  else if (rounds.every(({ failures }) => failures.length === 0)) io.err(`${emptyText(rounds)}\n`)
  for (const { channel, result, failures } of rounds) {
    if (result)
      io.err(`${channel}: ${formatCount(result.run.seen, 'open RFQ')} evaluated, ${result.run.changed} closed.\n`)
    for (const failure of failures) printNote(cli, `${channel}: ${failure}`)
  }
  if (rounds.length > 0) io.err(`${totals(rounds)}\n`)
}

const COLUMNS: readonly Column<DecisionRecord>[] = [
  column('id', 'Id', 'id', 5, ({ id }) => id),
  column('rfq', 'RFQ', 'id', 9, ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId),
  column('channel', 'Channel', 'text', 2, ({ channel }) => channel),
  column('dueDate', 'Due', 'date', 8, ({ dueDate }) => dueDate),
  column('decision', 'Decision', 'state', 9, ({ decision }) => decision),
  column('outcome', 'Outcome', 'state', 9, ({ outcome }) => outcome),
  column('reason', 'Reason', 'text', 9, ({ decision, reason, message }) =>
    decision === 'would-close' ? null : message ? `${reason} (${message})` : reason,
  ),
]
