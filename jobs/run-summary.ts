import type { ClosingResult } from '../src/closing/contract.js'
import type { PollResult } from '../src/sync/contract.js'
import type { Log } from './contract.js'

/** Logs one line per run: outcome, counts, and duration in seconds. */
export function logRunSummary(result: PollResult | ClosingResult, log: Log): void {
  const { id, startedAt, finishedAt, error, suspicious: _suspicious, notBefore, ...rest } = result.run
  const seconds = finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000
  const facts = {
    run: id,
    ...rest,
    seconds,
    ...('decisions' in result ? closingFacts(result) : {}),
    ...(result.failures.length > 0 && { failures: result.failures.length }),
    ...(notBefore !== null && { notBefore }),
    ...(error !== null && { error }),
  }
  const level = rest.outcome === 'failed' ? 'error' : rest.outcome === 'complete' ? 'info' : 'warn'
  log[level](facts, `${rest.kind} of ${rest.channel}: ${rest.outcome}`)
}

function closingFacts({ decisions, approvalPlan }: ClosingResult) {
  const count = (matches: (decision: ClosingResult['decisions'][number]) => boolean) => decisions.filter(matches).length
  return {
    closed: count(({ outcome }) => outcome === 'closed'),
    wouldClose: count(({ decision }) => decision === 'would-close'),
    refused: count(({ outcome }) => outcome === 'refused'),
    unknown: count(({ outcome }) => outcome === 'unknown'),
    held: count(({ decision }) => decision === 'held'),
    ...(approvalPlan !== null && { approve: `quotekeeper close-expired --approve ${approvalPlan}` }),
  }
}
