import type { ClosingResult } from '../src/closing/contract.js'
import type { DecisionRecord, RunRecord } from '../src/core/records.js'
import { describeShortage, SHORTAGE_REMEDY } from '../src/core/requests/request-rates.js'
import { quoteForShell } from '../src/core/text/quote-for-shell.js'
import type { PollResult } from '../src/sync/contract.js'
import type { Log } from './contract.js'

/**
 * Logs one line per run: outcome, counts, and duration in seconds. A closing round that is partial for the same reason
 * as the one before is logged as `info`.
 * @param previous the previous run of this kind
 * @param cause who started the run; null if it was the schedule
 * @param rfq the RFQ to which a closing round was limited
 */
export function logRunSummary(
  result: PollResult | ClosingResult,
  log: Log,
  { previous, cause, rfq }: { previous: RunRecord | null; cause: string | null; rfq: string | undefined },
): void {
  const { id, startedAt, finishedAt, error, suspicious: _suspicious, notBefore, ...run } = result.run
  const { requestRates: _rates, cause: _cause, stop: _stop, ...rest } = run
  const seconds = finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000
  const facts = {
    ...{ run: id, cause: cause ?? undefined, rfq, ...rest, seconds },
    ...('decisions' in result ? closingFacts(result) : {}),
    failures: result.failures.length || undefined,
    notBefore: notBefore ?? undefined,
    error: error ?? undefined,
  }
  const isNew = rest.kind !== 'close' || previous?.outcome !== rest.outcome || previous.error !== error
  const level = rest.outcome === 'failed' ? 'error' : rest.outcome === 'complete' || !isNew ? 'info' : 'warn'
  log[level](facts, `${rest.kind} of ${rest.channel}: ${rest.outcome}`)
  logShortage(result.run, previous, log)
}

/** Logs once when the request budget is exceeded, and once when it no longer is. */
function logShortage({ channel, requestRates }: RunRecord, previous: RunRecord | null, log: Log): void {
  if (requestRates === null) return
  const shortage = describeShortage(requestRates)
  const before = describeShortage(previous?.requestRates)
  if (shortage !== null && before === null) log.warn({ channel, ...requestRates }, `${shortage}; ${SHORTAGE_REMEDY}`)
  if (shortage === null && before !== null)
    log.info({ channel, ...requestRates }, 'the request budget is no longer exceeded')
}

/** Logs a decision of a closing round, with the head hash of the closing log: a warning if it needs attention. */
export function logDecision(recorded: DecisionRecord, log: Log): void {
  const { id, runId, channel, rfqId, rfqNumber, decision, outcome, reason, evidence, hash } = recorded
  const situation = outcome ?? (isOpenIntent(evidence) ? 'not settled' : decision)
  const level = ['closed', 'already-closed', 'keep', 'would-close'].includes(situation) ? 'info' : 'warn'
  const facts = { run: runId, channel, rfq: rfqId, number: rfqNumber, decision: id, head: hash, reason }
  log[level](facts, `close of RFQ ${rfqNumber ?? rfqId}: ${situation}`)
}

const isOpenIntent = ({ codes }: Record<string, unknown>): boolean =>
  Array.isArray(codes) && codes.includes('open-intent')

function closingFacts({ run, decisions, approvalPlan, unsettled, counts }: ClosingResult) {
  const count = (matches: (decision: ClosingResult['decisions'][number]) => boolean) => decisions.filter(matches).length
  return {
    closed: count(({ outcome }) => outcome === 'closed'),
    wouldClose: count(({ decision }) => decision === 'would-close'),
    refused: count(({ outcome }) => outcome === 'refused'),
    unknown: count(({ outcome }) => outcome === 'unknown'),
    blocked: counts.blocked,
    ...(unsettled.length > 0 && { unsettled: unsettled.length }),
    ...(approvalPlan !== null && {
      approve: `quotekeeper close-expired --channel ${quoteForShell(run.channel)} --approve ${approvalPlan}`,
    }),
  }
}
