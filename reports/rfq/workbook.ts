import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import type { SheetFactory } from '../layout/sheet-plan.js'
import { aboutSheet } from './about-sheet.js'
import { awardSheet } from './award-sheet.js'
import { changesSheet } from './changes-sheet.js'
import { checksSheet } from './checks-sheet.js'
import { comparisonSheet } from './comparison-sheet.js'
import { deliveriesSheet, prepaymentsSheet } from './deliveries-sheet.js'
import { guardInputs } from './input-guard.js'
import { inputsSheet } from './inputs-sheet.js'
import { rfqLayout } from './layout.js'
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
