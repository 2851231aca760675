import type { Award, AwardScenario } from '../../src/domain/comparison/awards/award-model.js'
import { EXACT_SCENARIOS, isExact } from '../../src/domain/comparison/awards/award-model.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { emptyRows, fittedRow, fixedWidths, headingRows } from '../layout/table-sheet.js'
import { joinList, withCurrency, yesNo } from '../layout/wording.js'
import {
  asBold,
  body,
  boldWrapped,
  centred,
  header,
  headerRight,
  highlights,
  integer,
  percent,
  plainNumber,
  wrapped,
} from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import { lowerBoundCell, ruleCell, STALE_NOTE, solutionCell } from './award-labels.js'
import { REACHED_VOLUME } from './award-sets.js'
import { TONNES_VALIDATION, tonnesRows, workingsRow } from './award-tonnes.js'
import { FIRST_SCENARIO_ROW, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'Who would be awarded what. Awards minimise what is paid in all: discount rate, haircuts and weights move ranks, and with them the best score alone. They go to ranked offers only. The last column of tonnes is yours to fill.'
const WIDTHS = [9, 34, 36, 10, 14, 18, 15, 13, 18, 18, 14, 13, 14, 14, 16, 22, 12, 80]
const MOST_NAMED = 12
const NONE = '–'
/** Before the names of a set that was found for other inputs than those that stand there now. */
const AS_WRITTEN = 'As written: '

/** `Award`: scenarios above, tonnes by offer below. */
export function awardSheet(layout: RfqLayout): SheetPlan {
  const { award } = layout
  const own = award.letter('own')
  const count = layout.report.awards.length
  return {
    name: 'Award',
    ...fixedWidths(WIDTHS, () => awardRows(layout)),
    rows: () => awardRows(layout),
    frozen: { rows: 3, columns: 2 },
    filter: `A${award.headerRow}:${award.letter('own')}${award.lastRow}`,
    validations: [{ address: `${own}${award.firstRow}:${own}${award.lastRow}`, rule: TONNES_VALIDATION }],
    rules: [
      {
        ref: `D${FIRST_SCENARIO_ROW}:D${FIRST_SCENARIO_ROW + count - 1}`,
        rules: [
          { type: 'expression', priority: 1, formulae: [`D${FIRST_SCENARIO_ROW}="yes"`], style: highlights.good },
          { type: 'expression', priority: 2, formulae: [`D${FIRST_SCENARIO_ROW}="no"`], style: highlights.warn },
        ],
      },
      ...['C', FOUND].map((column, index) => ({
        ref: `${column}${FIRST_SCENARIO_ROW}:${column}${FIRST_SCENARIO_ROW + count - 1}`,
        rules: [staleMark(5 + index)],
      })),
      {
        ref: `${award.letter('cheapest-single')}${award.firstRow}:${award.letter('best-score')}${award.lastRow}`,
        rules: [
          {
            type: 'expression',
            priority: 3,
            formulae: [`${award.letter('cheapest-single')}${award.firstRow}>0`],
            style: highlights.good,
          },
          {
            type: 'expression',
            priority: 4,
            formulae: [`${award.letter('cheapest-single')}${award.firstRow}=0`],
            style: highlights.muted,
          },
        ],
      },
    ],
    print: { titleColumns: 'A:B', pagesWide: 2, from: FIRST_SCENARIO_ROW - 1, to: award.lastRow },
  }
}

/** Column that says how a scenario was found, and whether that still holds. */
const FOUND = 'O'
const staleMark = (priority: number) => ({
  type: 'expression' as const,
  priority,
  formulae: [`$${FOUND}${FIRST_SCENARIO_ROW}="stale"`],
  style: highlights.bad,
})

function* awardRows(layout: RfqLayout): Generator<RowPlan> {
  yield* headingRows(rfqHeading(layout, 'Award scenarios', NOTE))
  yield* emptyRows(1)
  yield scenarioHeader(layout)
  for (const [index, award] of layout.report.awards.entries()) yield scenarioRow(layout, award, index)
  yield* emptyRows(1)
  yield provenRow(layout)
  yield workingsRow(layout)
  yield* tonnesRows(layout, WIDTHS)
}

function scenarioHeader({ currency }: RfqLayout): RowPlan {
  const words = ['No.', 'Scenario', 'Awarded to', 'Reached']
  const figures = [
    'Tonnes',
    withCurrency('Total', currency),
    withCurrency('Blended price', currency, '/t'),
    'Coverage',
    withCurrency('Budget', currency),
    withCurrency('Saving against the budget', currency),
    'Saving, share',
    'Offers',
    'Developers',
    'Tonnes over the maximum',
  ]
  const cells = [
    ...words.map((word) => text(word, header)),
    ...figures.map((figure) => text(figure, headerRight)),
    text('Found', header),
    text(withCurrency('None costs less than', currency), headerRight),
    blank(header),
    text('Rule, and how it was solved', header),
  ]
  return fittedRow(cells, WIDTHS)
}

function scenarioRow(layout: RfqLayout, award: Award, index: number): RowPlan {
  const row = FIRST_SCENARIO_ROW + index
  const cells = [
    number(index + 1, plainNumber),
    text(award.title, boldWrapped),
    winnersCell(layout, award, row),
    formula(
      `IF(ISNUMBER(WantedVolume),IF(AND(E${row}>0,E${row}>=${REACHED_VOLUME}),"yes","no"),"no")`,
      yesNo(award.reached),
      centred,
    ),
    ...figureCells(layout, award, row),
    solutionCell(layout, award),
    lowerBoundCell(layout, award),
    blank(body),
    ruleCell(layout, award),
  ]
  return roomy(cells, layout, award)
}

/** As high as the row needs, also once its set is stale: nothing measures it anew then. */
function roomy(cells: readonly Cell[], layout: RfqLayout, award: Award): RowPlan {
  if (!isExact(award.scenario)) return fittedRow(cells, WIDTHS)
  const winners = text(`${AS_WRITTEN}${winnerWords(layout, award)}`, wrapped)
  const stale = cells.with(2, winners).with(-1, text(`${award.rule} ${STALE_NOTE}`, wrapped))
  const [now, then] = [fittedRow(cells, WIDTHS), fittedRow(stale, WIDTHS)]
  return { cells, height: Math.max(now.height ?? 0, then.height ?? 0) }
}

function winnersCell(layout: RfqLayout, award: Award, row: number): Cell {
  const count = winnerCount(layout, award)
  const names = `_xlfn.TEXTJOIN("; ",TRUE,IF(${isWinner(layout, award)},${layout.award.range('label')},""))`
  const winners = `IF(${count}=0,"${NONE}",IF(${count}>${MOST_NAMED},${count}&" offers",${names}))`
  const expression = isExact(award.scenario) ? `IF(RatesChanged>0,"${AS_WRITTEN}","")&${winners}` : winners
  return arrayFormula(expression, winnerWords(layout, award), `C${row}`, wrapped)
}

/** Tonnes for an offer that is not ranked, which only a reader can write, count for nothing. */
const winnerCount = ({ award: { range } }: RfqLayout, { scenario }: Award) =>
  `COUNTIFS(${range(scenario)},">0",${range('eligible')},"yes")`
const isWinner = ({ award: { range } }: RfqLayout, { scenario }: Award) =>
  `(${range(scenario)}>0)*(${range('eligible')}="yes")`

/** In the order of the table below. */
function winnerWords({ report }: RfqLayout, { winners }: Award): string {
  const taken = new Set(winners.map(({ offerId }) => offerId))
  if (taken.size === 0) return NONE
  if (taken.size > MOST_NAMED) return `${taken.size} offers`
  return joinList(
    report.offers.filter(({ id }) => taken.has(id)).map(({ label }) => label),
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
      asBold(numbers.volume),
    ),
    formula(`SUMPRODUCT(--(${tonnes}>0),${tonnes},${layout.award.range('price')})`, award.total, asBold(money)),
    formula(`IF(E${row}>0,F${row}/E${row},NA())`, award.blendedPrice, numbers.price(currency)),
    formula(`IF(ISNUMBER(WantedVolume),MIN(1,E${row}/WantedVolume),NA())`, award.coverage, percent),
    formula(`IF(ISNUMBER(MaxPrice),MaxPrice*E${row},NA())`, award.budget, money),
    formula(`IFERROR(I${row}-F${row},NA())`, award.saving, money),
    formula(`IFERROR(J${row}/I${row},NA())`, award.savingShare, percent),
    formula(count, award.winners.length, integer),
    arrayFormula(`IF(${count}=0,0,${spread})`, award.developers, `M${row}`, integer),
    formula(`IF(ISNUMBER(MaxVolume),MAX(0,E${row}-MaxVolume),0)`, award.tonnesOverMaximum, numbers.volume),
  ]
}

/** Says whether the sets that only the report can find still hold. */
function provenRow({ report }: RfqLayout): RowPlan {
  const place = (scenario: AwardScenario) => report.awards.findIndex((award) => award.scenario === scenario) + 1
  const sets = EXACT_SCENARIOS.map(place).join(', ')
  const kept = `Scenarios ${sets} hold the sets found by search, for each of the RFQ’s volumes; everything else is worked out by formulas.`
  const stale = `Scenarios ${sets} are stale: rates or expiry were changed on Inputs, and they keep the sets found for the inputs as written. No set can cost less than scenario ${place('cheapest-divisible')}. Make the report again for the least.`
  return fittedRow(
    [
      blank(),
      blank(),
      formula(`IF(RatesChanged>0,${stringLiteral(stale)},${stringLiteral(kept)})`, kept, { ...body, alignment: {} }),
    ],
    [],
  )
}
