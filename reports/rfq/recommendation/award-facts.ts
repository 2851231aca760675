import { reachedFrom } from '../../../src/compare/awards/cheapest-combination.js'
import { REQUIREMENT_TITLES, upTo } from '../../../src/compare/decision/award-requirements.js'
import { currentEntry, isSolvedAhead } from '../../../src/compare/decision/current-entry.js'
import type { DecisionAward } from '../../../src/compare/decision/decision-model.js'
import type { SolvedAward, SwitchEntry } from '../../../src/compare/decision/switch-table-model.js'
import type { RequirementName } from '../../../src/core/settings.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { columnsOf } from '../../layout/columns.js'
import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, number, stringLiteral } from '../../xlsx/cells.js'
import { byWantedBasis, REACHED_VOLUME, requirementCell } from '../inputs.js'
import type { RfqLayout, ScenarioKey } from '../layout.js'
import { type Fact, type FactKey, figure, type KeyOf, literal, referencesOf, ruleIs } from './recommendation-grids.js'

const NOT_SOLVED = 'not solved'
const NOT_SOLVED_TEXT = 'This combination of requirements and wanted volume is not solved ahead. Run: '
const OUTDATED = 'outdated'
const OUTDATED_TEXT =
  'Outdated: exchange rates or comparable prices changed, and awards are solved only for the original ones. Run: '
/** Larger than every volume and price. */
const UNLIMITED = '1E+300'

/** All figures, by key. */
export const factsOf = oncePerLayout(
  (layout): Record<FactKey, Fact> => ({
    ...lookUpFacts(layout),
    ...awardFacts(layout),
    ...runnerUpFacts(layout),
    ...closestFacts(layout),
  }),
)

/** Made once for each workbook, although many cells ask for them. */
export function oncePerLayout<Value>(make: (layout: RfqLayout) => Value): (layout: RfqLayout) => Value {
  const made = new WeakMap<RfqLayout, Value>()
  return (layout) => {
    const value = made.get(layout) ?? make(layout)
    made.set(layout, value)
    return value
  }
}

/** Figures that look up the solved award, and say whether it can be used. */
function lookUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, offers, failures } = layout
  const { switches, rule } = report.decision
  const { settings, rfq } = report
  const { at, entryOf, solvedOf } = referencesOf(layout)
  const entry = currentEntry(report)
  const index = switches.entries.findIndex(({ key }) => key === entry?.key)
  const zeros = '0'.repeat(switches.names.length)
  const digits = ['""', ...switches.names.map((name) => `IF(${requirementCell(name)}="hard",1,0)`)].join('&')
  const key = rule === 'cheapest-regardless' ? `${zeros}|${settings.wantedVolume}` : switches.currentKey
  // Awards are solved for the original exchange rates and the offers that can be compared with them.
  const comparable = `COUNTIFS(${offers.range('comparedPrice')},">0",${offers.range('comparedTotal')},">0")`
  const outdated = `AwardRatesChanged+IF(${comparable}=${failures.candidates.length},0,1)`
  const isUnsolved = `AND(ISNUMBER(WantedVolume),${at('entry')}=0,${ruleIs.cheapest},${switches.entries.length}>0)`
  const problem = `IF(${at('outdated')}>0,"${OUTDATED}",IF(${isUnsolved},"${NOT_SOLVED}",""))`
  const isProblem = (name: string, words: string, otherwise: string) =>
    `IF(${at('problem')}="${name}",${stringLiteral(words)}&ReportCommand,${otherwise})`
  const message = isProblem(OUTDATED, OUTDATED_TEXT, isProblem(NOT_SOLVED, NOT_SOLVED_TEXT, '""'))
  const regardless = byWantedBasis((basis) =>
    literal(switches.regardless.find((one) => one.basis === basis)?.award ?? NO_AWARD),
  )
  const awardNo = `IF(${at('entry')}>0,${entryOf('award')},IF(${ruleIs.regardless},${regardless},"${NO_AWARD}"))`
  const solved = switches.awards[entry?.award ?? -1]
  const members = `IF(ISNUMBER(${at('awardNo')}),${solvedOf('members')},",")`
  const alternatives = `IF(${at('entry')}>0,${entryOf('alternatives')}&"","")`
  const enough = `IF(ISNUMBER(WantedVolume),${REACHED_VOLUME},"")`
  const least = rfq.wanted.volume === null ? '' : reachedFrom(rfq.wanted.volume)
  const isLimited = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0
  const most = `IF(AND(${requirementCell('volumeMax')}="hard",N(MaxVolume)>0),MaxVolume*(1+1E-9),${UNLIMITED})`
  const isKnownKey = `IFERROR(MATCH(${at('key')},${grids.entries.range('key')},0),0)`
  return {
    rule: figure('Award rule', 'AwardRule&""', rule),
    key: figure('Key of the solved award', `IF(${ruleIs.regardless},"${zeros}",${digits})&"|"&WantedBasis`, key),
    entry: figure('Row of the solved award', isKnownKey, index + 1, style.integer),
    outdated: figure('Changes that solved awards do not follow', outdated, 0, style.integer),
    problem: figure('Problem', problem, ''),
    message: figure('What to do', message, ''),
    awardNo: figure('Number of the solved award', awardNo, entry?.award ?? NO_AWARD, style.plainNumber),
    members: figure('Its offers', members, solved === undefined ? ',' : membersText(solved)),
    alternatives: figure('Awards without each of its offers', alternatives, entry ? alternativesText(entry) : ''),
    least: figure('Fewest tonnes that reach the wanted volume', enough, least, numbers.volume),
    most: figure('Most tonnes allowed', most, isLimited ? upTo(rfq.maxVolume ?? 0) : 1e300, numbers.volume),
  }
}

/** Figures of the recommended award as a whole; most of them are those of the first scenario on `Award`. */
function awardFacts(layout: RfqLayout) {
  const { report, numbers, money, price, inCurrency, perTonne, scoring, scenarios, failures } = layout
  const { award, status } = report.decision.recommendation
  const { at, solvedOf, tonnes } = referencesOf(layout)
  const found = `IF(SUM(${tonnes})>0,IF(SUM(${tonnes})>=${at('least')},"award","partial"),"none")`
  const known = `IF(ISNUMBER(WantedVolume),${failures.candidates.length === 0 ? '"no-offers"' : found},"no-target")`
  const current = report.offers.length === 0 ? '"no-offers"' : known
  const hasAward = `OR(${at('status')}="award",${at('status')}="partial")`
  const missing = `IF(${at('problem')}="","${NO_FIGURE}",${at('problem')})`
  const ofAward = (
    label: string,
    expression: string,
    value: (found: DecisionAward) => CachedResult,
    cellStyle: style.Style,
  ): Fact => figure(label, `IF(${hasAward},${expression},${missing})`, (award && value(award)) ?? NO_FIGURE, cellStyle)
  const ofScenario = (label: string, key: ScenarioKey & keyof DecisionAward, cellStyle: style.Style) =>
    ofAward(label, scenarios.cell(key, 0), (one) => one[key] as number, cellStyle)
  const [awarded, scores] = [`COUNTIFS(${tonnes},">0")`, scoring.range('total')]
  const allScored = `COUNTIFS(${tonnes},">0",${scores},">=0")=${awarded}`
  const score = `IF(${allScored},SUMPRODUCT(${tonnes},${scores})/SUM(${tonnes}),"${NO_FIGURE}")`
  const solution = `IF(${ruleIs.bestScore},"${solutionText(true)}",${solvedOf('solution')})`
  return {
    status: figure('Status', `IF(${at('problem')}="",${current},${at('problem')})`, status, style.boldBody),
    tonnes: ofScenario('Tonnes', 'tonnes', numbers.volume),
    total: ofScenario(inCurrency('Total'), 'total', money),
    pricePerTonne: ofAward(perTonne('Price per tonne'), scenarios.cell('price', 0), (one) => one.pricePerTonne, price),
    coverage: ofAward('Coverage', `MIN(1,SUM(${tonnes})/WantedVolume)`, (one) => one.coverage, style.percent),
    excessTonnes: ofScenario('Excess tonnes', 'excessTonnes', numbers.volume),
    excessCost: ofScenario(inCurrency('Cost of the excess'), 'excessCost', money),
    offers: ofAward('Offers', awarded, (one) => one.offers.length, style.integer),
    developers: ofScenario('Developers', 'developers', style.integer),
    score: ofAward('Score', score, (one) => one.score, style.oneDecimal),
    solution: ofAward('Solution', solution, (one) => solutionText(one.exact), style.body),
  }
}

const sequencesOf = ({ offers }: DecisionAward) => offers.map(({ sequence }) => sequence)

/** Figures of the runner-up: the best award that does without one of the recommended offers. */
function runnerUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, money, inCurrency, offers, scoring } = layout
  const { award, runnerUp } = report.decision.recommendation
  const { at, isMember } = referencesOf(layout)
  const [alternatives, totals] = [grids.awarded.range('alternative'), grids.awarded.range('alternativeTotal')]
  const unknown = `IF(AND(InputsChanged>0,OR(${ruleIs.bestScore},${at('alternatives')}="")),"Run: "&ReportCommand,"${NO_FIGURE}")`
  /** Only the price rules are solved ahead; the runner-up of another report is known for its own inputs only. */
  const fact = (label: string, solved: string, cached: string | number = NO_FIGURE, cellStyle = money): Fact => {
    const reported = isSolvedAhead(report) ? unknown : `IF(InputsChanged=0,${literal(cached)},${unknown})`
    const found = `IF(COUNT(${totals})=0,${reported},${solved})`
    return figure(label, `IF(${at('problem')}="",${found},${at('problem')})`, cached, cellStyle)
  }
  const members = `INDEX(${grids.solved.range('members')},INDEX(${alternatives},MATCH(MIN(${totals}),${totals},0))+1)`
  const [volume, isIn] = [offers.range('volume'), isMember(members)]
  const mean = `SUM(IF(${isIn},${volume}*${scoring.range('total')}))/SUM(IF(${isIn},${volume}))`
  const points = `IFERROR(${at('score')}-${mean},"${NO_FIGURE}")`
  const [total, difference] = [inCurrency('Total of the runner-up'), `MIN(${totals})-${at('total')}`]
  const costs = runnerUp === null ? undefined : runnerUp.award.total - (award?.total ?? 0)
  const list = runnerUp === null ? undefined : sequencesOf(runnerUp.award).join(', ')
  const pointsAbove = runnerUp?.pointsDifference ?? undefined
  const above = 'Points of the award above the runner-up'
  return {
    runnerUpTotal: fact(total, `MIN(${totals})`, runnerUp?.award.total),
    runnerUpDifference: fact(inCurrency('Runner-up: difference'), difference, costs),
    runnerUpPoints: { ...fact(above, points, pointsAbove, style.oneDecimal), isArray: true },
    runnerUpOffers: fact('Offers of the runner-up', listOf(members), list, style.body),
  }
}

/** Figures of the closest award that reaches the wanted volume if requirements are waived, when the rule finds none. */
function closestFacts(layout: RfqLayout) {
  const { report, numbers, money, inCurrency } = layout
  const { closest } = report.decision.recommendation
  const { at, entryOf, solvedOf } = referencesOf(layout)
  const [number, chosen] = [at('closestNo'), at('awardNo')]
  const isShort = `AND(OR(${at('status')}="none",${at('status')}="partial"),${at('entry')}>0,NOT(${ruleIs.regardless}))`
  const isReached = `IF(ISNUMBER(${chosen}),${solvedOf('reached')}="yes",FALSE)`
  const closestNo = `IF(${isShort},IF(AND(${ruleIs.bestScore},${isReached}),${chosen},${entryOf('closest')}),"${NO_AWARD}")`
  const fact = (label: string, expression: string, cached: CachedResult | undefined, cellStyle = style.body): Fact =>
    figure(label, `IF(ISNUMBER(${number}),${expression},"${NO_FIGURE}")`, cached ?? NO_FIGURE, cellStyle)
  const total = inCurrency('Closest award: total')
  const waived = `IF(${number}=${chosen},"",${entryOf('waived')}&"")`
  const solvedNo = solvedNumber(layout, closest?.award)
  const titles = closest?.waived.map(({ title }) => title).join('; ')
  const list = closest === null ? null : sequencesOf(closest.award).join(', ')
  return {
    closestNo: figure('Number of the closest award', closestNo, solvedNo, style.plainNumber),
    closestOffers: fact('Closest award: offers', listOf(solvedOf('members', number)), list),
    closestTonnes: fact('Closest award: tonnes', solvedOf('tonnes', number), closest?.award.tonnes, numbers.volume),
    closestTotal: fact(total, solvedOf('total', number), closest?.award.total, money),
    closestWaived: fact('Requirements to waive for it', waived, titles),
  }
}

/** The number of an award among those solved ahead. */
function solvedNumber({ report }: RfqLayout, award: DecisionAward | undefined): number | string {
  if (award === undefined) return NO_AWARD
  const members = membersText({ sequences: sequencesOf(award) })
  const { awards } = report.decision.switches
  const at = awards.findIndex((solved) => solved.reached === award.reached && membersText(solved) === members)
  return at < 0 ? NO_AWARD : at
}

/** In place of the number of an award. */
export const NO_AWARD = 'none'
/** Digits of an award's number in the list of alternatives. */
export const ALTERNATIVE_DIGITS = 4

/** The numbers of the offers of an award, such as `,3,17,`, so that a formula finds each as `,3,`. */
export const membersText = ({ sequences }: Pick<SolvedAward, 'sequences'>): string => `,${sequences.join(',')},`

/** A formula for `3, 17`, from one for a text such as `,3,17,`. */
export const listOf = (members: string) => `SUBSTITUTE(MID(${members},2,MAX(0,LEN(${members})-2)),",",", ")`

/** The numbers of the alternatives, four digits each; empty if they were not computed. */
const alternativesText = ({ alternatives }: SwitchEntry): string =>
  (alternatives ?? [])
    .map((award) => (award === null ? '-'.repeat(ALTERNATIVE_DIGITS) : String(award).padStart(ALTERNATIVE_DIGITS, '0')))
    .join('')

/** Whether the award is proven to be the cheapest. */
const solutionText = (exact: boolean) => (exact ? 'proven' : 'best found')

/** Titles of requirements, joined by semicolons. */
export const titlesOf = (names: readonly RequirementName[]) => names.map((name) => REQUIREMENT_TITLES[name]).join('; ')

/** The awards solved ahead, by their index in `SwitchTable.awards`. */
export function solvedColumns({ recommendation, numbers, money, inCurrency }: RfqLayout) {
  const { text, number } = columnsOf<SolvedAward, KeyOf<'solved'>>(recommendation.solved)
  return {
    number: number('Award', (_, index) => index),
    members: text('Offers', membersText, { style: style.body }),
    tonnes: number('Tonnes', ({ tonnes }) => tonnes, numbers.volume),
    total: number(inCurrency('Total'), ({ total }) => total, money),
    reached: text('Reached', ({ reached }) => (reached ? 'yes' : 'no'), { style: style.body }),
    solution: text('Solution', ({ exact }) => solutionText(exact), { style: style.body }),
  }
}

/** The award of each combination of hard requirements and wanted volume that was solved ahead. */
export function entryColumns(layout: RfqLayout) {
  const { text, cells } = columnsOf<SwitchEntry, KeyOf<'entries'>>(layout.recommendation.entries)
  return {
    key: text('Key', ({ key }) => key, { style: style.body }),
    award: cells('Award', ({ award }) => number(award, style.plainNumber, NO_AWARD)),
    closest: cells('Closest award', ({ closest }) => number(closest, style.plainNumber, NO_AWARD)),
    waived: text('Requirements waived for it', ({ waived }) => titlesOf(waived), { style: style.body }),
    alternatives: text('Awards without each offer', alternativesText, { style: style.body }),
  }
}
