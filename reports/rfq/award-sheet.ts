import type { Award, AwardScenario } from '../../src/domain/comparison/awards/award-model.js'
import { EXACT_SCENARIOS, isExact } from '../../src/domain/comparison/awards/award-model.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, right } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { joinList, withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import { lowerBoundCell, OUTDATED, OUTDATED_NOTE, ruleCell, solutionCell } from './award-labels.js'
import { REACHED_VOLUME } from './award-sets.js'
import { singleOfferCalculationRow, TONNES_VALIDATION, tonnesRows } from './award-tonnes.js'
import { FIRST_SCENARIO_ROW, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'Tonnes awarded to each offer in each scenario. Awards minimise the total paid, so the discount rate, haircuts and weights affect only the best-score scenario. Only ranked offers receive awards. Enter an award of your own in the yellow column.'
const WIDTHS = [9, 34, 36, 10, 14, 18, 15, 13, 18, 18, 14, 13, 14, 14, 16, 22, 12, 80]
/** Maximum number of awarded offers that are named; more are only counted. */
const MAX_NAMED_WINNERS = 12
const NONE = '–'
/** Precedes the winners of a searched award that is outdated. */
const FOR_ORIGINAL_INPUTS = 'For original inputs: '

/** `Award`: scenarios above, tonnes by offer below. */
export function awardSheet(layout: RfqLayout): SheetPlan {
  const { award } = layout
  const own = award.letter('own')
  const last = FIRST_SCENARIO_ROW + layout.report.awards.length - 1
  const scenarios = (column: string) => `${column}${FIRST_SCENARIO_ROW}:${column}${last}`
  return rowSheet({
    name: 'Award',
    widths: WIDTHS,
    rows: () => awardRows(layout),
    frozen: { rows: 3, columns: 2 },
    filter: `A${award.headerRow}:${award.letter('own')}${award.lastRow}`,
    validations: [{ address: `${own}${award.firstRow}:${own}${award.lastRow}`, rule: TONNES_VALIDATION }],
    marks: [
      mark(scenarios('D'), is(here, '=', 'yes'), 'good'),
      mark(scenarios('D'), is(here, '=', 'no'), 'warn'),
      mark(award.area('cheapest-single', 'best-score'), is(here, '>', 0), 'good'),
      mark(award.area('cheapest-single', 'best-score'), is(here, '=', 0), 'muted'),
      ...['C', SOLUTION].map((column) => mark(scenarios(column), is({ column: SOLUTION }, '=', OUTDATED), 'bad')),
    ],
    print: { titleColumns: 'A:B', pagesWide: 2, from: FIRST_SCENARIO_ROW - 1, to: award.lastRow },
  })
}

/** Column that shows how a scenario was solved. */
const SOLUTION = 'O'

function* awardRows(layout: RfqLayout): Generator<RowPlan> {
  yield* headingRows(rfqHeading(layout, 'Award scenarios', NOTE))
  yield* emptyRows(1)
  yield scenarioHeader(layout)
  for (const [index, award] of layout.report.awards.entries()) yield scenarioRow(layout, award, index)
  yield* emptyRows(1)
  yield searchedScenariosRow(layout)
  yield singleOfferCalculationRow(layout)
  yield* tonnesRows(layout)
}

function scenarioHeader({ currency }: RfqLayout): RowPlan {
  const figures = [
    'Tonnes',
    withCurrency('Total', currency),
    withCurrency('Blended price', currency, '/t'),
    'Coverage',
    withCurrency('Budget', currency),
    withCurrency('Saving against budget', currency),
    'Saving (share)',
    'Offers',
    'Developers',
    'Tonnes above maximum',
  ]
  return headRow(
    ...['No.', 'Scenario', 'Awarded to', 'Volume reached'],
    ...figures.map(right),
    'Solution',
    right(withCurrency('Lower bound on cost', currency)),
    '',
    'Rule and solution method',
  )
}

function scenarioRow(layout: RfqLayout, award: Award, index: number): RowPlan {
  const row = FIRST_SCENARIO_ROW + index
  const cells: Cell[] = [
    number(index + 1, style.plainNumber),
    text(award.title, style.boldWrapped),
    winnersCell(layout, award, row),
    formula(
      `IF(ISNUMBER(WantedVolume),IF(AND(E${row}>0,E${row}>=${REACHED_VOLUME}),"yes","no"),"no")`,
      yesNo(award.reached),
      style.centred,
    ),
    ...figureCells(layout, award, row),
    solutionCell(layout, award),
    lowerBoundCell(layout, award),
    blank(style.body),
    ruleCell(layout, award),
  ]
  if (!isExact(award.scenario)) return bodyRow(...cells)
  const winners = text(`${FOR_ORIGINAL_INPUTS}${winnerNames(layout, award)}`, style.wrapped)
  const outdated = cells.with(2, winners).with(-1, text(`${award.rule} ${OUTDATED_NOTE}`, style.wrapped))
  return { cells, alternative: outdated }
}

function winnersCell(layout: RfqLayout, award: Award, row: number): Cell {
  const count = winnerCount(layout, award)
  const names = `_xlfn.TEXTJOIN("; ",TRUE,IF(${isWinner(layout, award)},${layout.award.range('label')},""))`
  const winners = `IF(${count}=0,"${NONE}",IF(${count}>${MAX_NAMED_WINNERS},${count}&" offers",${names}))`
  const expression = isExact(award.scenario) ? `IF(RatesChanged>0,"${FOR_ORIGINAL_INPUTS}","")&${winners}` : winners
  return arrayFormula(expression, winnerNames(layout, award), `C${row}`, style.wrapped)
}

/** Tonnes a reader enters for an unranked offer are ignored. */
const winnerCount = ({ award: { range } }: RfqLayout, { scenario }: Award) =>
  `COUNTIFS(${range(scenario)},">0",${range('eligible')},"yes")`
const isWinner = ({ award: { range } }: RfqLayout, { scenario }: Award) =>
  `(${range(scenario)}>0)*(${range('eligible')}="yes")`

/** In the order of the table of tonnes. */
function winnerNames({ report }: RfqLayout, { winners }: Award): string {
  const winnerIds = new Set(winners.map(({ offerId }) => offerId))
  if (winnerIds.size === 0) return NONE
  if (winnerIds.size > MAX_NAMED_WINNERS) return `${winnerIds.size} offers`
  return joinList(
    report.offers.filter(({ id }) => winnerIds.has(id)).map(({ label }) => label),
    '; ',
  )
}

function figureCells(layout: RfqLayout, award: Award, row: number): Cell[] {
  const { numbers, currency } = layout
  const money = numbers.money(currency)
  const tonnes = layout.award.range(award.scenario)
  const developers = layout.award.range('developerNo')
  const count = winnerCount(layout, award)
  const spread = `SUM(--(FREQUENCY(IF(${isWinner(layout, award)},${developers}),${developers})>0))`
  return [
    formula(
      `SUMIFS(${tonnes},${tonnes},">0",${layout.award.range('eligible')},"yes")`,
      award.tonnes,
      style.asBold(numbers.volume),
    ),
    formula(`SUMPRODUCT(--(${tonnes}>0),${tonnes},${layout.award.range('price')})`, award.total, style.asBold(money)),
    formula(`IF(E${row}>0,F${row}/E${row},NA())`, award.blendedPrice, numbers.price(currency)),
    formula(`IF(ISNUMBER(WantedVolume),MIN(1,E${row}/WantedVolume),NA())`, award.coverage, style.percent),
    formula(`IF(ISNUMBER(MaxPrice),MaxPrice*E${row},NA())`, award.budget, money),
    formula(`IFERROR(I${row}-F${row},NA())`, award.saving, money),
    formula(`IFERROR(J${row}/I${row},NA())`, award.savingShare, style.percent),
    formula(count, award.winners.length, style.integer),
    arrayFormula(`IF(${count}=0,0,${spread})`, award.developers, `M${row}`, style.integer),
    formula(`IF(ISNUMBER(MaxVolume),MAX(0,E${row}-MaxVolume),0)`, award.tonnesOverMaximum, numbers.volume),
  ]
}

/** Names the scenarios that formulas cannot solve, and states whether they are still current. */
function searchedScenariosRow({ report }: RfqLayout): RowPlan {
  const numberOf = (scenario: AwardScenario) => report.awards.findIndex((award) => award.scenario === scenario) + 1
  const sets = EXACT_SCENARIOS.map(numberOf).join(', ')
  const current = `Scenarios ${sets} were found by search for each of the RFQ’s volumes; everything else is calculated by formulas.`
  const outdated = `Scenarios ${sets} are outdated: exchange rates or “Rank expired offers” changed on Inputs, and the awards shown are those for the original inputs. No award can cost less than scenario ${numberOf('cheapest-divisible')}. Generate the report again for the cheapest awards.`
  const sentence = `IF(RatesChanged>0,${stringLiteral(outdated)},${stringLiteral(current)})`
  return bodyRow(undefined, undefined, formula(sentence, current, { ...style.body, alignment: {} }))
}
