import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { columnIndex } from '../layout/grid.js'
import { guardSheet } from '../layout/guard.js'
import type { SheetFactory, SheetPlan } from '../layout/sheet-plan.js'
import { aboutSheet } from './about-sheet.js'
import { awardSheet } from './award-sheet.js'
import { changesSheet } from './changes-sheet.js'
import { checksSheet } from './checks-sheet.js'
import { comparisonSheet } from './comparison-sheet.js'
import { deliveriesSheet, prepaymentsSheet } from './deliveries-sheet.js'
import { INVALID_INPUT } from './inputs.js'
import { inputsSheet } from './inputs-sheet.js'
import { type RfqLayout, rfqLayout, SHEET_SCENARIOS } from './layout.js'
import { negotiationSheet } from './negotiation-sheet.js'
import { offersSheet } from './offers-sheet.js'
import { scoringSheet } from './scoring-sheet.js'
import { sensitivitySheet } from './sensitivity-sheet.js'
import { statisticsSheet } from './statistics-sheet.js'
import { summarySheet } from './summary-sheet.js'

/** The sheets of an RFQ's workbook in order, each created only when it is written. */
export function rfqSheets(report: RfqReport): SheetFactory[] {
  const layout = rfqLayout(report)
  // Without offers, one page says everything; a reader can unhide the other sheets.
  const isHidden = report.offers.length === 0
  return [
    summarySheet,
    inputsSheet,
    comparisonSheet,
    offersSheet,
    deliveriesSheet,
    prepaymentsSheet,
    scoringSheet,
    awardSheet,
    negotiationSheet,
    sensitivitySheet,
    statisticsSheet,
    changesSheet,
    checksSheet,
    aboutSheet,
  ].map((make, index) => () => {
    const plan = guardInputs(make(layout), layout)
    return isHidden && index > 0 ? { ...plan, hidden: true } : plan
  })
}

/**
 * A sheet whose results are withheld while an input they depend on is invalid: they show “check Inputs”, not a figure
 * calculated with a negative weight or a text. Error values never show. `Inputs` and the master check guard their own cells.
 */
function guardInputs(plan: SheetPlan, { offers, scenarios, recommendation }: RfqLayout): SheetPlan {
  if (plan.name === 'Inputs') return guardSheet(plan)
  const own = plan.name === 'Award' ? scenarios.firstRow + SHEET_SCENARIOS.indexOf('own') : null
  const last = columnIndex(recommendation.facts.letter('label'))
  const first = plan.name === 'Checks' ? offers.firstRow : 1
  return guardSheet(plan, (row, column) => {
    if (plan.independentColumns?.includes(column) || row < first) return null
    const isOwn = row === own && column < last
    return isOwn ? { ...INVALID_INPUT, when: 'InputErrors+OwnAwardErrors>0' } : INVALID_INPUT
  })
}
