import type { SolvedAward } from '../../../src/domain/comparison/decision/switch-table-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { RfqLayout } from '../layout.js'
import { BEST_SCORE, type Fact, type Facts, factCell, figure, literal } from './recommendation-facts.js'
import type { FactKey } from './recommendation-grids.js'
import { currentEntry, isSolvedAhead, listOf } from './solved-awards.js'

interface CachedRunnerUp {
  total: number
  offers: readonly number[]
  score: number | null
}

function cachedRunnerUp(layout: RfqLayout): CachedRunnerUp | null {
  const { decision } = layout.report
  if (!isSolvedAhead(layout)) {
    const award = decision.recommendation.runnerUp?.award
    if (award === undefined) return null
    return { total: award.total, offers: award.offers.map(({ sequence }) => sequence), score: award.score }
  }
  let best: SolvedAward | undefined
  for (const alternative of currentEntry(layout)?.alternatives ?? []) {
    const solved = alternative === null ? undefined : decision.switches.awards[alternative]
    if (solved !== undefined && (best === undefined || solved.total < best.total)) best = solved
  }
  return best === undefined ? null : { total: best.total, offers: best.sequences, score: scoreOf(layout, best) }
}

/** The mean score of an award, weighted by tonnes; null if one of its offers has none. */
function scoreOf({ failures }: RfqLayout, { sequences }: SolvedAward): number | null {
  let [points, tonnes] = [0, 0]
  const members = new Set(sequences)
  for (const { offer, volume } of failures.candidates) {
    if (!members.has(offer.sequence)) continue
    if (offer.scores === null) return null
    points += offer.scores.total * volume
    tonnes += volume
  }
  return tonnes > 0 ? points / tonnes : null
}

/** Figures of the runner-up: the best award that does without one of the recommended offers. */
export function runnerUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, offers, scoring } = layout
  const { award } = report.decision.recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const money = numbers.money(currency)
  const runnerUp = cachedRunnerUp(layout)
  const [alternatives, totals] = [grids.awarded.range('alternative'), grids.awarded.range('alternativeTotal')]
  const isReported = !isSolvedAhead(layout)
  /** Only the price rules are solved ahead; the runner-up of another report is known for its own inputs only. */
  const fact = (
    label: string,
    solved: string,
    value: (found: CachedRunnerUp) => number | string | null,
    look: style.Style,
  ): Fact => {
    const cached = runnerUp === null ? NO_FIGURE : (value(runnerUp) ?? NO_FIGURE)
    const unknown = `IF(AND(InputsChanged>0,OR(${BEST_SCORE},${at('alternatives')}="")),"Run: "&ReportCommand,"${NO_FIGURE}")`
    const reported = isReported ? `IF(InputsChanged=0,${literal(cached)},${unknown})` : unknown
    const found = `IF(COUNT(${totals})=0,${reported},${solved})`
    return figure(label, `IF(${at('problem')}="",${found},${at('problem')})`, cached, look)
  }
  const members = `INDEX(${grids.solved.range('members')},INDEX(${alternatives},MATCH(MIN(${totals}),${totals},0))+1)`
  const isMember = `ISNUMBER(SEARCH(","&${grids.offers.range('offer')}&",",${members}))`
  const mean = `SUM(IF(${isMember},${offers.range('volume')}*${scoring.range('total')}))/SUM(IF(${isMember},${offers.range('volume')}))`
  return {
    runnerUpTotal: fact(
      withCurrency('Total of the runner-up', currency),
      `MIN(${totals})`,
      ({ total }) => total,
      money,
    ),
    runnerUpDifference: fact(
      withCurrency('Runner-up: difference', currency),
      `MIN(${totals})-${at('total')}`,
      ({ total }) => total - (award?.total ?? 0),
      money,
    ),
    runnerUpPoints: {
      ...fact(
        'Points of the award above the runner-up',
        `IFERROR(${at('score')}-${mean},"${NO_FIGURE}")`,
        ({ score }) => (score === null || award === null || award.score === null ? null : award.score - score),
        style.oneDecimal,
      ),
      array: true,
    },
    runnerUpOffers: fact('Offers of the runner-up', listOf(members), (found) => found.offers.join(', '), style.body),
  } satisfies Partial<Facts>
}
