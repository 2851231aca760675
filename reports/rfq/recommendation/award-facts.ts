import type { DecisionAward } from '../../../src/domain/comparison/decision/decision-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { CachedResult } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import { BEST_SCORE, type Fact, type Facts, factCell, figure } from './recommendation-facts.js'
import type { FactKey, SolvedKey } from './recommendation-grids.js'
import { solutionText } from './solved-awards.js'

/** Figures of the recommended award as a whole: its status, tonnes, total, … */
export function awardFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, scoring } = layout
  const { award, status } = report.decision.recommendation
  const [tonnes, total] = [grids.offers.range('tonnes'), grids.offers.range('total')]
  const at = (key: FactKey) => factCell(layout, key)
  const hasAward = `OR(${at('status')}="award",${at('status')}="partial")`
  const ofAward = (
    label: string,
    expression: string,
    value: (found: DecisionAward) => CachedResult,
    look: style.Style,
  ): Fact => {
    const guarded = `IF(${hasAward},${expression},IF(${at('problem')}="","${NO_FIGURE}",${at('problem')}))`
    return figure(label, guarded, award === null ? NO_FIGURE : value(award), look)
  }
  const awarded = `COUNTIFS(${tonnes},">0")`
  const scored = `COUNTIFS(${tonnes},">0",${scoring.range('total')},">=0")`
  const developers = layout.award.range('developerNo')
  const isAwarded = `IF(ISNUMBER(${tonnes}),${tonnes}>0,FALSE)`
  const money = numbers.money(currency)
  const hasSolved = report.decision.switches.awards.length > 0
  const solved = (key: SolvedKey, byScore: string) =>
    hasSolved ? `IF(${BEST_SCORE},"${byScore}",INDEX(${grids.solved.range(key)},N(${at('awardNo')})+1))` : '"–"'
  return {
    status: figure(
      'Status',
      `IF(${at('problem')}="",${statusExpression(layout)},${at('problem')})`,
      status,
      style.boldBody,
    ),
    tonnes: ofAward('Tonnes', `SUM(${tonnes})`, (found) => found.tonnes, numbers.volume),
    total: ofAward(withCurrency('Total', currency), `SUM(${total})`, (found) => found.total, money),
    pricePerTonne: ofAward(
      withCurrency('Price per tonne', currency, '/t'),
      `SUM(${total})/SUM(${tonnes})`,
      (found) => found.pricePerTonne,
      numbers.price(currency),
    ),
    coverage: ofAward('Coverage', `MIN(1,SUM(${tonnes})/WantedVolume)`, (found) => found.coverage, style.percent),
    excessTonnes: ofAward(
      'Excess tonnes',
      `IF(${at('status')}="award",MAX(0,SUM(${tonnes})-WantedVolume),0)`,
      (found) => found.excessTonnes,
      numbers.volume,
    ),
    excessCost: ofAward(
      withCurrency('Cost of the excess', currency),
      `${at('excessTonnes')}*${at('pricePerTonne')}`,
      (found) => found.excessCost,
      money,
    ),
    offers: ofAward('Offers', awarded, (found) => found.offers.length, style.integer),
    developers: {
      ...ofAward(
        'Developers',
        `SUM(--(FREQUENCY(IF(${isAwarded},${developers}),${developers})>0))`,
        (found) => found.developers,
        style.integer,
      ),
      array: true,
    },
    score: ofAward(
      'Score',
      `IF(${scored}=${awarded},SUMPRODUCT(${tonnes},${scoring.range('total')})/SUM(${tonnes}),"${NO_FIGURE}")`,
      (found) => found.score ?? NO_FIGURE,
      style.oneDecimal,
    ),
    solution: ofAward(
      'Solution',
      solved('solution', solutionText(true)),
      (found) => solutionText(found.exact),
      style.body,
    ),
    lowerBound: ofAward(
      withCurrency('Lower bound on cost', currency),
      solved('lowerBound', NO_FIGURE),
      (found) => found.lowerBound ?? NO_FIGURE,
      money,
    ),
  } satisfies Partial<Facts>
}

function statusExpression(layout: RfqLayout): string {
  const { report, failures, recommendation } = layout
  if (report.offers.length === 0) return '"no-offers"'
  const tonnes = `SUM(${recommendation.offers.range('tonnes')})`
  const found = `IF(${tonnes}>0,IF(${tonnes}>=${factCell(layout, 'least')},"award","partial"),"none")`
  return `IF(ISNUMBER(WantedVolume),${failures.candidates.length === 0 ? '"no-offers"' : found},"no-target")`
}
