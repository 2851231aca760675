import { type AwardScenario, isExact } from '../../src/domain/comparison/awards/award-model.js'
import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import type { ScenarioName } from '../../src/domain/comparison/decision/decision-model.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import {
  isSolved,
  type ScenarioRow,
  SHEET_SCENARIOS,
  type SheetScenario,
  type SolvedSet,
  solvedSet,
} from './award-scenario.js'
import { byWantedBasis, REACHED_FACTOR } from './award-sets.js'
import { levelsChangedCell } from './award-tonnes.js'
import type { RfqLayout } from './layout.js'
import { recommendationFact } from './recommendation/recommendation-block.js'

/** Replaces the solution of a searched award when inputs it depends on have changed. */
export const OUTDATED = 'outdated'

const solutionOf = (found: Pick<SolvedSet, 'exact'> | null) =>
  found === null ? OUTDATED : found.exact ? 'proven' : 'best found'

/** The condition under which the award shown for a scenario is not the best one for the current inputs. */
export function outdatedWhen(layout: RfqLayout, scenario: SheetScenario): string {
  if (scenario === 'recommended') return `${recommendationFact(layout, 'problem').cell}<>""`
  if (scenario === 'cheapest-regardless') return 'AwardRatesChanged>0'
  return isExact(scenario as AwardScenario) ? 'RatesChanged>0' : `AwardRatesChanged+${levelsChangedCell(layout)}>0`
}

/** How a scenario was solved: by formula, by search (proven or best found, until outdated), or by the reader. */
export function solutionCell(layout: RfqLayout, award: ScenarioRow): Cell {
  const { report } = layout
  const { scenario } = award
  if (scenario === 'recommended') {
    const { cell, cached } = recommendationFact(layout, 'solution')
    return formula(`IF(${outdatedWhen(layout, scenario)},"${OUTDATED}",${cell})`, cached, style.centred)
  }
  if (!isSolved(scenario)) return text(scenario === 'own' ? 'your own' : 'formula', style.centred)
  const solution = byWantedBasis((basis) => stringLiteral(solutionOf(solvedSet(report, scenario, basis))))
  return formula(`IF(${outdatedWhen(layout, scenario)},"${OUTDATED}",${solution})`, solutionOf(award), style.centred)
}

/**
 * Lower bound on the cost of an award. Buying parts of offers never costs more than buying whole offers, so the divisible
 * scenario is a lower bound for a searched award that is outdated.
 */
export function lowerBoundCell(layout: RfqLayout, award: ScenarioRow): Cell {
  const { report, numbers, currency, scenarios } = layout
  const { scenario } = award
  if (!isSolved(scenario)) return blank(style.body)
  const divisible = SHEET_SCENARIOS.indexOf('cheapest-divisible')
  const bound = byWantedBasis((basis) => `${solvedSet(report, scenario, basis)?.lowerBound ?? '""'}`)
  // Only ranked offers are part of the divisible scenario.
  const outdated = isExact(scenario as AwardScenario)
    ? `IF(${scenarios.at('reached', divisible)}="yes",${scenarios.at('total', divisible)},"")`
    : '""'
  const expression = `IF(${outdatedWhen(layout, scenario)},${outdated},${bound})`
  return formula(expression, award.lowerBound ?? '', numbers.money(currency))
}

/** The rule of a scenario, and how it was solved for the current inputs. */
export function ruleCell(layout: RfqLayout, { scenario, rule, words, constraint }: ScenarioRow): Cell {
  const { report } = layout
  const shown =
    constraint === null ? '' : ` ${constraint.words}: compared with “${titleOf(report, constraint.without)}”.`
  const suffix = shown === '' ? '' : `&${stringLiteral(shown)}`
  const afterRule = (expression: string, cached: string) =>
    formula(`${stringLiteral(`${rule} `)}&${expression}${suffix}`, `${rule} ${cached}${shown}`, style.body)
  if (scenario === 'own') return afterRule(...ownAwardText(layout))
  if (isSolved(scenario)) {
    const found = byWantedBasis((basis) => stringLiteral(solvedSet(report, scenario, basis)?.words ?? OUTDATED_NOTE))
    return afterRule(`IF(${outdatedWhen(layout, scenario)},${stringLiteral(OUTDATED_NOTE)},${found})`, words)
  }
  const same = `AND(RatesChanged=0,WantedBasis=${stringLiteral(report.settings.wantedVolume)})`
  const unchanged = scenario === 'recommended' ? 'InputsChanged=0' : same
  return afterRule(`IF(${unchanged},${stringLiteral(words)},${stringLiteral(RECALCULATED)})`, words)
}

const titleOf = ({ decision }: RfqLayout['report'], scenario: ScenarioName) =>
  decision.scenarios.find((each) => each.scenario === scenario)?.title ?? ''

const OUTDATED_NOTE = 'The inputs changed, so another award may cost less. Generate the report again to find it.'
const RECALCULATED = 'Recalculated for the changed inputs.'

/** Whether the reader changed the own award, and how many of its entries exceed an offer or are ignored. */
function ownAwardText({ report, award }: RfqLayout): [expression: string, cached: string] {
  const [own, ranked] = [award.range('own'), `(${award.range('eligible')}="yes")`]
  const awarded = `${ranked}*(${own}>0)`
  const same = `SUMPRODUCT(--(${own}<>${award.range('best-score')}))=0`
  const over = `SUMPRODUCT(${awarded}*(${award.range('volume')}<${own}*${REACHED_FACTOR}))`
  const ignored = `(SUMPRODUCT(--(${own}<>0))-SUMPRODUCT(${awarded}))`
  const countText = (count: string, words: string) => `IF(${count}>0," "&${count}&${stringLiteral(` ${words}`)},"")`
  const expression = `IF(${same},"${SAME_AS_BEST_SCORE}","${CHOSEN}")&${countText(over, OVER)}&${countText(ignored, IGNORED)}`
  return [expression, ownAwardCached(report)]
}

const SAME_AS_BEST_SCORE = 'Same as best score.'
const CHOSEN = 'Your own choice.'
const OVER = 'above the offered volume.'
const IGNORED = 'ignored: not ranked.'

function ownAwardCached({ offers, awards }: RfqLayout['report']): string {
  const winners = (scenario: AwardScenario) => awards.find((award) => award.scenario === scenario)?.winners ?? []
  const tonnes = (scenario: AwardScenario) => new Map(winners(scenario).map((line) => [line.offerId, line.tonnes]))
  const [own, best] = [tonnes('own'), tonnes('best-score')]
  const same = offers.every(({ id }) => own.get(id) === best.get(id))
  const over = offers.filter(({ id, metrics }) => (metrics.volume ?? 0) < reachedFrom(own.get(id) ?? 0)).length
  return `${same ? SAME_AS_BEST_SCORE : CHOSEN}${over > 0 ? ` ${over} ${OVER}` : ''}`
}
