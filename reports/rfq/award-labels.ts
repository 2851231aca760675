import { isExact } from '../../src/domain/comparison/awards/award-model.js'
import type { ScenarioName } from '../../src/domain/comparison/decision/decision-model.js'
import type { ScenarioRow } from '../../src/domain/comparison/decision/scenario-rows.js'
import { isSolved, type SolvedSet, solvedSet } from '../../src/domain/comparison/decision/solved-scenarios.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import { byWantedBasis, REACHED_FACTOR } from './award-sets.js'
import { levelsChangedCell } from './award-tonnes.js'
import { type RfqLayout, SHEET_SCENARIOS, type SheetScenario } from './layout.js'
import { recommendationFact } from './recommendation/recommendation-block.js'

/** Replaces the solution of a searched award when inputs it depends on have changed. */
export const OUTDATED = 'outdated'

const solutionOf = (found: Pick<SolvedSet, 'exact'> | null) =>
  found === null ? OUTDATED : found.exact ? 'proven' : 'best found'

/** The condition under which the award shown for a scenario is not the best one for the current inputs. */
export function outdatedWhen(layout: RfqLayout, scenario: SheetScenario): string {
  if (scenario === 'recommended') return `${recommendationFact(layout, 'problem').cell}<>""`
  if (scenario === 'cheapest-regardless') return 'AwardRatesChanged>0'
  return isExact(scenario) ? 'RatesChanged>0' : `AwardRatesChanged+${levelsChangedCell(layout)}>0`
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
  const outdated = isExact(scenario)
    ? `IF(${scenarios.at('reached', divisible)}="yes",${scenarios.at('total', divisible)},"")`
    : '""'
  const expression = `IF(${outdatedWhen(layout, scenario)},${outdated},${bound})`
  return formula(expression, award.lowerBound ?? '', numbers.money(currency))
}

/** The rule of a scenario; how a searched one was solved for the current inputs, or what is wrong with own tonnes. */
export function ruleCell(layout: RfqLayout, { scenario, rule, words, constraint }: ScenarioRow): Cell {
  const { report } = layout
  const titleOf = (name: ScenarioName) => report.decision.scenarios.find((each) => each.scenario === name)?.title ?? ''
  const shown = constraint === null ? '' : ` ${constraint.words}: compared with “${titleOf(constraint.without)}”.`
  if (scenario === 'own') return formula(`${stringLiteral(rule)}&${ignoredExpression(layout)}`, rule, style.body)
  if (!isSolved(scenario)) return text(`${rule}${shown}`, style.body)
  const found = byWantedBasis((basis) => stringLiteral(solvedSet(report, scenario, basis)?.words ?? OUTDATED_NOTE))
  const solved = `IF(${outdatedWhen(layout, scenario)},${stringLiteral(OUTDATED_NOTE)},${found})`
  return formula(
    `${stringLiteral(`${rule} `)}&${solved}&${stringLiteral(shown)}`,
    `${rule} ${words}${shown}`,
    style.body,
  )
}

const OUTDATED_NOTE = 'The inputs changed, so another award may cost less. Generate the report again to find it.'

/** How many of the tonnes that the reader entered exceed an offer, or are for an unranked one; none in the report. */
function ignoredExpression({ award }: RfqLayout): string {
  const [own, ranked] = [award.range('own'), `(${award.range('eligible')}="yes")`]
  const awarded = `${ranked}*(${own}>0)`
  const over = `SUMPRODUCT(${awarded}*(${award.range('volume')}<${own}*${REACHED_FACTOR}))`
  const ignored = `(SUMPRODUCT(--(${own}<>0))-SUMPRODUCT(${awarded}))`
  const count = (expression: string, words: string) => `IF(${expression}>0," "&${expression}&" ${words}","")`
  return `${count(over, 'above the offered volume.')}&${count(ignored, 'ignored: not ranked.')}`
}
