import { isChange } from '../../src/domain/comparison/report/document-changes.js'
import { type Fact, type FactBlock, factBlockRows, partFacts } from '../layout/fact-blocks.js'
import { emptyRows, headingRows } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { severityLabels, withCurrency } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type CachedResult, formula, number } from '../xlsx/cells.js'
import { type RfqLayout, rfqHeading } from './layout.js'
import { volumeChartSection } from './volume-charts.js'

const WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
const NOTE = 'The offers received, their prices and volumes in figures; the charts show ranked offers by number.'

/** `Statistics`: facts of the offers received, and charts of volumes. */
export function statisticsSheet(layout: RfqLayout): SheetPlan {
  const facts = [
    ...headingRows(rfqHeading(layout, 'Statistics', NOTE)),
    ...emptyRows(1),
    ...factBlockRows([offerFacts(layout), priceFacts(layout)]),
    ...emptyRows(1),
  ]
  const drawn = volumeChartSection(layout, facts.length + 1)
  return rowSheet({
    name: 'Statistics',
    widths: WIDTHS,
    rows: () => [...facts, ...drawn.rows],
    charts: drawn.charts,
    print: { onePage: true },
  })
}

function offerFacts({ report, offers, numbers }: RfqLayout): FactBlock {
  const { summary } = report
  const ranked = `COUNTIF(${offers.range('eligible')},"yes")`
  const volume = `SUMIFS(${offers.range('volume')},${offers.range('eligible')},"yes")`
  const coverage = `IF(ISNUMBER(WantedVolume),MIN(1,${volume}/WantedVolume),NA())`
  return {
    title: 'Offers received',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...partFacts(summary.byStatus.slice(0, 5).map(({ status, offers }) => [status, offers])),
      ['Ranked', formula(ranked, summary.ranked, style.integer)],
      ['Meet all requirements', number(summary.meetRequirements, style.integer)],
      ['Submitted late', number(summary.late, style.integer)],
      ['Volume of ranked offers (t)', formula(volume, summary.volume, numbers.volume)],
      ['Coverage of the wanted volume', formula(coverage, summary.coverage, style.percent)],
      ['Changes observed', number(report.changes.filter(isChange).length, style.integer)],
    ],
  }
}

function priceFacts({ report, offers, numbers, currency }: RfqLayout): FactBlock {
  const { price, flags } = report.summary
  const look = numbers.price(currency)
  const [eligible, prices] = [offers.range('eligible'), offers.range('comparedPricePerTonne')]
  const some = (expression: string) => `IF(COUNTIF(${eligible},"yes")=0,NA(),${expression})`
  const figure = (expression: string, cached: CachedResult) => formula(some(expression), cached, look)
  const lowest = `_xlfn.MINIFS(${prices},${eligible},"yes")`
  const highest = `_xlfn.MAXIFS(${prices},${eligible},"yes")`
  const sum = (key: 'comparedTotal' | 'volume') => `SUMIFS(${offers.range(key)},${eligible},"yes")`
  return {
    title: withCurrency('Prices per tonne, ranked offers', currency),
    facts: [
      ['Lowest', figure(lowest, price.lowest)],
      ['Median', arrayFormula(some(`MEDIAN(IF(${eligible}="yes",${prices}))`), price.median, look)],
      ['Highest', figure(highest, price.highest)],
      ['Spread', figure(`${highest}-${lowest}`, price.spread)],
      ['Volume-weighted average', figure(`${sum('comparedTotal')}/${sum('volume')}`, price.weightedMean)],
      ...(['high', 'medium', 'low'] as const).map(
        (severity): Fact => [`${severityLabels[severity]} flags`, number(flags[severity], style.integer)],
      ),
    ],
  }
}
