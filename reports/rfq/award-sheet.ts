import { isExact } from '../../src/compare/awards/award-model.js'
import { REQUIREMENT_TITLES } from '../../src/compare/decision/award-requirements.js'
import type { ScenarioName } from '../../src/compare/decision/decision-model.js'
import { type ScenarioRow, scenarioRows, unmetByOffer } from '../../src/compare/decision/scenario-rows.js'
import { isSolved, type SolvedSet, solvedSet } from '../../src/compare/decision/solved-scenarios.js'
import { oneLine } from '../../src/core/clean-text.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { constant, either, listOrCount, type Phrase, say, type Test } from '../layout/phrase.js'
import { emptyRows, headingRows, heightOf, keepTogether } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { inOrder, rowSheet, tableRows } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, stringLiteral, text as textCell } from '../xlsx/cells.js'
import { TONNES } from '../xlsx/validations.js'
import { savingsRows } from './award-savings.js'
import { levelsChangedCell, OUTDATED, outdatedWhen, singleOfferCalculationRow, tonnesRows } from './award-tonnes.js'
import { byWantedBasis, REACHED_FACTOR, REACHED_VOLUME } from './inputs.js'
import { type RfqLayout, type ScenarioKey, SHEET_SCENARIOS } from './layout.js'
import * as block from './recommendation/recommendation-block.js'

const NOTE =
  'Ways to award, and the tonnes of each offer. Awards minimise the total paid. Tonnes beyond the wanted volume are an excess with a cost, never a saving. Enter an award of your own in the yellow column.'
/** The last ones, from R on, are working columns. */
const WIDTHS = [7, 30, 40, 9, 12, 16, 12, 10, 14, 12, 15, 15, 11, 11, 11, 11, 11, 16, 12, 12, 24]
const FIRST_WORKING_COLUMN = 17
/** Columns of the requirements waived. */
const WAIVED_COLUMNS = [13, 16] as const
/** Maximum number of awarded offers that are named; more are only counted. */
const MAX_NAMED_WINNERS = 12
/** Precedes the winners of a searched award that is outdated. */
const FOR_ORIGINAL_INPUTS = 'For original inputs: '

/** `Award`: scenarios above, tonnes by offer below. */
export function awardSheet(layout: RfqLayout): SheetPlan {
  const { award, scenarios } = layout
  const outdated = is({ column: scenarios.letter('solution') }, '=', OUTDATED)
  return rowSheet({
    name: 'Award',
    widths: block.withBlockWidths(layout, WIDTHS),
    workingColumns: [...[...WIDTHS.keys()].slice(FIRST_WORKING_COLUMN), ...block.blockColumns(layout)],
    rows: () => block.withRecommendation(layout, awardRows(layout)),
    frozen: { rows: 3, columns: 2 },
    filter: `A${award.headerRow}:${award.letter('own')}${award.lastRow}`,
    validations: [{ address: award.area('own'), rule: TONNES }],
    marks: [
      mark(scenarios.area('reached'), is(here, '=', 'yes'), 'good'),
      mark(scenarios.area('reached'), is(here, '=', 'no'), 'warn'),
      mark(award.area('recommended', 'cheapest-regardless'), is(here, '>', 0), 'good'),
      mark(award.area('recommended', 'cheapest-regardless'), is(here, '=', 0), 'muted'),
      mark(scenarios.area('winners'), outdated, 'bad'),
      mark(scenarios.area('solution'), outdated, 'bad'),
    ],
    print: { titleRows: [1, TITLE_ROWS] },
  })
}

/** Rows repeated on each page. */
const TITLE_ROWS = 2

function awardRows(layout: RfqLayout): Iterable<RowPlan> {
  const heading = headingRows(layout, 'Award scenarios', NOTE)
  const repeated = heightOf(heading.slice(0, TITLE_ROWS), WIDTHS)
  return keepTogether(awardBlocks(layout, heading), WIDTHS.slice(0, FIRST_WORKING_COLUMN), repeated)
}

/** The scenarios are on one page, and so are the savings. Offers follow one by one: all their rows would fill the memory. */
function* awardBlocks(layout: RfqLayout, heading: readonly RowPlan[]): Generator<readonly RowPlan[]> {
  const { scenarios, report } = layout
  const table = tableRows(inOrder(scenarios, scenarioColumns(layout)), scenarioRows(report))
  const scenarioLines = Array.from(table, (row) => ({ ...row, merged: [WAIVED_COLUMNS] }))
  yield [...heading, ...emptyRows(1), ...scenarioLines, ...emptyRows(1)]
  yield [...savingsRows(layout, scenarios.lastRow + 2)]
  yield [solvedScenariosRow(layout), singleOfferCalculationRow(layout)]
  const tonnes = tonnesRows(layout)
  const next = (): RowPlan => tonnes.next().value
  yield [next(), next(), next()]
  for (const row of tonnes) yield [row]
}

/** The columns of the scenarios; `Summary` refers to some of them. */
export function scenarioColumns(layout: RfqLayout): Columns<ScenarioRow, ScenarioKey> {
  const { numbers, money, price, inCurrency, perTonne, scenarios, award: tonnes } = layout
  const { text, number, formula, arrayFormula, cells } = columnsOf<ScenarioRow, ScenarioKey>(scenarios)
  const developers = tonnes.range('developerNo')
  const awarded = ({ scenario }: ScenarioRow) => tonnes.range(scenario)
  const unmet = unmetByOffer(layout.report)
  const empty = text('', () => null, { style: style.body })
  const reaches = (cell: string) => `${cell}="yes"`
  const isOutdated = (index: number) => `${scenarios.at('solution', index)}="${OUTDATED}"`
  const difference = (index: number, other: number) =>
    `IF(OR(${isOutdated(index)},${isOutdated(other)}),"${OUTDATED}",IF(AND(${reaches(scenarios.at('reached', index))},${reaches(scenarios.at('reached', other))}),${scenarios.at('total', index)}-${scenarios.at('total', other)},""))`
  return {
    number: number('No.', ({ scenario }) => SHEET_SCENARIOS.indexOf(scenario) + 1),
    scenario: text('Scenario', (award) => award.title, { style: style.boldWrapped }),
    winners: {
      ...arrayFormula('Awarded to', style.wrapped, (award) => winners(layout, award)),
      alternative: (award) =>
        isSolved(award.scenario)
          ? textCell(`${FOR_ORIGINAL_INPUTS}${winners(layout, award)[1]}`, style.wrapped)
          : undefined,
    },
    reached: formula('Volume reached', style.centred, (award, at) => [
      `IF(ISNUMBER(WantedVolume),IF(AND(${at('tonnes')}>0,${at('tonnes')}>=${REACHED_VOLUME}),"yes","no"),"no")`,
      yesNo(award.reached),
    ]),
    tonnes: formula('Tonnes', style.asBold(numbers.volume), (award) => [
      `SUMPRODUCT(${isWinner(layout, award)}*${awarded(award)})`,
      award.tonnes,
    ]),
    total: formula(inCurrency('Total'), style.asBold(money), (award) => [
      `SUMPRODUCT(${isWinner(layout, award)}*${awarded(award)}*${tonnes.range('price')})`,
      award.total,
    ]),
    price: formula(perTonne('Price per tonne'), price, (award, at) => [
      `IF(${at('tonnes')}>0,${at('total')}/${at('tonnes')},"")`,
      award.pricePerTonne ?? '',
    ]),
    excessTonnes: formula('Excess tonnes', numbers.volume, (award, at) => [
      `IF(${reaches(at('reached'))},MAX(0,${at('tonnes')}-WantedVolume),0)`,
      award.excessTonnes,
    ]),
    excessCost: formula(inCurrency('Cost of excess'), money, (award, at) => [
      `${at('excessTonnes')}*N(${at('price')})`,
      award.excessCost,
    ]),
    developers: arrayFormula('Developers', style.integer, (award) => {
      const spread = `SUM(--(FREQUENCY(IF(${isWinner(layout, award)},${developers}),${developers})>0))`
      return [`IF(${winnerCount(layout, award)}=0,0,${spread})`, award.developers]
    }),
    difference: formula(inCurrency(`Difference from ${layout.chosen}`), money, (award, _at, index) => [
      difference(index, 0),
      award.difference ?? '',
    ]),
    constraint: formula(inCurrency('Cost of the constraint'), money, (award, _at, index) => [
      award.constraint === null ? '""' : difference(index, SHEET_SCENARIOS.indexOf(award.constraint.without)),
      award.constraint?.cost ?? '',
    ]),
    solution: cells('Solution', (award) => solutionCell(layout, award)),
    waived: arrayFormula('Hard requirements waived, by offer no.', style.wrapped, (award, at) =>
      waived(layout, award, unmet, at('tonnes')),
    ),
    waived2: empty,
    waived3: empty,
    waived4: empty,
    lowerBound: cells(inCurrency('Lower bound on cost'), (award) => lowerBoundCell(layout, award), { style: money }),
    rule: cells('Rule and solution method', (award) => ruleCell(layout, award)),
  }
}

/** Tonnes a reader enters for an unranked offer are ignored. */
const isWinner = ({ award: { range } }: RfqLayout, { scenario }: ScenarioRow) =>
  scenario === 'own' ? `(${range(scenario)}>0)*(${range('eligible')}="yes")` : `(${range(scenario)}>0)`
const winnerCount = (layout: RfqLayout, award: ScenarioRow) => `SUMPRODUCT(--(${isWinner(layout, award)}>0))`

/** In the order of the table of tonnes. */
function winners(layout: RfqLayout, award: ScenarioRow): Phrase {
  const labels = layout.report.offers.filter(({ id }) => award.awarded.has(id)).map(({ label }) => oneLine(label))
  const count = winnerCount(layout, award)
  const names = `_xlfn.TEXTJOIN("; ",TRUE,IF(${isWinner(layout, award)},${layout.award.range('label')},""))`
  const all = listOrCount([names, labels.join('; ')], [count, labels.length], MAX_NAMED_WINNERS)
  const found = either([`${count}=0`, labels.length === 0], constant(NO_FIGURE), all)
  if (!isSolved(award.scenario)) return found
  return say`${either([outdatedWhen(layout, award.scenario), false], constant(FOR_ORIGINAL_INPUTS))}${found}`
}

/** What an award waives: the hard requirements that its offers do not meet, and the RFQ's maximum volume. */
function waived(layout: RfqLayout, award: ScenarioRow, unmet: ReadonlyMap<string, string>, tonnes: string): Phrase {
  const { award: grid, report } = layout
  const { maxVolume } = report.rfq
  const all = report.offers.filter(({ id }) => award.awarded.has(id) && unmet.get(id))
  const failing = `${isWinner(layout, award)}*(${grid.range('unmet')}<>"")`
  const named = `_xlfn.TEXTJOIN("; ",TRUE,IF(${failing},${grid.range('offer')}&": "&${grid.range('unmet')},""))`
  const list: Phrase = [named, all.map(({ id, sequence }) => `${sequence}: ${unmet.get(id)}`).join('; ')]
  const count = [`SUM(${failing})`, all.length] as const
  const byOffers = listOrCount(list, count, MAX_NAMED_WINNERS, ' offers do not meet hard requirements')
  const exceeds = maxVolume !== null && award.tonnes > maxVolume * (1 + 1e-9)
  const isAbove: Test = [`AND(ISNUMBER(MaxVolume),${tonnes}>N(MaxVolume)*(1+1E-9))`, exceeds]
  const above = either(isAbove, constant(REQUIREMENT_TITLES.volumeMax))
  const both: Phrase = [
    `_xlfn.TEXTJOIN("; ",TRUE,${byOffers[0]},${above[0]})`,
    [byOffers[1], above[1]].filter((words) => words !== '').join('; '),
  ]
  const isVolumeHard = report.settings.requirements.volumeMax === 'hard'
  const isOutdated: Test = [`RatesChanged+${levelsChangedCell(layout)}>0`, false]
  return either(isOutdated, constant(OUTDATED), isVolumeHard ? both : byOffers)
}

/** Names the scenarios that formulas cannot solve, and states whether they are still current. */
function solvedScenariosRow({ scenarios }: RfqLayout): RowPlan {
  const numbers = SHEET_SCENARIOS.flatMap((scenario, index) => (isSolved(scenario) ? [index + 1] : [])).join(', ')
  const current = `Scenarios ${numbers} were found by search for each of the RFQ’s volumes; everything else is calculated by formulas.`
  const outdated = `Scenarios marked as outdated depend on inputs that changed: their awards are those for the original inputs. For the best awards, run: `
  const sentence = `IF(COUNTIF(${scenarios.area('solution')},"${OUTDATED}")>0,${stringLiteral(outdated)}&ReportCommand,${stringLiteral(current)})`
  return { cells: [undefined, formula(sentence, current, { ...style.body, alignment: {} })] }
}

const solutionOf = (found: Pick<SolvedSet, 'exact'> | null) =>
  found === null ? OUTDATED : found.exact ? 'proven' : 'best found'

/** How a scenario was solved: by formula, by search (proven or best found, until outdated), or by the reader. */
function solutionCell(layout: RfqLayout, award: ScenarioRow): Cell {
  const { report } = layout
  const { scenario } = award
  if (scenario === 'recommended') {
    const { cell, cached } = block.recommendationFact(layout, 'solution')
    return formula(`IF(${outdatedWhen(layout, scenario)},"${OUTDATED}",${cell})`, cached, style.centred)
  }
  if (!isSolved(scenario)) return textCell(scenario === 'own' ? 'your own' : 'formula', style.centred)
  const solution = byWantedBasis((basis) => stringLiteral(solutionOf(solvedSet(report, scenario, basis))))
  return formula(`IF(${outdatedWhen(layout, scenario)},"${OUTDATED}",${solution})`, solutionOf(award), style.centred)
}

/**
 * Lower bound on the cost of an award. Buying parts of offers never costs more than buying whole offers, so the divisible
 * scenario is a lower bound for a searched award that is outdated.
 */
function lowerBoundCell(layout: RfqLayout, award: ScenarioRow): Cell {
  const { report, money, scenarios } = layout
  const { scenario } = award
  if (!isSolved(scenario)) return blank(style.body)
  const divisible = SHEET_SCENARIOS.indexOf('cheapest-divisible')
  const bound = byWantedBasis((basis) => `${solvedSet(report, scenario, basis)?.lowerBound ?? '""'}`)
  // Only ranked offers are part of the divisible scenario.
  const outdated = isExact(scenario)
    ? `IF(${scenarios.at('reached', divisible)}="yes",${scenarios.at('total', divisible)},"")`
    : '""'
  const expression = `IF(${outdatedWhen(layout, scenario)},${outdated},${bound})`
  return formula(expression, award.lowerBound ?? '', money)
}

/** The rule of a scenario; how a searched one was solved for the current inputs, or what is wrong with own tonnes. */
function ruleCell(layout: RfqLayout, { scenario, rule, words, constraint }: ScenarioRow): Cell {
  const { report } = layout
  const titleOf = (name: ScenarioName) => report.decision.scenarios.find((each) => each.scenario === name)?.title ?? ''
  const shown = constraint === null ? '' : ` ${constraint.words}: compared with “${titleOf(constraint.without)}”.`
  if (scenario === 'own') return formula(`${stringLiteral(rule)}&${ignoredExpression(layout)}`, rule, style.body)
  if (!isSolved(scenario)) return textCell(`${rule}${shown}`, style.body)
  const found = byWantedBasis((basis) => stringLiteral(solvedSet(report, scenario, basis)?.words ?? OUTDATED_NOTE))
  const solved = `IF(${outdatedWhen(layout, scenario)},${stringLiteral(OUTDATED_NOTE)},${found})`
  const live = `${stringLiteral(`${rule} `)}&${solved}&${stringLiteral(shown)}`
  return formula(live, `${rule} ${words}${shown}`, style.body)
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
