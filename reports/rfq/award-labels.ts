import type { Award, AwardScenario } from '../../src/domain/comparison/awards/award-model.js'
import { isExact } from '../../src/domain/comparison/awards/award-model.js'
import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import { awardFor, byWantedBasis, REACHED_FACTOR } from './award-sets.js'
import type { RfqLayout } from './layout.js'

/** Replaces the solution of a searched award when inputs it depends on have changed. */
export const OUTDATED = 'outdated'

const solutionOf = ({ exact }: Award) => (exact ? 'proven' : 'best found')

/** How a scenario was solved: by formula, by search (proven or best found, until outdated), or by the reader. */
export function solutionCell({ report }: RfqLayout, award: Award): Cell {
  const { scenario } = award
  if (!isExact(scenario)) return text(scenario === 'own' ? 'your own' : 'formula', style.centred)
  const solution = byWantedBasis((basis) => stringLiteral(solutionOf(awardFor(report, scenario, basis))))
  return formula(`IF(RatesChanged>0,"${OUTDATED}",${solution})`, solutionOf(award), style.centred)
}

/**
 * Lower bound on the cost of an award. Buying parts of offers never costs more than buying whole offers, so the divisible
 * scenario is a lower bound for a searched award that is outdated.
 */
export function lowerBoundCell({ report, numbers, currency, scenarios }: RfqLayout, award: Award): Cell {
  const { scenario } = award
  if (!isExact(scenario)) return blank(style.body)
  const divisible = report.awards.findIndex((other) => other.scenario === 'cheapest-divisible')
  const bound = byWantedBasis((basis) => `${awardFor(report, scenario, basis).lowerBound ?? '""'}`)
  const expression = `IF(RatesChanged>0,IF(${scenarios.at('reached', divisible)}="yes",${scenarios.at('total', divisible)},""),${bound})`
  return formula(expression, award.lowerBound ?? '', numbers.money(currency))
}

/** The rule of a scenario, and how it was solved for the current inputs. */
export function ruleCell(layout: RfqLayout, { scenario, rule, words }: Award): Cell {
  const { report } = layout
  const afterRule = (expression: string, cached: string) =>
    formula(`${stringLiteral(`${rule} `)}&${expression}`, `${rule} ${cached}`, style.wrapped)
  if (scenario === 'own') return afterRule(...ownAwardText(layout))
  if (isExact(scenario)) {
    const found = byWantedBasis((basis) => stringLiteral(awardFor(report, scenario, basis).words))
    return afterRule(`IF(RatesChanged>0,${stringLiteral(OUTDATED_NOTE)},${found})`, words)
  }
  const unchanged = `AND(RatesChanged=0,WantedBasis=${stringLiteral(report.settings.wantedVolume)})`
  return afterRule(`IF(${unchanged},${stringLiteral(words)},${stringLiteral(RECALCULATED)})`, words)
}

export const OUTDATED_NOTE =
  'Exchange rates or “Rank expired offers” changed, so another award may cost less. Generate the report again to find it.'
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
