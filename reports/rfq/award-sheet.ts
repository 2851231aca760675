import type { Award, AwardScenario } from '../../src/domain/comparison/awards/award-model.js'
import { AWARD_SCENARIOS, EXACT_SCENARIOS, isExact } from '../../src/domain/comparison/awards/award-model.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { inOrder, rowSheet, tableRows } from '../layout/table-sheet.js'
import { joinList, withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { formula, stringLiteral, text as textCell } from '../xlsx/cells.js'
import { lowerBoundCell, OUTDATED, OUTDATED_NOTE, ruleCell, solutionCell } from './award-labels.js'
import { REACHED_VOLUME } from './award-sets.js'
import { singleOfferCalculationRow, TONNES_VALIDATION, tonnesRows } from './award-tonnes.js'
import { type RfqLayout, rfqHeading, type ScenarioKey } from './layout.js'
import { blockColumns, withBlockWidths, withRecommendation } from './recommendation-block.js'

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
  const { award, scenarios } = layout
  const outdated = is({ column: scenarios.letter('solution') }, '=', OUTDATED)
  return rowSheet({
    name: 'Award',
    widths: withBlockWidths(layout, WIDTHS),
    workingColumns: blockColumns(layout),
    rows: () => withRecommendation(layout, awardRows(layout)),
    frozen: { rows: 3, columns: 2 },
    filter: `A${award.headerRow}:${award.letter('own')}${award.lastRow}`,
    validations: [{ address: award.area('own'), rule: TONNES_VALIDATION }],
    marks: [
      mark(scenarios.area('reached'), is(here, '=', 'yes'), 'good'),
      mark(scenarios.area('reached'), is(here, '=', 'no'), 'warn'),
      mark(award.area('cheapest-single', 'best-score'), is(here, '>', 0), 'good'),
      mark(award.area('cheapest-single', 'best-score'), is(here, '=', 0), 'muted'),
      mark(scenarios.area('winners'), outdated, 'bad'),
      mark(scenarios.area('solution'), outdated, 'bad'),
    ],
    print: { titleColumns: 'A:B', wideFrom: scenarios.headerRow },
  })
}

function* awardRows(layout: RfqLayout): Generator<RowPlan> {
  yield* headingRows(rfqHeading(layout, 'Award scenarios', NOTE))
  yield* emptyRows(1)
  yield* tableRows(inOrder(layout.scenarios, scenarioColumns(layout)), layout.report.awards)
  yield* emptyRows(1)
  yield searchedScenariosRow(layout)
  yield singleOfferCalculationRow(layout)
  yield* tonnesRows(layout)
}

function scenarioColumns(layout: RfqLayout): Columns<Award, ScenarioKey> {
  const { numbers, currency, scenarios, award: tonnes } = layout
  const { text, number, formula, arrayFormula, cells } = columnsOf<Award, ScenarioKey>(scenarios)
  const money = numbers.money(currency)
  const developers = tonnes.range('developerNo')
  const awarded = ({ scenario }: Award) => tonnes.range(scenario)
  return {
    number: number('No.', ({ scenario }) => AWARD_SCENARIOS.indexOf(scenario) + 1),
    scenario: text('Scenario', (award) => award.title, { look: style.boldWrapped }),
    winners: {
      ...arrayFormula('Awarded to', style.wrapped, (award) => [
        winnersExpression(layout, award),
        winnerNames(layout, award),
      ]),
      alternative: (award) => ifSearched(award, `${FOR_ORIGINAL_INPUTS}${winnerNames(layout, award)}`),
    },
    reached: formula('Volume reached', style.centred, (award, at) => [
      `IF(ISNUMBER(WantedVolume),IF(AND(${at('tonnes')}>0,${at('tonnes')}>=${REACHED_VOLUME}),"yes","no"),"no")`,
      yesNo(award.reached),
    ]),
    tonnes: formula('Tonnes', style.asBold(numbers.volume), (award) => [
      `SUMIFS(${awarded(award)},${awarded(award)},">0",${tonnes.range('eligible')},"yes")`,
      award.tonnes,
    ]),
    total: formula(withCurrency('Total', currency), style.asBold(money), (award) => [
      `SUMPRODUCT(--(${awarded(award)}>0),${awarded(award)},${tonnes.range('price')})`,
      award.total,
    ]),
    price: formula(withCurrency('Blended price', currency, '/t'), numbers.price(currency), (award, at) => [
      `IF(${at('tonnes')}>0,${at('total')}/${at('tonnes')},NA())`,
      award.blendedPrice,
    ]),
    coverage: formula('Coverage', style.percent, (award, at) => [
      `IF(ISNUMBER(WantedVolume),MIN(1,${at('tonnes')}/WantedVolume),NA())`,
      award.coverage,
    ]),
    budget: formula(withCurrency('Budget', currency), money, (award, at) => [
      `IF(ISNUMBER(MaxPrice),MaxPrice*${at('tonnes')},NA())`,
      award.budget,
    ]),
    saving: formula(withCurrency('Saving against budget', currency), money, (award, at) => [
      `IFERROR(${at('budget')}-${at('total')},NA())`,
      award.saving,
    ]),
    savingShare: formula('Saving (share)', style.percent, (award, at) => [
      `IFERROR(${at('saving')}/${at('budget')},NA())`,
      award.savingShare,
    ]),
    offers: formula('Offers', style.integer, (award) => [winnerCount(layout, award), award.winners.length]),
    developers: arrayFormula('Developers', style.integer, (award) => {
      const spread = `SUM(--(FREQUENCY(IF(${isWinner(layout, award)},${developers}),${developers})>0))`
      return [`IF(${winnerCount(layout, award)}=0,0,${spread})`, award.developers]
    }),
    overMaximum: formula('Tonnes above maximum', numbers.volume, (award, at) => [
      `IF(ISNUMBER(MaxVolume),MAX(0,${at('tonnes')}-MaxVolume),0)`,
      award.tonnesOverMaximum,
    ]),
    solution: cells('Solution', (award) => solutionCell(layout, award)),
    lowerBound: cells(withCurrency('Lower bound on cost', currency), (award) => lowerBoundCell(layout, award), {
      look: money,
    }),
    gap: text('', () => null, { look: style.body }),
    rule: {
      ...cells('Rule and solution method', (award) => ruleCell(layout, award)),
      alternative: (award) => ifSearched(award, `${award.rule} ${OUTDATED_NOTE}`),
    },
  }
}

/** A text that replaces another if a searched award is outdated. */
const ifSearched = ({ scenario }: Award, words: string) =>
  isExact(scenario) ? textCell(words, style.wrapped) : undefined

function winnersExpression(layout: RfqLayout, award: Award): string {
  const count = winnerCount(layout, award)
  const names = `_xlfn.TEXTJOIN("; ",TRUE,IF(${isWinner(layout, award)},${layout.award.range('label')},""))`
  const winners = `IF(${count}=0,"${NONE}",IF(${count}>${MAX_NAMED_WINNERS},${count}&" offers",${names}))`
  return isExact(award.scenario) ? `IF(RatesChanged>0,"${FOR_ORIGINAL_INPUTS}","")&${winners}` : winners
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

/** Names the scenarios that formulas cannot solve, and states whether they are still current. */
function searchedScenariosRow({ report }: RfqLayout): RowPlan {
  const numberOf = (scenario: AwardScenario) => report.awards.findIndex((award) => award.scenario === scenario) + 1
  const sets = EXACT_SCENARIOS.map(numberOf).join(', ')
  const current = `Scenarios ${sets} were found by search for each of the RFQ’s volumes; everything else is calculated by formulas.`
  const outdated = `Scenarios ${sets} are outdated: exchange rates or “Rank expired offers” changed on Inputs, and the awards shown are those for the original inputs. No award can cost less than scenario ${numberOf('cheapest-divisible')}. Generate the report again for the cheapest awards.`
  const sentence = `IF(RatesChanged>0,${stringLiteral(outdated)},${stringLiteral(current)})`
  return bodyRow(undefined, undefined, formula(sentence, current, { ...style.body, alignment: {} }))
}
