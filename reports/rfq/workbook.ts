import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import type { SheetFactory, SheetPlan } from '../layout/sheet-plan.js'
import { aboutSheet } from './about-sheet.js'
import { choicesSheet } from './choices-sheet.js'
import { deliveriesSheet, prepaymentsSheet } from './deliveries-sheet.js'
import { type RfqLayout, rfqLayout } from './layout.js'
import { offersSheet } from './offers-sheet.js'
import { questionsSheet } from './questions-sheet.js'
import { summarySheet } from './summary-sheet.js'

/** Makes each sheet, in order; those of `Summary` link to the others. */
const SHEETS: Record<string, (layout: RfqLayout, names: readonly string[]) => SheetPlan> = {
  Summary: summarySheet,
  Offers: offersSheet,
  Deliveries: deliveriesSheet,
  Prepayments: prepaymentsSheet,
  Choices: choicesSheet,
  Questions: questionsSheet,
  About: aboutSheet,
}

/** The sheets of an RFQ's workbook in order, each created only when it is written. */
export function rfqSheets(report: RfqReport): SheetFactory[] {
  const layout = rfqLayout(report)
  const names = Object.keys(SHEETS).filter((name) => hasContent(name, layout))
  return names.map((name) => () => (SHEETS[name] as (typeof SHEETS)[string])(layout, names.slice(1)))
}

/** Without offers, there is nothing to compare. */
function hasContent(name: string, { report, payments }: RfqLayout): boolean {
  if (report.offers.length === 0) return ['Summary', 'About'].includes(name)
  return name !== 'Prepayments' || payments.length > 0
}
