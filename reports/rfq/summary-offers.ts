import { SCENARIOS } from '../../src/compare/decision/decision-model.js'
import { scenarioRows as rowsOfReport, type ScenarioRow } from '../../src/compare/decision/scenario-rows.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { type Column, columnsOf, referringColumn } from '../layout/columns.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { listOrCount } from '../layout/phrase.js'
import { emptyRows, sectionRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { blank } from '../xlsx/cells.js'
import { scenarioColumns } from './award-sheet.js'
import type { OfferKey, RfqLayout, ScenarioKey } from './layout.js'
import { offerColumns } from './offers-sheet.js'

/** Number of offers shown: as many as fit on the page. */
const SHOWN = 12

/** The offers by rank, which the charts show too. */
export type OfferTable = ReturnType<typeof offerTable>

/** Rows from the last offer to the data: a gap, links, title and headers. */
const ROWS_TO_DATA = 4

/** The charts beside the table need the height of this many rows. */
const MIN_LAST_ROW = 30

/** Ranked offers by rank, then the others. @param row first row of the block */
export function offerTable(layout: RfqLayout, row: number) {
  const { report } = layout
  const offers = report.offers.slice(0, SHOWN)
  const firstRow = row + 2
  const last = firstRow + offers.length - 1
  const filling = Math.max(0, MIN_LAST_ROW - last)
  const dataRow = last + filling + 1 + ROWS_TO_DATA
  const table = tableRows(columnsFor(layout, firstRow, dataRow), offers)
  return {
    rows: [sectionRow(titleOf(report, offers.length)), ...table, ...emptyRows(filling)],
    marks: [
      mark(`A${firstRow}:L${last}`, is({ column: 'C' }, '>', 0), 'good'),
      mark(`L${firstRow}:L${last}`, is(here, '=', MEETS_ALL), 'good'),
    ],
    offers,
    firstRow,
    /** The row of the first offer in the data of the charts, below the table. */
    dataRow,
  }
}

const MEETS_ALL = 'Meets every hard requirement'

/** The hard requirements that an offer fails, in words, with the settings of the report. */
export const failureWords = ({ decision }: RfqReport, id: string): string =>
  decision.offers.find(({ offerId }) => offerId === id)?.why ?? MEETS_ALL

const awardedWord = ({ decision }: RfqReport) => (decision.accepted === null ? 'Awarded' : 'Accepted')

function titleOf(report: RfqReport, shown: number): string {
  const all = report.offers.length
  const which = shown < all ? `The first ${shown} of ${all} offers by rank; Offers lists all.` : 'Offers by rank.'
  return `${which} ${awardedWord(report)} offers are green.`
}

/** Position on `Offers` of the offer in a row: by rank, then the unranked ones. */
function positionExpression({ offers }: RfqLayout, index: number): string {
  const [ranks, ranked] = [offers.range('rank'), `COUNT(${offers.range('rank')})`]
  const others = `SMALL(IF(ISNUMBER(${ranks}),9E+9,ROW(${ranks})-${offers.firstRow - 1}),${index + 1}-${ranked})`
  return `IF(${index + 1}<=${ranked},MATCH(${index + 1},${ranks},0),${others})`
}

function columnsFor(layout: RfqLayout, firstRow: number, dataRow: number): Column<OfferReport>[] {
  const { offers, report, numbers, recommendation } = layout
  const columns = offerColumns(layout)
  const { formula, arrayFormula } = columnsOf<OfferReport>()
  const positionOf = (index: number) => `MATCH($A${firstRow + index},${offers.range('offer')},0)`
  const found = (key: OfferKey, index: number) => `INDEX(${offers.range(key)},${positionOf(index)})`
  const fromOffers = (key: OfferKey, options: { header?: string; style?: style.Style } = {}) =>
    referringColumn(columns[key], (_, index) => `IFERROR(${found(key, index)},"")`, options)
  const decisionOf = new Map(report.decision.offers.map((each) => [each.offerId, each]))
  return [
    arrayFormula('No.', style.asBold(style.plainNumber), ({ sequence }, _at, index) => [
      `INDEX(${offers.range('offer')},${positionExpression(layout, index)})`,
      sequence,
    ]),
    fromOffers('label', { header: 'Offer', style: style.boldWrapped }),
    formula(`${awardedWord(report)} (t)`, numbers.volume, ({ id }, _at, index) => {
      const ofRule = `INDEX(${recommendation.offers.range('tonnes')},${positionOf(index)})`
      const accepted = `IF(${found('status', index)}="Accepted",${found('volume', index)},0)`
      const tonnes = report.decision.accepted === null ? ofRule : accepted
      return [`IFERROR(${tonnes}/(${tonnes}>0),"")`, decisionOf.get(id)?.awardedTonnes || '']
    }),
    fromOffers('volume', { header: 'Tonnes' }),
    fromOffers('comparedTotal'),
    fromOffers('comparedPricePerTonne'),
    fromOffers('comparedPrice', { header: 'Risk-adjusted price' }),
    fromOffers('score', { header: 'Score of 100' }),
    fromOffers('rank'),
    fromOffers('high'),
    formula('Expires in (days)', style.plainNumber, ({ status, terms }, _at, index) => {
      const days = found('daysToExpiry', index)
      // A reference to an empty cell would show 0; whether an accepted offer has expired does not matter.
      const shown = `IF(${found('status', index)}="Accepted","accepted",IFERROR(${days}/(${days}<>""),""))`
      return [shown, status === 'accepted' ? 'accepted' : (terms.daysToExpiry ?? '')]
    }),
    formula('Failed hard requirement', style.wrapped, ({ id }, _at, index) => {
      const titles = `INDEX(${recommendation.offers.range('unmet')},${positionOf(index)})`
      const live = `IFERROR(IF(${titles}="","${MEETS_ALL}",${titles}),"")`
      return [`IF(InputsChanged=0,$K$${dataRow + index}&"",${live})`, failureWords(report, id)]
    }),
  ]
}

/** At most this many offers of a scenario are listed; of more, their number is given. */
const MAX_LISTED = 4
const NO_AWARD = 'No award'
const BELOW = 'Below the wanted volume. '

/** One row for each way to award, which refers to its row on `Award`. @param row first row of the block */
export function scenarioRows(layout: RfqLayout, row: number): { rows: RowPlan[]; marks: Mark[] } {
  const { report, scenarios, numbers, money } = layout
  if (report.decision.scenarios.length === 0) return { rows: [], marks: [] }
  const columns = scenarioColumns(layout)
  const { text, formula, arrayFormula } = columnsOf<ScenarioRow>()
  const signed = style.withNumberFormat(money, '+#,##0;-#,##0;0')
  const source = (key: ScenarioKey, index: number) => scenarios.cell(key, index)
  /** Empty where nothing is awarded. */
  const fromAward = (key: ScenarioKey, header = columns[key].header, cellStyle?: style.Style) => {
    const cell = (award: ScenarioRow, index: number) =>
      award.tonnes > 0 ? columns[key].cell(award, index) : blank(columns[key].cell(award, index).style)
    const expression = (_: ScenarioRow, index: number) => `IF(N(${source('tonnes', index)})>0,${source(key, index)},"")`
    return referringColumn({ ...columns[key], cell }, expression, { header, ...(cellStyle && { style: cellStyle }) })
  }
  const shown = rowsOfReport(report).slice(0, SCENARIOS.length)
  const waived = formula('Hard requirements waived, by offer no.', style.wrapped, (award, _at, index) => {
    const below = `IF(${source('reached', index)}="no","${BELOW}","")&${source('waived', index)}`
    const words = `${award.reached ? '' : BELOW}${columns.waived.cell(award, index).value ?? ''}`
    return [`IF(N(${source('tonnes', index)})>0,${below},"${NO_AWARD}")`, award.tonnes > 0 ? words : NO_AWARD]
  })
  const table = [
    text('Scenario', ({ title }) => title, { style: style.boldWrapped }),
    text('', () => null, { style: style.body }),
    arrayFormula('Offers no.', style.asRight(style.wrapped), (award) => offersText(layout, award)),
    fromAward('tonnes', 'Tonnes', numbers.volume),
    fromAward('total'),
    fromAward('price'),
    fromAward('difference', `Difference to ${layout.chosen}`, signed),
    fromAward('constraint', 'Cost of the constraint', signed),
    fromAward('developers'),
    fromAward('excessTonnes'),
    fromAward('excessCost', 'Cost of the excess'),
    waived,
  ]
  const rows = [...tableRows(table, shown)].map((plan): RowPlan => ({ ...plan, merged: [[0, 1]] }))
  const [first, last] = [row + 2, row + 1 + shown.length]
  return {
    rows: [sectionRow('Scenarios'), ...rows],
    marks: [
      mark(`A${first}:B${first}`, is({ column: 'A' }, '=', 'Recommended'), 'good'),
      mark(`J${first}:K${last}`, is(here, '=', 0), 'muted'),
    ],
  }
}

/** The numbers of the awarded offers. */
function offersText({ award: { range }, report }: RfqLayout, { scenario, awarded }: ScenarioRow) {
  const [tonnes, numbers] = [range(scenario), range('offer')]
  const count = `COUNTIF(${tonnes},">0")`
  const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${numbers},""),""))`
  const shown = report.offers.filter(({ id }) => (awarded.get(id) ?? 0) > 0).map(({ sequence }) => sequence)
  return listOrCount([list, shown.join(', ')], [count, shown.length], MAX_LISTED)
}
