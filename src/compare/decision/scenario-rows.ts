import type { RfqReport } from '../report/rfq-report-model.js'
import { scenarioText } from './after-acceptance.js'
import { isBinding } from './award-figures.js'
import { type DecisionAward, SCENARIOS, type Scenario, type ScenarioName } from './decision-model.js'

/** One scenario with its figures. */
export interface ScenarioRow
  extends Pick<Scenario, 'title' | 'rule' | 'words' | 'difference' | 'constraint'>,
    Omit<DecisionAward, 'offers' | 'coverage' | 'score' | 'unmet' | 'compliant'> {
  scenario: ScenarioName | 'own'
  /** Tonnes by offer id. */
  awarded: ReadonlyMap<string, number>
}

const NO_AWARD = {
  reached: false,
  exact: true,
  lowerBound: null,
  tonnes: 0,
  total: 0,
  pricePerTonne: null,
  developers: 0,
}
const NO_EXCESS = { excessTonnes: 0, excessCost: 0 }

/** The scenarios of the decision, also without a wanted volume, then the reader's own award. */
export function scenarioRows(report: RfqReport): ScenarioRow[] {
  const { awards, decision, rfq } = report
  const rows = SCENARIOS.map((scenario): ScenarioRow => {
    const found = decision.scenarios.find((each) => each.scenario === scenario)
    const text =
      awards.find((award) => award.scenario === scenario) ?? scenarioText(scenario as 'recommended', decision)
    // Without a wanted volume, a scenario has no award.
    const { title, rule, words, difference, constraint } = found ?? {
      title: text.title,
      rule: text.rule,
      words: rfq.wanted.words,
      difference: null,
      constraint: null,
    }
    const awarded = new Map(found?.award?.offers.map(({ offerId, tonnes }) => [offerId, tonnes]))
    return { ...NO_AWARD, ...NO_EXCESS, ...found?.award, scenario, title, rule, words, difference, constraint, awarded }
  })
  return [...rows, ownRow(report)]
}

function ownRow({ awards, decision }: RfqReport): ScenarioRow {
  const own = awards.find(({ scenario }) => scenario === 'own') as RfqReport['awards'][number]
  const excessTonnes = own.reached ? Math.max(0, own.tonnes - (own.wanted ?? own.tonnes)) : 0
  const recommended = decision.recommendation.award
  return {
    ...own,
    scenario: 'own',
    pricePerTonne: own.blendedPrice,
    excessTonnes,
    excessCost: excessTonnes * (own.blendedPrice ?? 0),
    difference: own.reached && recommended?.reached ? own.total - recommended.total : null,
    constraint: null,
    awarded: new Map(own.winners.map((line) => [line.offerId, line.tonnes])),
  }
}

/** Titles of the hard requirements that offers do not meet, by offer id; a rejected review is one at any level. */
export const unmetByOffer = ({ decision }: RfqReport): ReadonlyMap<string, string> =>
  new Map(
    decision.offers.map(({ offerId, unmet }) => [
      offerId,
      unmet
        .filter(isBinding)
        .map(({ title }) => title)
        .join(', '),
    ]),
  )
