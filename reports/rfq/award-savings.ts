import type { Baseline } from '../../src/compare/decision/decision-model.js'
import { bodyRow, emptyRows, headRow, right, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type CachedResult, type Cell, formula, text } from '../xlsx/cells.js'
import { OUTDATED } from './award-tonnes.js'
import { BASELINES, type RfqLayout } from './layout.js'

/**
 * What the recommended award saves on the wanted tonnes, against each baseline. Tonnes beyond the wanted volume are no
 * saving: their cost is deducted in the last column.
 * @param row number of the first row
 */
export function* savingsRows(layout: RfqLayout, row: number): Generator<RowPlan> {
  const { report, inCurrency, perTonne } = layout
  const { savings, accepted } = report.decision
  const whose = accepted === null ? 'the recommended award' : 'the award that the rule chooses'
  yield sectionRow(`Savings of ${whose}, on the wanted tonnes only`)
  if (savings === null) yield* [textRow('There is no such award.'), ...emptyRows(BASELINES)]
  else {
    yield headRow(
      '',
      'Baseline',
      'Source',
      '',
      right('Wanted tonnes'),
      right(inCurrency('Cost at its price')),
      right(perTonne('Price')),
      right('Saving (share)'),
      right(inCurrency('Saving')),
      '',
      right(inCurrency('Less cost of excess')),
    )
    for (const [index, baseline] of savings.baselines.entries())
      yield baselineRow(layout, baseline, { row: row + 2 + index, tonnes: savings.tonnes })
  }
  yield* emptyRows(1)
}

function baselineRow(layout: RfqLayout, baseline: Baseline, { row, tonnes }: { row: number; tonnes: number }): RowPlan {
  const { numbers, money, scenarios } = layout
  const figure = (needs: string, expression: string, cached: CachedResult, cellStyle: style.Style): Cell =>
    formula(`IF(ISNUMBER(${needs}),${expression},"")`, cached ?? '', cellStyle)
  const recommended = (key: 'tonnes' | 'price' | 'excessCost' | 'solution') => scenarios.at(key, 0)
  const wanted = `IF(AND(ISNUMBER(WantedVolume),${recommended('tonnes')}>0),MIN(${recommended('tonnes')},WantedVolume),"")`
  const bought = `IF(${recommended('solution')}="${OUTDATED}","${OUTDATED}",${wanted})`
  // Only the runner-up has an excess cost of its own.
  const ofRunnerUp = baseline.baseline === 'next-best' && baseline.savingAfterExcess !== null
  const excess = (ofRunnerUp ? layout.report.decision.recommendation.runnerUp?.award.excessCost : null) ?? 0
  return bodyRow(
    undefined,
    text(baseline.title, style.boldWrapped),
    text(baseline.words, style.wrapped),
    undefined,
    formula(bought, tonnes, numbers.volume),
    figure(`G${row}`, `IF(ISNUMBER(E${row}),G${row}*E${row},"")`, baseline.cost, money),
    priceCell(layout, baseline),
    figure(`I${row}`, `IF(F${row}>0,I${row}/F${row},"")`, baseline.savingShare, style.percent),
    figure(`F${row}`, `F${row}-E${row}*${recommended('price')}`, baseline.saving, style.asBold(money)),
    undefined,
    figure(`I${row}`, `I${row}+${excess}-${recommended('excessCost')}`, baseline.savingAfterExcess, money),
  )
}

/** The runner-up needs a search: it is that of the report's settings. */
function priceCell({ offers, price }: RfqLayout, { baseline, pricePerTonne }: Baseline): Cell {
  const cached = pricePerTonne ?? ''
  const prices = `IF(${offers.range('eligible')}="yes",${offers.range('comparedPricePerTonne')})`
  switch (baseline) {
    case 'max-price':
      return formula('IF(ISNUMBER(MaxPrice),MaxPrice,"")', cached, price)
    case 'median-offer':
      return arrayFormula(`IFERROR(MEDIAN(${prices}),"")`, cached, price)
    case 'next-best':
      return formula(`IF(InputsChanged=0,${pricePerTonne ?? '""'},"${OUTDATED}")`, cached, price)
  }
}
