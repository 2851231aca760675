import { hash } from 'node:crypto'
import { quoteForShell } from '../core/text/quote-for-shell.js'
import type { Evaluation } from './evaluate.js'

/** What a round with more RFQs than `maxPerRun` waits for (docs/CLOSING.md, rule 5). */
export interface Approval {
  plan: string
  /** Why the round is blocked. */
  reason: string
  /** The command with which a person approves it. */
  command: string
}

/**
 * The approval that a closing round needs; null if it is small enough. The plan is a hash, so that it approves only the RFQs that a person
 * saw, with their due dates, on the same day.
 * @param day in the time zone of the channel, YYYY-MM-DD
 * @param qualified the RFQs that qualify, by id
 */
export function approvalOf(
  { channel, day, maxPerRun }: { channel: string; day: string; maxPerRun: number },
  qualified: ReadonlyMap<string, Evaluation>,
): Approval | null {
  if (qualified.size <= maxPerRun) return null
  const rfqs = [...qualified].map(([id, { dueDate }]) => JSON.stringify([id, dueDate])).sort()
  const plan = `plan-${hash('sha256', JSON.stringify([channel, day, rfqs])).slice(0, 12)}`
  return {
    plan,
    reason: `${qualified.size} RFQs are past due, more than maxPerRun (${maxPerRun})`,
    command: `quotekeeper close-expired --channel ${quoteForShell(channel)} --approve ${plan}`,
  }
}
