import { round6 } from '../../core/numbers.js'
import { CRITERIA, type Criterion, type Settings } from '../../core/settings.js'
import { CRITERION_NAMES } from '../offer/criterion-text.js'
import { type RankedOffer, ranksOf, totalScore } from '../offer/ranking.js'
import type { CriteriaDecision } from './decision-model.js'

/** Which criteria distinguish the ranked offers, and the ranking without those that do not. */
export function discriminatingCriteria(ranked: readonly RankedOffer[], weights: Settings['weights']): CriteriaDecision {
  const isSame = (criterion: Criterion) =>
    ranked.every(({ scores }) => round6(scores[criterion]) === round6(ranked[0]?.scores[criterion] ?? 0))
  const comparable = ranked.length > 1
  const same = comparable ? CRITERIA.filter(isSame) : []
  const criteria = CRITERIA.map((criterion) => ({
    criterion,
    title: CRITERION_NAMES[criterion],
    weight: weights[criterion],
    distinguishes: comparable ? !same.includes(criterion) : null,
    words: same.includes(criterion) ? 'Does not distinguish these offers.' : '',
  }))
  return { criteria, ...rankingWithout(ranked, weights, same, comparable) }
}

function rankingWithout(
  ranked: readonly RankedOffer[],
  weights: Settings['weights'],
  same: readonly Criterion[],
  comparable: boolean,
): Pick<CriteriaDecision, 'ranking' | 'words'> {
  if (!comparable)
    return { ranking: null, words: 'Fewer than two offers are ranked, so no criterion distinguishes them.' }
  const weighted = same.filter((criterion) => weights[criterion] > 0)
  if (weighted.length === 0)
    return { ranking: null, words: 'Every criterion with a weight distinguishes these offers.' }
  const remaining = { ...weights, ...Object.fromEntries(same.map((criterion) => [criterion, 0])) }
  const names = weighted.map((criterion) => CRITERION_NAMES[criterion]).join(', ')
  const totals = ranked.map(({ scores }) => totalScore(scores, remaining))
  if (totals.includes(null))
    return { ranking: null, words: `No criterion with a weight distinguishes these offers: ${names}.` }
  const scored = ranked.map(({ id, sequence }, at) => ({ offerId: id, sequence, total: totals[at] ?? 0 }))
  const ranks = ranksOf(scored, ({ total }) => -total)
  const ranking = scored.map(({ offerId, total }, at) => ({ offerId, total, rank: ranks[at] ?? 0 }))
  return { ranking, words: `Without the criteria that do not distinguish these offers: ${names}.` }
}
