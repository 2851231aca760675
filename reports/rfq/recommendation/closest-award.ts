import type { DecisionAward } from '../../../src/domain/comparison/decision/decision-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { CachedResult } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import { BEST_SCORE, type Fact, type Facts, factCell, figure, REGARDLESS } from './recommendation-facts.js'
import type { EntryKey, FactKey, SolvedKey } from './recommendation-grids.js'
import { listOf, membersText, NO_AWARD } from './solved-awards.js'

/** Figures of the closest award that reaches the wanted volume if requirements are waived, when the rule finds none. */
export function closestFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency } = layout
  const { recommendation, switches } = report.decision
  const { closest } = recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const entryOf = (key: EntryKey) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`
  const solvedOf = (key: SolvedKey) => `INDEX(${grids.solved.range(key)},N(${at('closestNo')})+1)`
  const isShort = `AND(OR(${at('status')}="none",${at('status')}="partial"),${at('entry')}>0,NOT(${REGARDLESS}))`
  const isReached = `IF(ISNUMBER(${at('awardNo')}),INDEX(${grids.solved.range('reached')},N(${at('awardNo')})+1)="yes",FALSE)`
  const number = `IF(${isShort},IF(AND(${BEST_SCORE},${isReached}),${at('awardNo')},${entryOf('closest')}),"${NO_AWARD}")`
  const hasSolved = switches.entries.length > 0 && switches.awards.length > 0
  const fact = (label: string, expression: string, cached: CachedResult | undefined, look: style.Style): Fact => {
    const shown = `IF(ISNUMBER(${at('closestNo')}),${expression},"${NO_FIGURE}")`
    return figure(label, hasSolved ? shown : `IF(TRUE,"${NO_FIGURE}")`, cached ?? NO_FIGURE, look)
  }
  const cachedNumber = closest === null ? NO_AWARD : solvedNumber(layout, closest.award)
  return {
    closestNo: figure(
      'Number of the closest award',
      hasSolved ? number : `IF(TRUE,"${NO_AWARD}")`,
      cachedNumber,
      style.plainNumber,
    ),
    closestOffers: fact(
      'Closest award: offers',
      listOf(solvedOf('members')),
      closest?.award.offers.map(({ sequence }) => sequence).join(', '),
      style.body,
    ),
    closestTonnes: fact('Closest award: tonnes', solvedOf('tonnes'), closest?.award.tonnes, numbers.volume),
    closestTotal: fact(
      withCurrency('Closest award: total', currency),
      solvedOf('total'),
      closest?.award.total,
      numbers.money(currency),
    ),
    closestWaived: fact(
      'Requirements to waive for it',
      `IF(${at('closestNo')}=${at('awardNo')},"",${entryOf('waived')}&"")`,
      closest?.waived.map(({ title }) => title).join('; '),
      style.body,
    ),
  } satisfies Partial<Facts>
}

/** The number of an award among those solved ahead. */
function solvedNumber({ report }: RfqLayout, { offers, reached }: DecisionAward): number | string {
  const members = `,${offers.map(({ sequence }) => sequence).join(',')},`
  const at = report.decision.switches.awards.findIndex(
    (solved) => solved.reached === reached && membersText(solved) === members,
  )
  return at < 0 ? NO_AWARD : at
}
