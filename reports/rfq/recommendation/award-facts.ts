import { reachedFrom } from '../../../src/domain/comparison/awards/cheapest-combination.js'
import { upTo } from '../../../src/domain/comparison/decision/award-requirements.js'
import { currentEntry } from '../../../src/domain/comparison/decision/current-entry.js'
import type { DecisionAward } from '../../../src/domain/comparison/decision/decision-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, stringLiteral } from '../../xlsx/cells.js'
import { byWantedBasis, REACHED_VOLUME } from '../award-sets.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout, ScenarioKey } from '../layout.js'
import {
  BEST_SCORE,
  CHEAPEST,
  type EntryKey,
  type Fact,
  type FactKey,
  type Facts,
  factCell,
  figure,
  literal,
  REGARDLESS,
} from './recommendation-grids.js'
import { alternativesText, membersText, NO_AWARD, solutionText } from './solved-awards.js'

const NOT_SOLVED = 'not solved'
const NOT_SOLVED_TEXT = 'This combination of requirements and wanted volume is not solved ahead. Run: '
const OUTDATED = 'outdated'
const OUTDATED_TEXT =
  'Outdated: exchange rates or comparable prices changed, and awards are solved only for the original ones. Run: '
/** Larger than every volume and price. */
const UNLIMITED = '1E+300'

/** Figures that look up the solved award, and say whether it can be used. */
export function lookUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, offers, failures } = layout
  const { switches, rule } = report.decision
  const { settings, rfq } = report
  const at = (key: FactKey) => factCell(layout, key)
  const entry = currentEntry(report)
  const index = switches.entries.findIndex(({ key }) => key === entry?.key)
  const zeros = '0'.repeat(switches.names.length)
  const digits = ['""', ...switches.names.map((name) => `IF(${requirementCell(name)}="hard",1,0)`)].join('&')
  const key = rule === 'cheapest-regardless' ? `${zeros}|${settings.wantedVolume}` : switches.currentKey
  // Awards are solved for the original exchange rates and the offers that can be compared with them.
  const comparable = `COUNTIFS(${offers.range('comparedPrice')},">0",${offers.range('comparedTotal')},">0")`
  const outdated = `AwardRatesChanged+IF(${comparable}=${failures.candidates.length},0,1)`
  const isUnsolved = `AND(ISNUMBER(WantedVolume),${at('entry')}=0,${CHEAPEST},${switches.entries.length}>0)`
  const inEntry = (column: EntryKey) => `INDEX(${grids.entries.range(column)},MAX(1,${at('entry')}))`
  const regardless = byWantedBasis((basis) =>
    literal(switches.regardless.find((one) => one.basis === basis)?.award ?? NO_AWARD),
  )
  const members = `INDEX(${grids.solved.range('members')},N(${at('awardNo')})+1)`
  const solved = switches.awards[entry?.award ?? -1]
  const isProblem = (problem: string, words: string, otherwise: string) =>
    `IF(${at('problem')}="${problem}",${stringLiteral(words)}&ReportCommand,${otherwise})`
  const isLimited = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0
  const most = `IF(AND(${requirementCell('volumeMax')}="hard",N(MaxVolume)>0),MaxVolume*(1+1E-9),${UNLIMITED})`
  return {
    rule: figure('Award rule', 'AwardRule&""', rule),
    key: figure('Key of the solved award', `IF(${REGARDLESS},"${zeros}",${digits})&"|"&WantedBasis`, key),
    entry: figure(
      'Row of the solved award',
      `IFERROR(MATCH(${at('key')},${grids.entries.range('key')},0),0)`,
      index + 1,
      style.integer,
    ),
    outdated: figure('Changes that solved awards do not follow', outdated, 0, style.integer),
    problem: figure('Problem', `IF(${at('outdated')}>0,"${OUTDATED}",IF(${isUnsolved},"${NOT_SOLVED}",""))`, ''),
    message: figure('What to do', isProblem(OUTDATED, OUTDATED_TEXT, isProblem(NOT_SOLVED, NOT_SOLVED_TEXT, '""')), ''),
    awardNo: figure(
      'Number of the solved award',
      `IF(${at('entry')}>0,${inEntry('award')},IF(${REGARDLESS},${regardless},"${NO_AWARD}"))`,
      entry?.award ?? NO_AWARD,
      style.plainNumber,
    ),
    members: figure(
      'Its offers',
      `IF(ISNUMBER(${at('awardNo')}),${members},",")`,
      solved === undefined ? ',' : membersText(solved),
    ),
    alternatives: figure(
      'Awards without each of its offers',
      `IF(${at('entry')}>0,${inEntry('alternatives')}&"","")`,
      entry === null ? '' : alternativesText(entry),
    ),
    least: figure(
      'Fewest tonnes that reach the wanted volume',
      `IF(ISNUMBER(WantedVolume),${REACHED_VOLUME},"")`,
      rfq.wanted.volume === null ? '' : reachedFrom(rfq.wanted.volume),
      numbers.volume,
    ),
    most: figure('Most tonnes allowed', most, isLimited ? upTo(rfq.maxVolume ?? 0) : 1e300, numbers.volume),
  } satisfies Partial<Facts>
}

/** Figures of the recommended award as a whole; most of them are those of the first scenario on `Award`. */
export function awardFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, scoring, scenarios, failures } = layout
  const { award, status } = report.decision.recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const tonnes = grids.offers.range('tonnes')
  const found = `IF(SUM(${tonnes})>0,IF(SUM(${tonnes})>=${at('least')},"award","partial"),"none")`
  const known = `IF(ISNUMBER(WantedVolume),${failures.candidates.length === 0 ? '"no-offers"' : found},"no-target")`
  const current = report.offers.length === 0 ? '"no-offers"' : known
  const ofAward = (
    label: string,
    expression: string,
    value: (found: DecisionAward) => CachedResult,
    look: style.Style,
  ): Fact => {
    const missing = `IF(${at('problem')}="","${NO_FIGURE}",${at('problem')})`
    const shown = `IF(OR(${at('status')}="award",${at('status')}="partial"),${expression},${missing})`
    return figure(label, shown, award === null ? NO_FIGURE : (value(award) ?? NO_FIGURE), look)
  }
  const ofScenario = (label: string, key: ScenarioKey & keyof DecisionAward, look: style.Style) =>
    ofAward(label, scenarios.cell(key, 0), (one) => one[key] as number, look)
  const [awarded, score] = [`COUNTIFS(${tonnes},">0")`, scoring.range('total')]
  const solution = `IF(${BEST_SCORE},"${solutionText(true)}",INDEX(${grids.solved.range('solution')},N(${at('awardNo')})+1))`
  const money = numbers.money(currency)
  return {
    status: figure('Status', `IF(${at('problem')}="",${current},${at('problem')})`, status, style.boldBody),
    tonnes: ofScenario('Tonnes', 'tonnes', numbers.volume),
    total: ofScenario(withCurrency('Total', currency), 'total', money),
    pricePerTonne: ofAward(
      withCurrency('Price per tonne', currency, '/t'),
      scenarios.cell('price', 0),
      (one) => one.pricePerTonne,
      numbers.price(currency),
    ),
    coverage: ofAward('Coverage', `MIN(1,SUM(${tonnes})/WantedVolume)`, (one) => one.coverage, style.percent),
    excessTonnes: ofScenario('Excess tonnes', 'excessTonnes', numbers.volume),
    excessCost: ofScenario(withCurrency('Cost of the excess', currency), 'excessCost', money),
    offers: ofAward('Offers', awarded, (one) => one.offers.length, style.integer),
    developers: ofScenario('Developers', 'developers', style.integer),
    score: ofAward(
      'Score',
      `IF(COUNTIFS(${tonnes},">0",${score},">=0")=${awarded},SUMPRODUCT(${tonnes},${score})/SUM(${tonnes}),"${NO_FIGURE}")`,
      (one) => one.score,
      style.oneDecimal,
    ),
    solution: ofAward('Solution', solution, (one) => solutionText(one.exact), style.body),
  } satisfies Partial<Facts>
}
