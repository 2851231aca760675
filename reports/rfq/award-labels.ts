import type { Award, AwardScenario } from '../../src/domain/comparison/awards/award-model.js'
import { isExact } from '../../src/domain/comparison/awards/award-model.js'
import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import { body, centred, wrapped } from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import { awardFor, byWantedBasis, REACHED_FACTOR } from './award-sets.js'
import { FIRST_SCENARIO_ROW, type RfqLayout } from './layout.js'

const foundWords = ({ exact }: Award) => (exact ? 'proven' : 'best found')

/** Whether a scenario is worked out by formula or was searched for, and whether that still holds. */
export function solutionCell({ report }: RfqLayout, award: Award): Cell {
  const { scenario } = award
  if (!isExact(scenario)) return text(scenario === 'own' ? 'yours' : 'by formula', centred)
  const found = byWantedBasis((basis) => stringLiteral(foundWords(awardFor(report, scenario, basis))))
  return formula(`IF(RatesChanged>0,"stale",${found})`, foundWords(award), centred)
}

/** Parts of offers cost no more than whole ones: that bounds a set which may no longer be the least. */
export function lowerBoundCell({ report, numbers, currency }: RfqLayout, award: Award): Cell {
  const { scenario } = award
  if (!isExact(scenario)) return blank(body)
  const divisible = FIRST_SCENARIO_ROW + report.awards.findIndex((other) => other.scenario === 'cheapest-divisible')
  const proven = byWantedBasis((basis) => `${awardFor(report, scenario, basis).lowerBound ?? '""'}`)
  const expression = `IF(RatesChanged>0,IF($D$${divisible}="yes",$F$${divisible},""),${proven})`
  return formula(expression, award.lowerBound ?? '', numbers.money(currency))
}

/** The rule, and how it was solved for the inputs as they are now. */
export function ruleCell(layout: RfqLayout, { scenario, rule, words }: Award): Cell {
  const { report } = layout
  const told = (expression: string, cached: string) =>
    formula(`${stringLiteral(`${rule} `)}&${expression}`, `${rule} ${cached}`, wrapped)
  if (scenario === 'own') return told(...ownWords(layout))
  if (isExact(scenario)) {
    const proven = byWantedBasis((basis) => stringLiteral(awardFor(report, scenario, basis).words))
    return told(`IF(RatesChanged>0,${stringLiteral(STALE_NOTE)},${proven})`, words)
  }
  const same = `AND(RatesChanged=0,WantedBasis=${stringLiteral(report.settings.wantedVolume)})`
  return told(`IF(${same},${stringLiteral(words)},${stringLiteral(FOLLOWED)})`, words)
}

/** In place of how a set was solved, once what it rests on has changed. */
export const STALE_NOTE =
  'Rates or expiry were changed: another set may cost less. Make the report again for the least.'
const FOLLOWED = 'Follows the changed inputs.'

/** Whether the reader has chosen, and what of it cannot be. */
function ownWords({ report, award }: RfqLayout): [expression: string, cached: string] {
  const [own, ranked] = [award.range('own'), `(${award.range('eligible')}="yes")`]
  const taken = `${ranked}*(${own}>0)`
  const same = `SUMPRODUCT(--(${own}<>${award.range('best-score')}))=0`
  const over = `SUMPRODUCT(${taken}*(${award.range('volume')}<${own}*${REACHED_FACTOR}))`
  const left = `(SUMPRODUCT(--(${own}<>0))-SUMPRODUCT(${taken}))`
  const told = (count: string, words: string) => `IF(${count}>0," "&${count}&${stringLiteral(` ${words}`)},"")`
  const expression = `IF(${same},"As the best score.","As chosen.")&${told(over, OVER)}&${told(left, LEFT)}`
  return [expression, ownCached(report)]
}

const OVER = 'beyond what is offered.'
const LEFT = 'left aside: not ranked.'

function ownCached({ offers, awards }: RfqLayout['report']): string {
  const winners = (scenario: AwardScenario) => awards.find((award) => award.scenario === scenario)?.winners ?? []
  const tonnes = (scenario: AwardScenario) => new Map(winners(scenario).map((line) => [line.offerId, line.tonnes]))
  const [own, best] = [tonnes('own'), tonnes('best-score')]
  const same = offers.every(({ id }) => own.get(id) === best.get(id))
  const over = offers.filter(({ id, metrics }) => (metrics.volume ?? 0) < reachedFrom(own.get(id) ?? 0)).length
  return `${same ? 'As the best score.' : 'As chosen.'}${over > 0 ? ` ${over} ${OVER}` : ''}`
}
