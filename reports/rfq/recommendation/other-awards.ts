import { isSolvedAhead } from '../../../src/domain/comparison/decision/current-entry.js'
import type { DecisionAward } from '../../../src/domain/comparison/decision/decision-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { CachedResult } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import {
  BEST_SCORE,
  type EntryKey,
  type Fact,
  type FactKey,
  type Facts,
  factCell,
  figure,
  literal,
  REGARDLESS,
  type SolvedKey,
} from './recommendation-grids.js'
import { listOf, membersText, NO_AWARD } from './solved-awards.js'

const sequencesOf = ({ offers }: DecisionAward) => offers.map(({ sequence }) => sequence)

/** Figures of the runner-up: the best award that does without one of the recommended offers. */
export function runnerUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, offers, scoring } = layout
  const { award, runnerUp } = report.decision.recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const money = numbers.money(currency)
  const [alternatives, totals] = [grids.awarded.range('alternative'), grids.awarded.range('alternativeTotal')]
  /** Only the price rules are solved ahead; the runner-up of another report is known for its own inputs only. */
  const fact = (label: string, solved: string, value: CachedResult | undefined, look: style.Style): Fact => {
    const cached = value ?? NO_FIGURE
    const unknown = `IF(AND(InputsChanged>0,OR(${BEST_SCORE},${at('alternatives')}="")),"Run: "&ReportCommand,"${NO_FIGURE}")`
    const reported = `IF(InputsChanged=0,${literal(cached as number | string)},${unknown})`
    const found = `IF(COUNT(${totals})=0,${isSolvedAhead(report) ? unknown : reported},${solved})`
    return figure(label, `IF(${at('problem')}="",${found},${at('problem')})`, cached, look)
  }
  const members = `INDEX(${grids.solved.range('members')},INDEX(${alternatives},MATCH(MIN(${totals}),${totals},0))+1)`
  const isMember = `ISNUMBER(SEARCH(","&${grids.offers.range('offer')}&",",${members}))`
  const mean = `SUM(IF(${isMember},${offers.range('volume')}*${scoring.range('total')}))/SUM(IF(${isMember},${offers.range('volume')}))`
  const points = `IFERROR(${at('score')}-${mean},"${NO_FIGURE}")`
  const difference = runnerUp === null ? null : runnerUp.award.total - (award?.total ?? 0)
  const numbersOf = runnerUp === null ? null : sequencesOf(runnerUp.award).join(', ')
  return {
    runnerUpTotal: fact(
      withCurrency('Total of the runner-up', currency),
      `MIN(${totals})`,
      runnerUp?.award.total,
      money,
    ),
    runnerUpDifference: fact(
      withCurrency('Runner-up: difference', currency),
      `MIN(${totals})-${at('total')}`,
      difference,
      money,
    ),
    runnerUpPoints: {
      ...fact('Points of the award above the runner-up', points, runnerUp?.pointsDifference, style.oneDecimal),
      array: true,
    },
    runnerUpOffers: fact('Offers of the runner-up', listOf(members), numbersOf, style.body),
  } satisfies Partial<Facts>
}

/** Figures of the closest award that reaches the wanted volume if requirements are waived, when the rule finds none. */
export function closestFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency } = layout
  const { closest } = report.decision.recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const entryOf = (key: EntryKey) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`
  const solvedOf = (key: SolvedKey, number: FactKey = 'closestNo') =>
    `INDEX(${grids.solved.range(key)},N(${at(number)})+1)`
  const isShort = `AND(OR(${at('status')}="none",${at('status')}="partial"),${at('entry')}>0,NOT(${REGARDLESS}))`
  const isReached = `IF(ISNUMBER(${at('awardNo')}),${solvedOf('reached', 'awardNo')}="yes",FALSE)`
  const number = `IF(${isShort},IF(AND(${BEST_SCORE},${isReached}),${at('awardNo')},${entryOf('closest')}),"${NO_AWARD}")`
  const fact = (label: string, expression: string, cached: CachedResult | undefined, look: style.Style): Fact =>
    figure(label, `IF(ISNUMBER(${at('closestNo')}),${expression},"${NO_FIGURE}")`, cached ?? NO_FIGURE, look)
  const [total, money] = [withCurrency('Closest award: total', currency), numbers.money(currency)]
  const waived = `IF(${at('closestNo')}=${at('awardNo')},"",${entryOf('waived')}&"")`
  const titles = closest?.waived.map(({ title }) => title).join('; ')
  const numbersOf = closest === null ? null : sequencesOf(closest.award).join(', ')
  return {
    closestNo: figure('Number of the closest award', number, solvedNumber(layout, closest?.award), style.plainNumber),
    closestOffers: fact('Closest award: offers', listOf(solvedOf('members')), numbersOf, style.body),
    closestTonnes: fact('Closest award: tonnes', solvedOf('tonnes'), closest?.award.tonnes, numbers.volume),
    closestTotal: fact(total, solvedOf('total'), closest?.award.total, money),
    closestWaived: fact('Requirements to waive for it', waived, titles, style.body),
  } satisfies Partial<Facts>
}

/** The number of an award among those solved ahead. */
function solvedNumber({ report }: RfqLayout, award: DecisionAward | undefined): number | string {
  if (award === undefined) return NO_AWARD
  const members = membersText({ sequences: sequencesOf(award) })
  const { awards } = report.decision.switches
  const at = awards.findIndex((solved) => solved.reached === award.reached && membersText(solved) === members)
  return at < 0 ? NO_AWARD : at
}
