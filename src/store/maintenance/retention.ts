import type { Pruning } from '../contract.js'

/** For how many days details are kept; null: forever. */
export interface Retention {
  keepRunsDays: number | null
  keepPlansDays: number | null
  keepEventsDays: number | null
}

/** The options for pruning at a moment. */
export function pruneOptions(
  { keepRunsDays, keepPlansDays, keepEventsDays }: Retention,
  now: Date,
): Parameters<Pruning['prune']>[0] {
  const before = (days: number | null) => (days === null ? null : new Date(now.getTime() - days * 24 * 3_600_000))
  return {
    foldRunsBefore: before(keepRunsDays),
    dropPlansBefore: before(keepPlansDays),
    dropEventsBefore: before(keepEventsDays),
  }
}
