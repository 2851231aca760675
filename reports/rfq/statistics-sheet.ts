import { isChange } from '../../src/domain/comparison/report/document-changes.js'
import { codeList, codeWords } from '../layout/codes.js'
import { type Fact, type FactBlock, factBlockRows, textFact } from '../layout/fact-blocks.js'
import { emptyRows, headingRows } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { severityLabels, withCurrency } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type CachedResult, type Cell, date, formula, moment, number } from '../xlsx/cells.js'
import { SHEET_SCENARIOS } from './award-scenario.js'
import { MASTER_CHECK_CELL, masterCheckMarks } from './checks-sheet.js'
import { type RfqLayout, rfqHeading } from './layout.js'
import { volumeChartSection } from './volume-charts.js'

const WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
const NOTE =
  'The request, the offers received and their prices and volumes in figures; the charts show ranked offers by number.'

/** `Statistics`: facts of the request and the offers received, and charts of volumes. */
export function statisticsSheet(layout: RfqLayout): SheetPlan {
  const facts = [
    ...headingRows(rfqHeading(layout, 'Statistics', NOTE)),
    ...emptyRows(1),
    ...factBlockRows([requestFacts(layout), offerFacts(layout), priceFacts(layout)]),
    ...emptyRows(1),
  ]
  const drawn = volumeChartSection(layout, facts.length + 1)
  return rowSheet({
    name: 'Statistics',
    widths: WIDTHS,
    rows: () => [...facts, ...drawn.rows],
    charts: drawn.charts,
    marks: masterCheckMarks(MASTER_CHECK),
    print: { onePage: true },
  })
}

/** The first fact of the third block. */
const MASTER_CHECK = 'K6'

function requestFacts({ report, numbers }: RfqLayout): FactBlock {
  const { rfq, context } = report
  const own = numbers.price(report.currency.rfq)
  const years = [rfq.minVintageYear, rfq.maxVintageYear].map((year) => year ?? 'Any')
  return {
    title: 'Request',
    facts: [
      ['Number', textFact(rfq.number)],
      ['State', textFact(codeWords(rfq.state ?? 'unknown'))],
      ['As of', moment(context.asOf, style.asRight(style.timestamp))],
      ['Response due date', date(rfq.responseDueDate, style.asRight(style.calendarDate))],
      ['Days to due date', number(rfq.daysToDue, style.plainNumber)],
      ['Fulfilment due date', date(rfq.fulfilmentDueDate, style.asRight(style.calendarDate))],
      ['Minimum volume (t)', number(rfq.minVolume, numbers.volume)],
      ['Maximum volume (t)', number(rfq.maxVolume, numbers.volume)],
      ['Vintages', textFact(`${years[0]} to ${years[1]}`)],
      ['Minimum price per tonne', number(rfq.minUnitPrice, own)],
      ['Maximum price per tonne', number(rfq.maxUnitPrice, own)],
      ['Contract types', textFact(codeList(rfq.contractTypes))],
    ],
  }
}

function offerFacts(layout: RfqLayout): FactBlock {
  const { report, offers, numbers } = layout
  const { summary } = report
  const ranked = `COUNTIF(${offers.range('eligible')},"yes")`
  const volume = `SUMIFS(${offers.range('volume')},${offers.range('eligible')},"yes")`
  const statuses = summary.byStatus.map(
    ({ status, offers }): Fact => [
      `  of which ${codeWords(status).toLowerCase()}`.slice(0, 40),
      number(offers, style.integer),
    ],
  )
  return {
    title: 'Offers received',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...statuses.slice(0, 5),
      ['Ranked', formula(ranked, summary.ranked, style.integer)],
      ['Meet all requirements', number(summary.meetRequirements, style.integer)],
      ['Submitted late', number(summary.late, style.integer)],
      ['Volume of ranked offers (t)', formula(volume, summary.volume, numbers.volume)],
      [
        'Coverage of the wanted volume',
        formula(`IF(ISNUMBER(WantedVolume),MIN(1,${volume}/WantedVolume),NA())`, summary.coverage, style.percent),
      ],
      ['Changes observed', number(report.changes.filter(isChange).length, style.integer)],
    ],
  }
}

function priceFacts(layout: RfqLayout): FactBlock {
  const { report, currency } = layout
  const { summary } = report
  return {
    title: withCurrency('Prices per tonne, ranked offers', currency),
    facts: [
      ['Master check', formula(MASTER_CHECK_CELL, report.checks.master.verdict, style.asRight(style.boldBody))],
      ...statistics(layout),
      ...bestFacts(layout),
      ...(['high', 'medium', 'low'] as const).map(
        (severity): Fact => [`${severityLabels[severity]} flags`, number(summary.flags[severity], style.integer)],
      ),
    ],
  }
}

function statistics({ report, offers, numbers, currency }: RfqLayout): Fact[] {
  const { price } = report.summary
  const style = numbers.price(currency)
  const eligible = offers.range('eligible')
  const prices = offers.range('comparedPricePerTonne')
  const some = (expression: string) => `IF(COUNTIF(${eligible},"yes")=0,NA(),${expression})`
  const figure = (expression: string, cached: CachedResult) => formula(some(expression), cached, style)
  const lowest = `_xlfn.MINIFS(${prices},${eligible},"yes")`
  const highest = `_xlfn.MAXIFS(${prices},${eligible},"yes")`
  const weighted = `SUMIFS(${offers.range('comparedTotal')},${eligible},"yes")/SUMIFS(${offers.range('volume')},${eligible},"yes")`
  return [
    ['Lowest', figure(lowest, price.lowest)],
    ['Median', arrayFormula(some(`MEDIAN(IF(${eligible}="yes",${prices}))`), price.median, style)],
    ['Highest', figure(highest, price.highest)],
    ['Spread', figure(`${highest}-${lowest}`, price.spread)],
    ['Volume-weighted average', figure(weighted, price.weightedMean)],
  ]
}

/** If exchange rates change, another combination may be the cheapest; only a new report can find it. */
const combinationName = (figure: string): Cell =>
  formula(
    `IF(RatesChanged>0,"Original awards (see Award), ${figure}","Cheapest combination, ${figure}")`,
    `Cheapest combination, ${figure}`,
    style.label,
  )

function bestFacts(layout: RfqLayout): Fact[] {
  const { report, numbers, currency, scenarios } = layout
  const index = SHEET_SCENARIOS.indexOf('cheapest-combination')
  const award = report.awards.find(({ scenario }) => scenario === 'cheapest-combination')
  return [
    [combinationName('total'), formula(scenarios.cell('total', index), award?.total ?? 0, numbers.money(currency))],
    [
      combinationName('blended'),
      formula(scenarios.cell('price', index), award?.blendedPrice ?? '', numbers.price(currency)),
    ],
  ]
}
